// Generic functions, called with their arguments written out.
#![deny(warnings)]

#[pl::function(Inline)]
fn load_row<T: pl::Element, const R: usize, const C: usize>(
    x: pl::Tensor<T, { [R, C] }>,
    at: usize,
) -> pl::Tile<T, { [1, C] }> {
    pl::load(x, [at, 0], [1, C])
}

#[pl::function(Inline)]
fn summed<T: pl::Element, const C: usize>(
    a: pl::Tile<T, { [1, C] }>,
    b: pl::Tile<T, { [1, C] }>,
) -> pl::Tile<T, { [1, C] }> {
    a + b
}

#[pl::function(Inline)]
fn stepped<const BY: i32>(n: i32) -> i32 {
    n + BY
}

#[pl::function(InCore)]
fn kernel<T: pl::Element, const R: usize>(x: pl::Tensor<T, { [R, 8] }>, y: pl::Out<pl::Tensor<T, { [1, 8] }>>, n: i32) {
    let mut sum: pl::Tile<T, { [1, 8] }> = load_row::<T, R, 8>(x, 0);
    for i in 1..R {
        sum = summed::<T, 8>(sum, load_row::<T, R, { 2 * 4 }>(x, i));
    }
    if stepped::<1>(n) > stepped::<-1>(n) {
        pl::store(sum, [0, 0], y);
    }
}

#[pl::function(InCore)]
fn concrete(x: pl::Tensor<f32, { [4, 8] }>, y: pl::Out<pl::Tensor<f32, { [1, 8] }>>) {
    pl::store(summed::<f32, 8>(load_row::<f32, 4, 8>(x, 1), load_row::<f32, 4, 8>(x, 2)), [0, 0], y);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir::<f32, 4>().text()?;
    kernel::ir::<i8, 2>().text()?;
    concrete::ir().text()?;
    Ok(())
}
