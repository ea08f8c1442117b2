// Nothing, a unit, one rebound parameter, a tuple of them; with and without `return`.
#![deny(warnings)]

use pl::distributed as pld;

#[pl::function(InCore)]
fn unit(y: pl::InOut<pl::Tensor<f32, { [8] }>>) -> () {
    pl::write(y, [0], 1.0);
}

#[pl::function(InCore)]
fn early(y: pl::InOut<pl::Tensor<f32, { [8] }>>) -> pl::Tensor<f32, { [8] }> {
    pl::write(y, [0], 1.0);
    return y;
}

#[pl::function(InCore)]
fn nothing(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
    return;
}

#[pl::function(InCore, dynamic(NR))]
fn several(
    y: pl::Out<pl::Tensor<f32, { [8] }>>,
    mut w: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> (pl::Tensor<f32, { [8] }>, pld::DistributedTensor<i32, { [NR, 1] }>) {
    w = pl::write(w, [0, 0], 1);
    (pl::write(y, [0], 1.0), w)
}

#[pl::function(InCore)]
fn parenthesised(y: pl::InOut<pl::Tensor<f32, { [8] }>>) -> pl::Tensor<f32, { [8] }> {
    (pl::write(y, [0], (1.0)))
}

fn main() -> Result<(), pl::BindError> {
    unit::ir().text()?;
    early::ir().text()?;
    nothing::ir().text()?;
    several::ir().text()?;
    parenthesised::ir().text()?;
    Ok(())
}
