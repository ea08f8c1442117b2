// A literal takes the type of its place, or has a suffix.
#![deny(warnings)]

#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [64] }>>, z: pl::InOut<pl::Tensor<i64, { [8] }>>) {
    let at = 3;
    let width = 4usize;
    let value = 1_000.5e-3;
    let other = 2f32;
    let integer: i64 = 7;
    let hex = 0x10;
    let binary = 0b101;
    pl::write(y, [at], value);
    pl::write(y, [at + n], other);
    pl::write(y, [hex], 3.0);
    pl::write(y, [binary], value + 1.);
    pl::write(z, [0], integer);
    pl::store(pl::load(y, [at], [width]) * 2 + 1.0, [0], y);
    pl::store(pl::full::<i64>([2], -9_000_000_000), [0], z);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
