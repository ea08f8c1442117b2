use pl::ndarray::Array1;

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

fn main() {
    let y = Array1::<f32>::zeros(8);
    let _ = kernel(y.view());
}
