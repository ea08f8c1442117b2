use pl::ndarray::Array1;

#[pl::function(InCore)]
fn kernel(a: pl::InOut<pl::Tensor<f32, { [8] }>>, b: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(a, [0], 1.0);
    pl::write(b, [0], 1.0);
}

fn main() {
    let mut y = Array1::<f32>::zeros(8);
    let _ = kernel(y.view_mut(), y.view_mut());
}
