// Seen by `cargo build`, where the kernel is used with values.
#[pl::function(InCore)]
fn kernel<const A: usize, const B: usize>(x: pl::InOut<pl::Tensor<f32, { [8, 8] }>>) {
    let left = pl::load(x, [0, 0], [1, A]);
    let right = pl::load(x, [0, 0], [1, B]);
    pl::store(left + right, [0, 0], x);
}

fn main() {
    kernel::ir::<8, 8>();
    kernel::ir::<8, 4>();
}
