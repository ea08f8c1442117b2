//! Passes: each from one function to the next, each verified after it ran.
//!
//! - [`link`]: reads a kernel's definition, fills its holes and inlines the functions it calls.
//! - [`lower`]: replaces composites by their functions of the collectives library.

mod calls;
mod inline;
mod link;
mod lower;
mod simplify;
mod tidy;

pub use link::{fill, link, load};
pub use lower::{Library, lower};
