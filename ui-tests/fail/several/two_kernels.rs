#[pl::function(InCore)]
fn first(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [8], 1.0);
}

#[pl::function(InCore)]
fn second(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], value);
}

fn main() {
    let mut y = pl::ndarray::Array1::<f32>::zeros(8);
    let _ = first(y.view_mut());
    let _ = second(y.view_mut());
    first::ir();
}
