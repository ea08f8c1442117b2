//! The collectives, written in the language: what the ops of [`distributed::tensor`](crate::distributed::tensor) are lowered to.
//!
//! Every collective uses the *self-clearing credit barrier*. Within one call, generation `g` = 1, 2, …, N of it is [`meet`]: notify every peer,
//! then wait until every peer's cell has reached `g`. It compares with `Ge`, never `Eq`, because a fast peer may be one generation ahead. At the end
//! [`settle`] takes the N credits back: adds commute, so the signal is all zero again when every rank has left, and the next call may use the same
//! window at once.

mod barriers;
mod reduce;

pub use barriers::{barrier, barrier_flat, meet, meet_flat, settle, settle_flat};
pub use reduce::reduce_scatter;

use pl_core::definition::Definition;
use pl_core::pass::Library;
use std::sync::LazyLock;

/// The library, for the lowering pass. Generic functions stand in it with any arguments: the pass fills in its own.
pub(crate) fn library() -> &'static Library {
    type Instance = fn() -> Definition;
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
        Library::new([
            ("barrier", barrier::__definition as Instance),
            ("barrier_flat", barrier_flat::__definition),
            ("reduce_scatter", reduce_scatter::__definition::<f32, 1>),
        ])
    });
    &LIBRARY
}
