// Seen by `cargo build`, where the kernel is called.
use pl::ndarray::Array1;

#[pl::function(InCore)]
fn kernel<const AT: usize>(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [AT], 1.0);
}

fn main() {
    let mut y = Array1::<f32>::zeros(8);
    let _ = kernel::<8>(y.view_mut());
}
