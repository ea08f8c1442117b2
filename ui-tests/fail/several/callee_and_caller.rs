// A function with an error is called as if it had none: its callers and the host get no errors of their own.
#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [8] }>) -> pl::Tile<f32, { [8] }> {
    t * factor
}

#[pl::function(Inline)]
fn scaled<T: pl::Element, const N: usize>(t: pl::Tile<T, { [N] }>, by: T) -> (pl::Tile<T, { [N] }>, T) {
    let sum = t + by + undefined;
    (sum, by)
}

#[pl::function(Inline, dynamic(N))]
fn cleared(mut y: pl::Out<pl::Tensor<f32, { [N] }>>, at: u64) -> pl::Tensor<f32, { [N] }> {
    y = pl::store(pl::full::<f32>([N], 0.0), [0], y);
    y
}

#[pl::function(InCore)]
fn kernel(mut y: pl::InOut<pl::Tensor<f32, { [8] }>>) -> pl::Tensor<f32, { [8] }> {
    let half: pl::Tile<f32, { [8] }> = halved(pl::load(y, [0], [8]));
    let (tile, by) = scaled::<f32, 8>(half, 2.0);
    y = cleared(y, 3);
    pl::write(y, [0], by);
    pl::store(tile, [0], y)
}

fn main() {
    let mut y = pl::ndarray::Array1::<f32>::zeros(8);
    let _ = kernel(y.view_mut());
    let _ = kernel::ir().text();
}
