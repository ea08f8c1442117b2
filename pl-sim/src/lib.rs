//! Simulated devices: an [`Engine`](pl_core::runtime::Engine) that runs each rank as a resumable machine over a flat plan.
//!
//! - A rank is a [plan](Plan), registers, tiles and a program counter. A wait that is not satisfied parks it; the notify that satisfies the
//!   wait makes it runnable. No rank owns a thread, and none spins or sleeps.
//! - Every access to window memory is checked before it touches memory: bounds, races, initialisation. What was checked is the safety argument
//!   of the one module with `unsafe`, which shares window memory between threads.
//! - When no rank can run and not all are done, that is a deadlock, reported at once.
//! - The parallel scheduler uses every core; the seeded one uses one thread, and the same seed gives the same interleaving. Exploration runs many
//!   interleavings, at random or all that can differ, and replays any of them from a token.
#![deny(unsafe_code)]

mod calls;
mod check;
mod credits;
mod devices;
mod elementwise;
mod env;
mod exec;
mod explore;
mod follow;
mod frames;
mod inject;
mod lineup;
mod lints;
mod machine;
mod memory;
mod num;
mod order;
mod plan;
mod recent;
mod region;
mod scalars;
mod sched;
mod shared;
mod simulator;
mod stuck;
mod sync;
mod tiles;
mod trail;
mod window;
mod windows;

/// Scalar arithmetic as devices do it, for who computes beside them.
pub mod scalar {
    pub use crate::plan::scalar::{ScalarTy, binary, cast, unary};
}

pub use explore::check_token;
pub use plan::{OfRank, Plan, plan_of};
pub use simulator::{PLATFORMS, Simulator};
