// Const generics of every type that they may have.
#![deny(warnings)]

#[pl::function(InCore)]
fn kernel<const N: usize, const I: i32, const FLAG: bool, const B: u8, const L: i64>(
    x: pl::Tensor<f32, { [N, 2 * N] }>,
    y: pl::Out<pl::Tensor<f32, { [1, N] }>>,
    z: pl::Out<pl::Tensor<i64, { [1] }>>,
) {
    if FLAG {
        pl::store(pl::load(x, [N - 1, N], [1, N]) * 0.5, [0, 0], y);
    }
    pl::write(y, [0, N / 2], I as f32);
    pl::write(z, [0], L + B as i64);
}

fn main() -> Result<(), pl::BindError> {
    let text = kernel::ir::<4, -1, true, 7, 9>().text()?;
    assert!(text.contains("FLAG"), "{text}");
    let (x, mut y) = (pl::ndarray::Array2::<f32>::zeros((4, 8)), pl::ndarray::Array2::<f32>::zeros((1, 4)));
    let mut z = pl::ndarray::Array1::<i64>::zeros(1);
    let _ = kernel::<4, -1, true, 7, 9>(x.view(), y.view_mut(), z.view_mut());
    Ok(())
}
