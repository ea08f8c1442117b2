//! What running a `Host` function gives.

use crate::host::Stage;
use pl_core::fault::Report;
use pl_core::ir::{Function, Place};

/// What a `Host` function did on the devices.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HostReport {
    /// Its launches, in order: one for each loop that dispatches, each time it runs, and one for each collective.
    pub launches: Vec<HostLaunch>,
}

/// One launch of a `Host` function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostLaunch {
    /// The kernels, each once, or the collective: `stage, fetch`, `pld::tensor::allreduce`.
    pub what: String,
    /// The loop that dispatched, or the collective.
    pub place: Option<Place>,
    /// What the ranks did.
    pub report: Report,
}

/// What a `Host` function becomes, as [`World::compile_host`](crate::World::compile_host) gives it.
#[derive(Debug)]
pub struct HostStages {
    pub(super) function: Function,
    /// Its launches, in order.
    pub launches: Vec<LaunchStages>,
}

impl HostStages {
    /// The function as it was written, with its constants filled in.
    pub fn ir(&self) -> &Function {
        &self.function
    }
}

/// One launch of a `Host` function, not run.
#[derive(Debug)]
#[non_exhaustive]
pub struct LaunchStages {
    /// The kernels, each once, or the collective.
    pub what: String,
    /// The loop that dispatches, or the collective.
    pub place: Option<Place>,
    /// The call of each rank.
    pub ranks: Vec<Stage>,
}
