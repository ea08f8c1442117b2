#![deny(unused)]

#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [n], 1.0);
}

fn main() {
    let mut y = pl::ndarray::Array1::<f32>::zeros(8);
    kernel(1, y.view_mut());
}
