//! Schedulers: who runs next, and for how long. A rank that cannot run is in nobody's queue; it is put there by whoever wakes it.
//!
//! How ranks park and wake one another under the parallel scheduler stands in `queue.rs`, `groups.rs`, `bell.rs` and `check/awaited.rs`, apart from what
//! they execute; how worker threads wait, and join launches, in `news.rs` and `offers.rs`. These are model-checked: `tests/loom`.

mod bell;
mod crew;
mod groups;
mod mail;
mod news;
mod offers;
mod parallel;
mod queue;
pub(crate) mod random;
mod seeded;

pub(crate) use bell::Bell;
pub(crate) use crew::{Crew, Shift};
pub(crate) use groups::{Groups, Standing, Together};
pub(crate) use parallel::Parallel;
pub(crate) use queue::Stop;
pub(crate) use seeded::Seeded;

use crate::check::Late;
use crate::check::clock::are_few;
use crate::env::Env;
use crate::machine::{Halt, Machine, Wake};
use crate::shared::{Lock, Locked};
use crate::windows::Used;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The ranks of a launch.
pub(crate) struct Ranks<'l, 'a> {
    /// Their machines.
    pub(crate) machines: &'l [Lock<Machine<'a>>],
    /// What they share.
    pub(crate) env: &'l Env<'a>,
    /// The windows that they use.
    pub(crate) windows: &'l Used<'l>,
    /// Which of them could wake one another.
    pub(crate) groups: &'l Groups,
    /// When the devices were free for the launch.
    pub(crate) start: Instant,
    /// Ends the run when it becomes true.
    pub(crate) interrupt: Option<&'l AtomicBool>,
    /// About how many bytes the launch touches.
    pub(crate) bytes: usize,
}

impl<'l, 'a> Ranks<'l, 'a> {
    /// A rank. One whose thread panicked is not run again: the panic goes on when the threads are joined.
    pub(crate) fn machine(&self, rank: usize) -> Locked<'l, Machine<'a>> {
        self.machines[rank].lock()
    }

    /// From now on several threads run ranks. Only one does when this is called.
    pub(crate) fn share(&self) {
        let ranks = Some(self.machines.len()).filter(|ranks| are_few(*ranks));
        for window in self.windows.iter() {
            let plain = |machine: &Lock<Machine<'_>>| machine.lock().uses_plainly(window);
            window.share(ranks.filter(|_| self.machines.iter().all(plain)));
        }
        self.machines.iter().for_each(Lock::share);
    }

    /// Several threads ran ranks, and have left: what makes the launch fail though no rank did.
    pub(crate) fn settle(&self) -> Option<Box<Halt>> {
        let mut fault = None;
        for window in self.windows.iter() {
            window.settle(|owner, index, late| match late {
                Late::StaleWait(wait, notify) => self.env.stale_wait(window, (owner, index), (wait, notify)),
                Late::Overflow { by, value, add } => {
                    fault = fault.take().or_else(|| self.env.overflow(window, (owner, index), by, (value, add)));
                }
            });
        }
        fault.map(|fault| Box::new(fault.into()))
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Relaxed))
    }
}

/// How a run ended.
pub(crate) type Ended = queue::Ended<Box<Halt>>;

/// A way to run ranks.
pub(crate) trait Schedule {
    /// Runs until no rank can, or one fails. Also gives the number of threads that ran ranks.
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize);
}

/// Ranks that were woken during a turn, where one thread runs all.
#[derive(Default)]
pub(crate) struct Woken {
    ranks: Mutex<Vec<usize>>,
    /// Whether there are any: most turns wake nobody.
    any: AtomicBool,
}

impl Wake for Woken {
    fn wake(&self, rank: usize) {
        self.lock().push(rank);
        self.any.store(true, Relaxed);
    }
}

impl Woken {
    fn lock(&self) -> MutexGuard<'_, Vec<usize>> {
        self.ranks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands each of them to `f`, once.
    pub(crate) fn take(&self, f: impl FnMut(usize)) {
        if self.any.load(Relaxed) {
            self.any.store(false, Relaxed);
            self.lock().drain(..).for_each(f);
        }
    }

    /// One of them, once.
    pub(crate) fn next(&self) -> Option<usize> {
        if !self.any.load(Relaxed) {
            return None;
        }
        let next = self.lock().pop();
        self.any.store(next.is_some(), Relaxed);
        next
    }
}
