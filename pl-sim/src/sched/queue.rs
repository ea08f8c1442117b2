//! The queue from which workers take ranks: who is to run, how many run, and when the run has ended. `tests/loom` model-checks this file as it is.

use super::groups::Standing;
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::PoisonError;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The rank can go on.
    Yield,
    /// It stands before an op that other ranks can see, and may execute no more of them in this turn.
    Before,
    /// It can go on, and an injected fault wants it to when no other rank can.
    Delayed,
    /// Somebody will wake it.
    Parked,
    /// An injected fault stopped it.
    Stopped,
    /// Its kernel returned.
    Done,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ended<F> {
    /// All ranks are done.
    Done,
    /// No rank of this group can run, and not all of it are done.
    Stuck(u32),
    /// A rank failed.
    Failed(F),
    /// It was interrupted.
    Interrupted,
}

/// The ranks of a launch, as the workers share them. `F` is why a rank fails.
pub(crate) struct Queue<F> {
    state: Mutex<State<F>>,
    /// Signalled when a rank becomes ready while workers are idle, and at the end.
    available: Condvar,
}

struct State<F> {
    ready: VecDeque<usize>,
    /// Ranks that an injected fault put aside.
    delayed: VecDeque<usize>,
    standing: Standing,
    /// Workers that run a rank now.
    running: usize,
    /// Workers that wait for one.
    idle: usize,
    ended: Option<Ended<F>>,
}

impl<F> Queue<F> {
    /// So many ranks, all to run.
    pub(crate) fn new(ranks: usize, standing: Standing) -> Queue<F> {
        let (ready, delayed) = ((0..ranks).collect(), VecDeque::new());
        let state = State { ready, delayed, standing, running: 0, idle: 0, ended: None };
        Queue { state: Mutex::new(state), available: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a rank runnable that was parked, or is about to be.
    pub(crate) fn wake(&self, rank: usize) {
        let mut state = self.lock();
        state.ready.push_back(rank);
        state.standing.woken(rank);
        if state.idle > 0 {
            drop(state);
            self.available.notify_one();
        }
    }

    /// Works until the run has ended: `turn` runs a rank for a turn. Before, `between` is told how many others wait for a worker. The run also ends when
    /// `interrupted` holds.
    pub(crate) fn work(
        &self,
        interrupted: impl Fn() -> bool,
        mut between: impl FnMut(usize),
        mut turn: impl FnMut(usize) -> Result<Stop, F>,
    ) {
        let unwinding = EndOnPanic(self);
        let mut state = self.lock();
        while let Some((locked, rank)) = self.next(state, &interrupted) {
            let others = locked.ready.len();
            drop(locked);
            between(others);
            let outcome = turn(rank);
            state = self.lock();
            state.running -= 1;
            match outcome {
                Ok(Stop::Yield | Stop::Before) => state.ready.push_back(rank),
                Ok(Stop::Delayed) => state.delayed.push_back(rank),
                Ok(stop @ (Stop::Parked | Stop::Stopped | Stop::Done)) => {
                    if let Some(group) = state.standing.stopped(rank, stop == Stop::Done) {
                        state.ended.get_or_insert(Ended::Stuck(group));
                    }
                }
                Err(failure) => {
                    state.ended.get_or_insert(Ended::Failed(failure));
                }
            }
        }
        std::mem::forget(unwinding);
    }

    /// The next rank to run; `None` when the run has ended.
    fn next<'q>(
        &'q self,
        mut state: MutexGuard<'q, State<F>>,
        interrupted: &impl Fn() -> bool,
    ) -> Option<(MutexGuard<'q, State<F>>, usize)> {
        loop {
            if state.ended.is_none() && interrupted() {
                state.ended = Some(Ended::Interrupted);
            }
            if state.ended.is_none() && state.ready.is_empty() && state.running == 0 {
                // Nobody runs, and no group is stuck.
                match state.delayed.pop_front() {
                    Some(rank) => state.ready.push_back(rank),
                    None => state.ended = Some(Ended::Done),
                }
            }
            if state.ended.is_some() {
                drop(state);
                self.available.notify_all();
                return None;
            }
            if let Some(rank) = state.ready.pop_front() {
                state.running += 1;
                return Some((state, rank));
            }
            state.idle += 1;
            state = self.available.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// How the run ended, when all workers have returned.
    pub(crate) fn ended(self) -> Ended<F> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).ended.unwrap_or(Ended::Done)
    }
}

/// Ends the run when its worker panics, so that the others do not wait for it. How it ended nobody learns: the panic goes on.
struct EndOnPanic<'q, F>(&'q Queue<F>);

impl<F> Drop for EndOnPanic<'_, F> {
    fn drop(&mut self) {
        self.0.lock().ended.get_or_insert(Ended::Interrupted);
        self.0.available.notify_all();
    }
}
