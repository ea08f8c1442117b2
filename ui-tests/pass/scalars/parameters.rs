// A scalar parameter of every type.
#![deny(warnings)]

use pl::half::{bf16, f16};

#[pl::function(InCore)]
fn kernel(
    a: f32,
    b: f16,
    c: bf16,
    d: i8,
    e: i16,
    f: i32,
    g: i64,
    h: u8,
    i: u32,
    j: usize,
    k: bool,
    y: pl::Out<pl::Tensor<f32, { [16] }>>,
    z: pl::Out<pl::Tensor<f16, { [1] }>>,
    w: pl::Out<pl::Tensor<bf16, { [1] }>>,
) {
    if k {
        pl::write(y, [j], a + d as f32 + e as f32 + f as f32 + g as f32 + h as f32 + i as f32);
    }
    pl::write(z, [0], b);
    pl::write(w, [0], c);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    let mut y = pl::ndarray::Array1::<f32>::zeros(16);
    let (mut z, mut w) = (pl::ndarray::arr1(&[f16::ZERO]), pl::ndarray::arr1(&[bf16::ZERO]));
    let (b, c) = (f16::ONE, bf16::ONE);
    let call = kernel(1.0, b, c, -1, -2, -3, -4, 5, 6, 7, true, y.view_mut(), z.view_mut(), w.view_mut());
    assert_eq!(call.kernel(), "kernel");
    Ok(())
}
