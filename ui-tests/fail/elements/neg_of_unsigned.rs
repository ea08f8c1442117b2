#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<u32, { [8] }>>) {
    pl::store(-pl::load(x, [0], [8]), [0], x);
}

fn main() {}
