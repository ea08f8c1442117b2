//! The collectives, written in the language: what the ops of [`distributed::tensor`](crate::distributed::tensor) are lowered to.
//!
//! Every collective uses the *self-clearing credit barrier*. Within one call, generation `g` = 1, 2, …, N of it is [`meet`]: notify every peer,
//! then wait until every peer's cell has reached `g`. It compares with `Ge`, never `Eq`, because a fast peer may be one generation ahead. At the end
//! [`settle`] takes the N credits back: adds commute, so the signal is all zero again when every rank has left, and the next call may use the same
//! window at once.

mod barriers;
mod exchange;
mod fold;
mod gather;
pub(crate) mod host;
mod reduce;
mod spread;

pub use barriers::{barrier, barrier_flat, meet, meet_flat, settle, settle_flat};
pub use exchange::{all_to_all, all_to_all_v};
pub use fold::{allreduce_mesh, allreduce_ring, combine, meet_in_round, settle_round};
pub use gather::allgather;
pub use reduce::reduce_scatter;
pub use spread::broadcast;

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
            ("broadcast", broadcast::__definition::<f32, 1>),
            ("allgather", allgather::__definition::<f32, 1>),
            ("reduce_scatter", reduce_scatter::__definition::<f32, 1>),
            ("allreduce_mesh", allreduce_mesh::__definition::<f32, 1, 0>),
            ("allreduce_ring", allreduce_ring::__definition::<f32, 1, 0>),
            ("all_to_all", all_to_all::__definition::<f32, 1>),
            ("all_to_all_v", all_to_all_v::__definition::<f32, 1>),
        ])
    });
    &LIBRARY
}
