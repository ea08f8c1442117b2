//! Worker threads that take ranks from one queue. The calling thread is the first worker; the others start when the launch is large enough
//! to be worth their start.

use super::groups::Standing;
use super::{Ended, Ranks, Schedule};
use crate::machine::{Halt, Stop, Turn, Wake};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
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

/// What the workers share.
struct Shared {
    queue: Mutex<Queue>,
    /// Signalled when a rank becomes ready while workers are idle, and at the end.
    available: Condvar,
}

struct Queue {
    ready: VecDeque<usize>,
    /// Ranks that an injected fault put aside.
    delayed: VecDeque<usize>,
    standing: Standing,
    /// Workers that run a rank now.
    running: usize,
    /// Workers that wait for one.
    idle: usize,
    ended: Option<Ended>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Shared {
    fn wake(&self, call: usize) {
        let mut queue = self.lock();
        queue.ready.push_back(call);
        queue.standing.woken(call);
        if queue.idle > 0 {
            drop(queue);
            self.available.notify_one();
        }
    }
}

impl Schedule for Parallel {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        let count = ranks.machines.len();
        let standing = ranks.groups.start();
        let queue =
            Queue { ready: (0..count).collect(), delayed: VecDeque::new(), standing, running: 0, idle: 0, ended: None };
        let shared = Shared { queue: Mutex::new(queue), available: Condvar::new() };
        let helpers = self.0.min(count).saturating_sub(1);
        let threads = thread::scope(|scope| Worker { ranks, shared: &shared }.lead(scope, helpers));
        let ended = shared.queue.into_inner().unwrap_or_else(PoisonError::into_inner).ended;
        (ended.unwrap_or(Ended::Done), threads)
    }
}

/// One worker.
#[derive(Clone, Copy)]
struct Worker<'w, 'l, 'a> {
    ranks: &'w Ranks<'l, 'a>,
    shared: &'w Shared,
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
        self.work(|queue| {
            turns = turns.saturating_add(1);
            if started || queue.ready.is_empty() || !turns.is_multiple_of(16) {
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

    /// Runs ranks until the run has ended. `between` is called between two turns.
    fn work(self, mut between: impl FnMut(&Queue)) {
        const TURN: Turn = Turn { fuel: 1 << 13, visible: u32::MAX };
        let _panics = EndOnPanic(self.shared);
        let mut queue = self.shared.lock();
        loop {
            let Some((locked, rank)) = self.next(queue) else { return };
            between(&locked);
            drop(locked);
            let outcome = self.ranks.machine(rank).run(self.ranks.env, self.shared, TURN);
            queue = self.shared.lock();
            queue.running -= 1;
            match outcome {
                Ok(Stop::Yield | Stop::Before) => queue.ready.push_back(rank),
                Ok(Stop::Delayed) => queue.delayed.push_back(rank),
                Ok(stop @ (Stop::Parked | Stop::Stopped | Stop::Done)) => {
                    if let Some(group) = queue.standing.stopped(rank, stop == Stop::Done) {
                        queue.ended.get_or_insert(Ended::Stuck(group));
                    }
                }
                Err(halt) => {
                    queue.ended.get_or_insert(Ended::Failed(halt));
                }
            }
        }
    }

    /// The next rank to run; `None` when the run has ended.
    fn next<'q>(self, mut queue: MutexGuard<'q, Queue>) -> Option<(MutexGuard<'q, Queue>, usize)> {
        loop {
            if queue.ended.is_none() && self.ranks.interrupted() {
                queue.ended = Some(Ended::Interrupted);
            }
            if queue.ended.is_none() && queue.ready.is_empty() && queue.running == 0 {
                // Nobody runs, and no group is stuck.
                match queue.delayed.pop_front() {
                    Some(rank) => queue.ready.push_back(rank),
                    None => queue.ended = Some(Ended::Done),
                }
            }
            if queue.ended.is_some() {
                drop(queue);
                self.shared.available.notify_all();
                return None;
            }
            if let Some(rank) = queue.ready.pop_front() {
                queue.running += 1;
                return Some((queue, rank));
            }
            queue.idle += 1;
            queue = self.shared.available.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

/// Ends the run when its worker panics, so that the others do not wait for it.
struct EndOnPanic<'w>(&'w Shared);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().ended.get_or_insert(Ended::Failed(Halt::Internal("a worker panicked".into())));
            self.0.available.notify_all();
        }
    }
}
