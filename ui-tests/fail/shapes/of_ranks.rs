#[pl::function(InCore)]
fn kernel(a: pl::Tensor<f32, { [8] }>, b: pl::InOut<pl::Tensor<f32, { [1, 8] }>>) {
    let left = pl::load(a, [0], [8]);
    let right = pl::load(b, [0, 0], [1, 8]);
    pl::store(right - left, [0, 0], b);
}

fn main() {}
