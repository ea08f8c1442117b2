//! Reports for people and for programs.
//!
//! An [`Error`](crate::Error) prints itself, complete, without the source. [`Renderer`] shows the source lines too; [`json`] gives the same as data.

mod json;
mod source;
mod text;

pub use json::{Document, Json, SCHEMA, json};
pub use pl_core::explain::{Explanation, Line, Origin, Part, Severity};
pub use text::Renderer;
