//! Who is told of notes that ranks leave for ranks of other workers (`check/tray.rs`). Nothing is locked for that: who leaves one tells the worker whose rank it is for, and
//! that looks for itself before it does something else, and while it looks out for ranks. `tests/loom` model-checks this file as it is.
//!
//! A worker that is parked looks for nothing. So while one is, or is about to be, no notes are left. Who does not know that yet finds out at the end of the turn, with the
//! lock of the queue.

use crate::sync::{AtomicBool, AtomicU32, Ordering};
use std::array;

/// Notes are left where this many ranks take part at most, who have no more workers than that.
pub(super) const MOST: usize = 8;

/// The mail of the workers of a launch.
pub(super) struct Mail {
    /// How many workers there are, when all came that are expected; 0 before.
    workers: AtomicU32,
    /// Whether one is parked, or about to be.
    idle: AtomicBool,
    boxes: [Mailbox; MOST],
}

/// How often each worker left notes for ranks of this one: a number that only that worker changes.
#[derive(Default)]
#[repr(align(64))]
struct Mailbox([AtomicU32; MOST]);

/// What a worker has seen of its mailbox.
#[derive(Default)]
pub(super) struct Seen([u32; MOST]);

impl Default for Mail {
    fn default() -> Self {
        let (workers, idle) = (AtomicU32::new(0), AtomicBool::new(false));
        Mail { workers, idle, boxes: array::from_fn(|_| Mailbox::default()) }
    }
}

impl Mail {
    /// So many workers are there, and all that are expected; 0 otherwise. Called with the lock of the queue.
    pub(super) fn all_came(&self, workers: usize) {
        let workers = if workers > MOST { 0 } else { workers };
        self.workers.store(workers as u32, Ordering::Relaxed);
    }

    /// The worker that finds a note for a rank, of so many, that one of this worker leaves, unless it is parked.
    #[inline]
    pub(super) fn finder(&self, worker: usize, rank: usize, ranks: usize) -> Option<usize> {
        let workers = self.workers.load(Ordering::Relaxed) as usize;
        let home = rank * workers / ranks;
        (workers > 0 && home != worker && worker < MOST).then_some(home)
    }

    /// Tells a worker that another one left a note.
    #[inline]
    pub(super) fn tell(&self, finder: usize, worker: usize) {
        let told = &self.boxes[finder].0[worker];
        told.store(told.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
    }

    /// A worker's mailbox, as far as there are others.
    #[inline]
    fn mailbox(&self, worker: usize) -> &[AtomicU32] {
        let workers = self.workers.load(Ordering::Relaxed) as usize;
        self.boxes.get(worker).map_or(&[], |Mailbox(told)| &told[..workers])
    }

    /// Whether a worker was told since it saw this.
    #[inline]
    pub(super) fn has_news(&self, worker: usize, Seen(seen): &Seen) -> bool {
        self.mailbox(worker).iter().zip(seen).any(|(told, seen)| told.load(Ordering::Acquire) != *seen)
    }

    /// A worker sees what it was told.
    pub(super) fn see(&self, worker: usize, Seen(seen): &mut Seen) {
        for (told, seen) in self.mailbox(worker).iter().zip(seen) {
            *seen = told.load(Ordering::Acquire);
        }
    }

    /// Whether a worker is parked, or about to be.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    /// A worker is about to park, or none is parked any more. Called with the lock of the queue.
    pub(super) fn set_idle(&self, idle: bool) {
        if self.is_idle() != idle {
            self.idle.store(idle, Ordering::Relaxed);
        }
    }
}
