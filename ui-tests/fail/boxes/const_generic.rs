// Seen by `cargo build`, where the kernel is used with a value.
#[pl::function(InCore)]
fn kernel<const N: usize>(y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::full::<f32>([N], 0.0), [0], y);
}

fn main() {
    kernel::ir::<8>();
    kernel::ir::<9>();
}
