#[pl::function(Inline)]
fn row(x: pl::Tensor<f32, { [8, 8] }>, at: usize) -> pl::Tile<f32, { [1, 8] }> {
    pl::load(x, [at, 0], [1, 8])
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8, 4] }>, y: pl::Out<pl::Tensor<f32, { [1, 8] }>>) {
    pl::store(row(x, 3), [0, 0], y);
}

fn main() {}
