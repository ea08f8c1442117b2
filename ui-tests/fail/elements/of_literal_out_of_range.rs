#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<i8, { [8] }>>) {
    pl::store(pl::load(x, [0], [8]) + 200, [0], x);
}

fn main() {}
