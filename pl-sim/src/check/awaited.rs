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
pub(crate) struct Parked(Option<On>);

/// A cell that the owner is parked on. Positions take 32 bits everywhere, and here they must: see [`Memory`](super::Memory).
#[derive(Clone, Copy, Debug)]
struct On {
    index: u32,
    expected: i32,
    compare: Compare,
}

impl Parked {
    /// Tests a cell of this value: whether the wait passes. If not, the owner is parked.
    pub(crate) fn test(&mut self, awaited: Awaited, value: i32) -> bool {
        let Awaited { index, expected, compare } = awaited;
        let passes = compare.holds(value, expected);
        if !passes {
            self.0 = Some(On { index: index as u32, expected, compare });
        }
        passes
    }

    /// A notify changed a cell to this value: whether it satisfies the owner's wait, so that whoever notified is to wake the owner.
    pub(crate) fn notified(&mut self, index: usize, value: i32) -> bool {
        let Some(on) = self.0.filter(|on| on.index as usize == index) else { return false };
        let passes = on.compare.holds(value, on.expected);
        if passes {
            self.0 = None;
        }
        passes
    }
}
