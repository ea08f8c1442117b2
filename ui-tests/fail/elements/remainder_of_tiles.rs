#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<i32, { [8] }>>) {
    pl::store(pl::load(x, [0], [8]) % 2, [0], x);
}

fn main() {}
