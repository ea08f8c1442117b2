use pl::ndarray::Array1;

#[pl::function(InCore)]
fn kernel(at: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [at], 1.0);
}

fn main() {
    let mut y = Array1::<f32>::zeros(8);
    let _ = kernel(y.view_mut());
}
