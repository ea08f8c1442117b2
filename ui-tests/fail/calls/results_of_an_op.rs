#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let (a, b) = pl::load(y, [0], [8]);
    pl::store(a + b, [0], y);
}

fn main() {}
