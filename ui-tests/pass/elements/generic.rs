// Kernels over an element type, with its constants.
#![deny(warnings)]

#[pl::function(InCore, dynamic(S))]
fn affine<T: pl::Element>(
    a: T,
    b: T,
    x: pl::Tensor<T, { [1, S] }>,
    y: pl::Out<pl::Tensor<T, { [1, S] }>>,
) -> pl::Tensor<T, { [1, S] }> {
    let mut t: pl::Tile<T, { [1, S] }> = pl::load(x, [0, 0], [1, S]);
    t = t * a + b;
    t = pl::maximum(t, T::ZERO);
    t = pl::minimum(t, pl::lit::<T>(100));
    t += T::ONE;
    t = t * 2 + pl::full::<T>([1, S], pl::lit::<T>(3));
    pl::store(t, [0, 0], y);
    pl::write(y, [0, 0], pl::read(x, [0, 0]) + T::ONE * b)
}

#[pl::function(InCore)]
fn convert<T: pl::Element, U: pl::Element>(x: pl::Tensor<T, { [8] }>, y: pl::Out<pl::Tensor<U, { [8] }>>) {
    pl::store(pl::cast::<U>(pl::load(x, [0], [8])), [0], y);
}

fn main() -> Result<(), pl::BindError> {
    affine::ir::<f32>().text()?;
    affine::ir::<pl::half::f16>().text()?;
    affine::ir::<u8>().text()?;
    assert!(convert::ir::<f32, i8>().text()?.contains("pl::cast::<i8>"));
    Ok(())
}
