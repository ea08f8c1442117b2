//! pl
#![forbid(unsafe_code)]

// The output of `pl::function` names this crate `::pl`, here too.
extern crate self as pl;

pub mod collectives;
mod host;
mod lang;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use half;
pub use host::*;
pub use lang::*;
pub use ndarray;
pub use pl_core::bind::BindError;
pub use pl_core::dtype::DType;
pub use pl_core::{ir, text};
pub use pl_macros::function;
