//! The language: what a kernel's body may name.
//!
//! A kernel is real Rust, and rustc type-checks it against the items of this module: they *are* the reference of the language. Their bodies
//! do nothing, for a kernel runs on devices, never here. `#[pl::function]` turns the body into IR.
//!
//! Ops are written by their path, `pl::load(…)` or `pld::rank(…)` with `use pl::distributed as pld;`. Their arguments may be named
//! (`peer = p`), in any order after the positional ones; those with defaults may be left out. In Rust's eyes, which these items are for,
//! arguments are positional and complete, and shapes are erased from types.

mod element;
mod enums;
mod kernel;
mod memory;
mod ops;
mod scalar;
mod types;

pub mod distributed;

pub use element::Element;
pub use kernel::Kernel;
pub use memory::{ElementValue, Literal, Memory, TileOrScalar};
pub use ops::{add, cast, div, full, load, maximum, minimum, mul, neg, read, store, sub, write};
pub use scalar::{lit, max, min, range};
pub use types::{Context, InOut, Out, Tensor, Tile};
