//! The memory of machines, kept from launch to launch: so a launch like the one before allocates little.

use crate::machine::{Frame, Machine};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most bytes that are kept.
const MOST: usize = 64 << 20;

/// The frames that no launch has.
#[derive(Default)]
pub(crate) struct Frames(Mutex<Kept>);

#[derive(Default)]
pub(crate) struct Kept {
    /// Each with about how many bytes it has.
    frames: Vec<(Frame, usize)>,
    bytes: usize,
}

impl Frames {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the memory of machines, as long as there is not too much of it. The first one's is the next to be taken.
    pub(crate) fn keep(&self, machines: Vec<Machine<'_>>) {
        let mut kept = self.lock();
        for machine in machines.into_iter().rev() {
            let frame = machine.into_frame();
            let bytes = frame.bytes();
            if bytes <= MOST - kept.bytes {
                kept.bytes += bytes;
                kept.frames.push((frame, bytes));
            }
        }
    }
}

impl Kept {
    /// Memory for a machine.
    pub(crate) fn take(&mut self) -> Frame {
        let (frame, bytes) = self.frames.pop().unwrap_or_default();
        self.bytes -= bytes;
        frame
    }
}
