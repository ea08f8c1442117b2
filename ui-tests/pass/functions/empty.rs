// Kernels that do nothing, and kernels without parameters.
#![deny(warnings)]

#[pl::function(InCore)]
fn nothing() {}

#[pl::function(InCore)]
fn unused(_n: usize, _x: pl::Tensor<f32, { [8] }>) {}

#[pl::function(InCore)]
fn only_scalars(n: usize) {
    let _ = n;
}

#[pl::function(Inline)]
fn helper() {}

#[pl::function(InCore, dynamic())]
fn calls_helper() {
    helper();
    for _ in 0..3 {}
    if true {
    } else {
    }
    {}
}

fn main() -> Result<(), pl::BindError> {
    nothing::ir().text()?;
    unused::ir().text()?;
    only_scalars::ir().text()?;
    calls_helper::ir().text()?;
    let _: pl::Call<'static> = nothing();
    let _: pl::Call<'static> = only_scalars(3);
    Ok(())
}
