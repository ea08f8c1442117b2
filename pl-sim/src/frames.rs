//! The memory of launches, kept for later ones: so a launch like the one before allocates little.

use crate::env::Mail;
use crate::machine::{Frame, Machine};
use crate::shared::Lock;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most bytes that are kept.
const MOST: usize = 64 << 20;

/// The sets that no launch has.
#[derive(Default)]
pub(crate) struct Frames(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    sets: Vec<Set>,
    /// About how many bytes they have.
    bytes: usize,
}

/// The memory of a launch.
#[derive(Default)]
pub(crate) struct Set {
    /// One for each machine; there may be more.
    pub(crate) frames: Vec<Frame>,
    /// A list for the machines.
    pub(crate) machines: Vec<Lock<Machine<'static>>>,
    /// A list for what others tell them.
    pub(crate) mail: Vec<Mail>,
    /// About how many bytes it had when it was kept.
    bytes: usize,
}

impl Frames {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for so many machines.
    pub(crate) fn take(&self, machines: usize) -> Set {
        let mut kept = self.lock();
        let mut set = kept.sets.pop().unwrap_or_default();
        kept.bytes -= set.bytes;
        drop(kept);
        if set.frames.len() < machines {
            set.frames.resize_with(machines, Frame::default);
        }
        set
    }

    /// Keeps the memory of so many machines, as long as there is not too much of it.
    pub(crate) fn keep(&self, mut set: Set, machines: usize) {
        for frame in set.frames.iter_mut().take(machines) {
            let before = frame.held;
            frame.held = frame.bytes();
            set.bytes = set.bytes + frame.held - before;
        }
        let mut kept = self.lock();
        while set.bytes > MOST - kept.bytes
            && let Some(frame) = set.frames.pop()
        {
            set.bytes -= frame.held;
            // They are as long as all frames were.
            (set.machines, set.mail) = Default::default();
        }
        kept.bytes += set.bytes;
        kept.sets.push(set);
    }
}
