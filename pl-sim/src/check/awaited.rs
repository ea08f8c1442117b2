//! The wait on which a rank is parked: of the cells of its memory in a window, and under that memory's lock, like the cells. `tests/loom`
//! model-checks this file as it is.

use pl_core::fault::Compare;

/// A wait that is not satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// The cell.
    pub(crate) index: usize,
    /// What it is compared with.
    pub(crate) expected: i32,
    /// How.
    pub(crate) compare: Compare,
}

/// The wait that the owner of the memory is parked on, if it is.
#[derive(Debug, Default)]
pub(crate) struct Parked(Option<Awaited>);

impl Parked {
    /// Tests a cell of this value: whether the wait passes. If not, the owner is parked.
    pub(crate) fn test(&mut self, awaited: Awaited, value: i32) -> bool {
        let passes = awaited.compare.holds(value, awaited.expected);
        if !passes {
            self.0 = Some(awaited);
        }
        passes
    }

    /// A notify changed a cell to this value: whether it satisfies the owner's wait, so that whoever notified is to wake the owner.
    pub(crate) fn notified(&mut self, index: usize, value: i32) -> bool {
        self.0.take_if(|a| a.index == index && a.compare.holds(value, a.expected)).is_some()
    }
}
