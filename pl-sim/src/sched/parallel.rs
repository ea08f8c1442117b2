//! Worker threads that take ranks from one [queue](super::queue). The calling thread is the first worker; the others start when the launch is large
//! enough to be worth their start.

use super::queue::Queue;
use super::{Ended, Ranks, Schedule};
use crate::machine::{Halt, Turn, Wake};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// A launch that touches this many bytes starts all workers at once.
const LARGE: usize = 4 << 20;
/// A launch that is still busy after this time starts them then, if its turns are long.
const LONG: Duration = Duration::from_micros(150);
/// Turns that take less than this on average are mostly signals: they cost more when they go to and fro between threads.
const LONG_TURN: Duration = Duration::from_micros(3);

/// The scheduler with the number of workers that it may use.
pub(crate) struct Parallel(pub(crate) usize);

impl Wake for Queue<Halt> {
    fn wake(&self, call: usize) {
        Queue::wake(self, call);
    }
}

impl Schedule for Parallel {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        let count = ranks.machines.len();
        let queue = Queue::new(count, ranks.groups.start());
        let helpers = self.0.min(count).saturating_sub(1);
        let threads = thread::scope(|scope| Worker { ranks, queue: &queue }.lead(scope, helpers));
        (queue.ended(), threads)
    }
}

/// One worker.
#[derive(Clone, Copy)]
struct Worker<'w, 'l, 'a> {
    ranks: &'w Ranks<'l, 'a>,
    queue: &'w Queue<Halt>,
}

impl<'w> Worker<'w, '_, '_> {
    /// Works on the calling thread, and starts the helpers when that is worth it. The number of threads.
    fn lead<'s>(self, scope: &'s Scope<'s, '_>, helpers: usize) -> usize
    where
        'w: 's,
    {
        let start = Instant::now();
        let mut threads = 1;
        let mut started = helpers == 0;
        if !started && self.ranks.bytes >= LARGE {
            threads += self.start(scope, helpers);
            started = true;
        }
        let mut turns = 0_u32;
        self.work(|others| {
            turns = turns.saturating_add(1);
            if started || others == 0 || !turns.is_multiple_of(16) {
                return;
            }
            let elapsed = start.elapsed();
            if elapsed > LONG && elapsed > LONG_TURN * turns {
                threads += self.start(scope, helpers);
                started = true;
            }
        });
        threads
    }

    /// Starts the helpers. How many there are: without a thread, the others do its work.
    fn start<'s>(self, scope: &'s Scope<'s, '_>, helpers: usize) -> usize
    where
        'w: 's,
    {
        let spawn = || thread::Builder::new().spawn_scoped(scope, move || self.work(|_| ()));
        (0..helpers).take_while(|_| spawn().is_ok()).count()
    }

    /// Runs ranks until the run has ended. `between` is called before each turn, with the number of ranks that wait for a worker.
    fn work(self, between: impl FnMut(usize)) {
        const TURN: Turn = Turn { fuel: 1 << 13, visible: u32::MAX, enters: false };
        let turn = |rank| self.ranks.machine(rank).run(self.ranks.env, self.queue, TURN);
        self.queue.work(|| self.ranks.interrupted(), between, turn);
    }
}
