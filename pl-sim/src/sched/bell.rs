//! Tells a rank that re-reads cells that others changed its memory. `tests/loom` model-checks this file as it is.

use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// A rank's bell. Whoever changed the rank's memory rings it; the rank sleeps until somebody does.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    /// How often it rang.
    rung: AtomicU64,
    /// Whether the rank sleeps.
    asleep: AtomicBool,
}

impl Bell {
    /// How often it rang.
    pub(crate) fn rung(&self) -> u64 {
        self.rung.load(Ordering::Acquire)
    }

    /// Rings it, after a change. Whether the rank slept, and is to be woken by whoever rang.
    pub(crate) fn ring(&self) -> bool {
        self.rung.fetch_add(1, Ordering::AcqRel);
        self.asleep.load(Ordering::Acquire) && self.asleep.swap(false, Ordering::AcqRel)
    }

    /// Puts the rank to sleep, which saw the bell ring so often. False when it rang since, and nobody will wake the rank: what changed may be news.
    pub(crate) fn sleep(&self, seen: u64) -> bool {
        // A swap like those below: loom orders them, and would let a store come later than what follows it.
        self.asleep.swap(true, Ordering::Relaxed);
        // Both sides change `rung`, so one is first, and the other sees what that did before: either the rank sees that it rang, or who rings sees that the
        // rank sleeps.
        self.rung.fetch_add(0, Ordering::AcqRel) == seen || !self.asleep.swap(false, Ordering::AcqRel)
    }
}
