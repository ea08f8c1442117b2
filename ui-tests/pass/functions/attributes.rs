// Documentation, lint levels, deprecation, conditional compilation; the macro by its imported name.
#![deny(warnings)]
#![deny(missing_docs, missing_debug_implementations, unreachable_pub, unused_qualifications)]
#![deny(clippy::all, clippy::pedantic)]
//! The crate is documented.

use pl::function;

/// A kernel with documentation.
///
/// Of several lines.
#[function(InCore)]
pub fn documented(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

/// Unused things are allowed.
#[function(InCore)]
#[allow(unused_variables, unused_mut)]
pub fn allowed(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut tile = pl::load(y, [0], [8]);
    pl::write(y, [0], 1.0);
}

/// They are expected here.
#[expect(unused_variables, reason = "it is unused")]
#[function(InCore)]
pub fn expected(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

/// In a statement.
#[function(InCore)]
pub fn within(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    #[rustfmt::skip]
    #[allow(unused_variables)]
    let unused = pl::load(y, [0], [8]);
    pl::write(y, [0], 1.0);
}

/// Not there.
#[cfg(any())]
#[function(InCore)]
pub fn absent(y: this_is_not_compiled) {}

/// Lints of a run.
#[function(InCore, allow(stale_wait, set_overwrote))]
#[allow(unused_variables)]
pub fn lints(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

#[doc(hidden)]
#[inline]
#[must_use]
#[function(InCore)]
pub fn others(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

fn main() -> Result<(), pl::BindError> {
    documented::ir().text()?;
    allowed::ir().text()?;
    expected::ir().text()?;
    within::ir().text()?;
    assert!(lints::ir().text()?.contains(" allow(set_overwrote, stale_wait) {"));
    others::ir().text()?;
    Ok(())
}
