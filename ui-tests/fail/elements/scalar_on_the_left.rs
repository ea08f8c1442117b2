#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::store(1.0 - pl::load(x, [0], [8]), [0], x);
}

fn main() {}
