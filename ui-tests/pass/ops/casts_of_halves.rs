// `as` from and to the 16-bit floats, which are no primitive types in Rust.
#![deny(warnings)]

use pl::half::{bf16, f16};

#[pl::function(InCore)]
fn kernel(h: f16, b: bf16, n: usize, y: pl::Out<pl::Tensor<f16, { [8] }>>, z: pl::Out<pl::Tensor<bf16, { [8] }>>) {
    pl::write(y, [0], h);
    pl::write(y, [1], n as f16);
    pl::write(y, [2], b as f16);
    pl::write(z, [h as usize], b);
    pl::write(z, [1], 1.5 as bf16);
    pl::write(z, [2], (h as f32 * 2.0) as bf16);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
