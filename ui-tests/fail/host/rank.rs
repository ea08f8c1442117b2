use pl::ndarray::{Array1, Array2};

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::load(x, [0], [8]), [0], y);
}

fn main() {
    let x = Array2::<f32>::zeros((1, 8));
    let mut y = Array1::<f32>::zeros(8);
    let _ = kernel(x.view(), y.view_mut());
}
