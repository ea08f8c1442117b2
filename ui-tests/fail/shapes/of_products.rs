#[pl::function(InCore, dynamic(N))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [2 * N] }>>) {
    let left = pl::load(x, [0], [N + N]);
    let right = pl::load(x, [0], [2 * N - 1]);
    pl::store(left + right, [0], x);
}

fn main() {}
