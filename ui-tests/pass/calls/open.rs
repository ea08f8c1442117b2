// Extents that a function leaves open.
#![deny(warnings)]

#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [_, _] }>) -> pl::Tile<f32, { [_, _] }> {
    t * 0.5
}

#[pl::function(Inline, dynamic(N))]
fn one_row(x: pl::Tensor<f32, { [4, N] }>, len: usize) -> pl::Tile<f32, { [1, _] }> {
    pl::load(x, [0, 0], [1, len])
}

#[pl::function(InCore)]
fn kernel(len: usize, x: pl::Tensor<f32, { [4, 8] }>, y: pl::Out<pl::Tensor<f32, { [4, 8] }>>) {
    pl::store(halved(pl::load(x, [0, 0], [4, 8])), [0, 0], y);
    let row: pl::Tile<f32, { [1, len] }> = halved(one_row(x, len));
    pl::store(row + 1.0, [0, 0], y);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
