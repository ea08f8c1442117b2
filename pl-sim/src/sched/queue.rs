//! The queue from which workers take ranks: who is to run, how many run, and when the run has ended. `tests/loom` model-checks this file as it is.

use super::groups::Standing;
use super::news::News;
use crate::sync::{Mutex, MutexGuard};
use smallvec::{SmallVec, smallvec};
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
    /// A rank is to run, or the run has ended.
    news: News,
}

struct State<F> {
    /// Per worker, the ranks that are to run and that it ran last, whose data its core may still have. At first, all are the first worker's.
    ready: SmallVec<[VecDeque<usize>; 2]>,
    /// How many are to run.
    waiting: usize,
    /// Which worker ran each rank last.
    ran: Box<[u32]>,
    /// How many workers came.
    workers: usize,
    /// Ranks that an injected fault put aside.
    delayed: VecDeque<usize>,
    standing: Standing,
    /// Workers that run a rank now.
    running: usize,
    ended: Option<Ended<F>>,
}

/// What a worker asks and does between the turns.
pub(crate) trait Work<F> {
    /// Whether the run is to end.
    fn interrupted(&self) -> bool;
    /// Whether there is a core for a worker to look out for ranks, when it has none.
    fn looks(&self) -> bool;
    /// Called before each turn, with how many other ranks wait for a worker.
    fn before(&mut self, others: usize);
    /// Runs a rank for a turn.
    fn turn(&mut self, rank: usize) -> Result<Stop, F>;
}

impl<F> State<F> {
    /// A rank is to run.
    fn push(&mut self, rank: usize) {
        self.ready[self.ran[rank] as usize].push_back(rank);
        self.waiting += 1;
    }

    /// A rank for a worker: one that it ran last, or else the last one of the worker with the most.
    fn pop(&mut self, worker: usize) -> Option<usize> {
        let rank = match self.ready[worker].pop_front() {
            None if self.waiting > 0 => self.ready.iter_mut().max_by_key(|ready| ready.len())?.pop_back(),
            own => own,
        }?;
        self.waiting -= 1;
        self.ran[rank] = worker as u32;
        Some(rank)
    }
}

impl<F> Queue<F> {
    /// So many ranks, all to run.
    pub(crate) fn new(ranks: usize, standing: Standing) -> Queue<F> {
        let state = State {
            ready: smallvec![(0..ranks).collect()],
            waiting: ranks,
            ran: vec![0; ranks].into(),
            workers: 0,
            delayed: VecDeque::new(),
            standing,
            running: 0,
            ended: None,
        };
        Queue { state: Mutex::new(state), news: News::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a rank runnable that was parked, or is about to be.
    pub(crate) fn wake(&self, rank: usize) {
        let mut state = self.lock();
        state.push(rank);
        state.standing.woken(rank);
        let wakes = self.news.tell(state.waiting);
        drop(state);
        self.news.wake(wakes);
    }

    /// Works until the run has ended.
    pub(crate) fn work(&self, work: &mut impl Work<F>) {
        let unwinding = EndOnPanic(self);
        let mut state = self.lock();
        let worker = state.workers;
        state.workers += 1;
        if state.ready.len() <= worker {
            state.ready.resize_with(worker + 1, VecDeque::new);
        }
        while let Some((locked, rank)) = self.next(state, worker, work) {
            let others = locked.waiting;
            drop(locked);
            work.before(others);
            let outcome = work.turn(rank);
            state = self.lock();
            state.running -= 1;
            match outcome {
                Ok(Stop::Yield | Stop::Before) => state.push(rank),
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

    /// The next rank for a worker; `None` when the run has ended.
    fn next<'q>(
        &'q self,
        mut state: MutexGuard<'q, State<F>>,
        worker: usize,
        work: &mut impl Work<F>,
    ) -> Option<(MutexGuard<'q, State<F>>, usize)> {
        loop {
            if state.ended.is_none() && work.interrupted() {
                state.ended = Some(Ended::Interrupted);
            }
            if state.ended.is_none() && state.waiting == 0 && state.running == 0 {
                // Nobody runs, and no group is stuck.
                match state.delayed.pop_front() {
                    Some(rank) => state.push(rank),
                    None => state.ended = Some(Ended::Done),
                }
            }
            if state.ended.is_some() {
                self.tell_end(state);
                return None;
            }
            if let Some(rank) = state.pop(worker) {
                state.running += 1;
                return Some((state, rank));
            }
            state = self.news.wait(&self.state, state, work.looks());
        }
    }

    fn tell_end(&self, state: MutexGuard<'_, State<F>>) {
        let wakes = self.news.tell(usize::MAX);
        drop(state);
        self.news.wake(wakes);
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
        let mut state = self.0.lock();
        state.ended.get_or_insert(Ended::Interrupted);
        self.0.tell_end(state);
    }
}
