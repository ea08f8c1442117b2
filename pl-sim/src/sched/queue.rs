//! The queue from which workers take ranks: who is to run, how many run, and when the run has ended. `tests/loom` model-checks this file as it is.

use super::groups::Standing;
use super::mail::{Mail, Seen};
use super::news::News;
use crate::sync::{Lock, Locked};
use smallvec::{SmallVec, smallvec};
use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;

/// How often a worker without ranks looks out for one of its own before it takes the single rank of another worker, and how many of these count when there is nothing new for as
/// long as it looks. Where cores share no cache the data of a rank that moves costs as much as several turns.
const PATIENCE: u32 = 8;
const SILENCE: u32 = 2;
/// How many short turns ranks of workers that are yet to come have with others, at most: one that is busy with another launch may never come.
const SHORT_TURNS: u32 = 256;

/// How a turn ended. As large as what a rank fails with in its place: so both are passed in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
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
    state: Lock<State<F>>,
    /// A rank is to run, or the run has ended.
    news: News,
    /// How many ranks there are.
    ranks: usize,
    mail: Mail,
}

/// The queue as a worker has it.
pub(crate) struct At<'q, F> {
    queue: &'q Queue<F>,
    worker: usize,
    /// Whether a rank left a note in this turn.
    noted: Cell<bool>,
}

impl<F> At<'_, F> {
    /// Makes a rank runnable that was parked, or is about to be.
    pub(crate) fn wake(&self, rank: usize) {
        self.queue.wake(rank);
    }

    /// Whether another worker will find a note that is left for a rank, if it is told.
    #[inline]
    pub(crate) fn finds_notes(&self, rank: usize) -> bool {
        let Queue { mail, ranks, .. } = self.queue;
        !mail.is_idle() && mail.finder(self.worker, rank, *ranks).is_some()
    }

    /// Tells it that a note was left.
    #[inline]
    pub(crate) fn noted(&self, rank: usize) {
        self.noted.set(true);
        if let Some(finder) = self.queue.mail.finder(self.worker, rank, self.queue.ranks) {
            self.queue.mail.tell(finder, self.worker);
        }
    }
}

struct State<F> {
    /// The workers: those that came, the leader first, and those that are expected.
    seats: SmallVec<[Seat; 2]>,
    /// How many came.
    came: usize,
    /// How many short turns there may be.
    short_turns: u32,
    /// How many ranks there are, and how many are to run.
    ranks: usize,
    waiting: usize,
    /// Ranks that an injected fault put aside.
    delayed: VecDeque<usize>,
    standing: Standing,
    /// How often each rank parked, less how often it was woken: a rank may be woken before it is told that it parked.
    parked: SmallVec<[i8; 8]>,
    /// Workers that run a rank now.
    running: usize,
    ended: Option<Ended<F>>,
}

/// A worker, and the ranks whose home it is: neighbours, the same ones in every launch once all workers came, so that their data stays in the caches of its
/// core.
#[derive(Default)]
struct Seat {
    /// Those that are to run, and those of others that it ran last and that were not parked since.
    ready: VecDeque<usize>,
    /// Whether the worker is about to take them: it runs a rank now, or looks out for one.
    coming: bool,
}

/// What a worker asks and does between the turns.
pub(crate) trait Work<F> {
    /// Whether the run is to end.
    fn interrupted(&self) -> bool;
    /// Whether there is a core for a worker to look out for ranks, when it has none.
    fn looks(&self) -> bool;
    /// Called before each turn, with how many other ranks wait for a worker.
    fn before(&mut self, others: usize);
    /// Runs a rank for a turn; a short one is for its signals and not for its data.
    fn turn(&mut self, rank: usize, short: bool, at: &At<'_, F>) -> Result<Stop, F>;
    /// Whether notes satisfied the wait on which a rank is parked, so that it can go on.
    fn collect(&self, rank: usize) -> bool;
}

/// What a worker does next.
enum Next {
    /// It runs this rank.
    Rank(usize),
    /// It has none to run. `looks` tells whether there is a core for it to look out for one.
    None { looks: bool },
    /// The run has ended.
    Ended,
}

impl<F> State<F> {
    /// The worker whose a rank is.
    fn home(&self, rank: usize) -> usize {
        if self.seats.len() == 1 { 0 } else { rank * self.seats.len() / self.ranks }
    }

    /// A rank that was parked is to run.
    fn wake(&mut self, rank: usize) {
        self.push(rank);
        self.standing.woken(rank);
        self.parked[rank] -= 1;
    }

    /// Wakes those of the ranks that notes let go on; whether there are any.
    fn collect(&mut self, ranks: Range<usize>, work: &impl Work<F>) -> bool {
        let before = self.waiting;
        for rank in ranks {
            if self.parked[rank] > 0 && work.collect(rank) {
                self.wake(rank);
            }
        }
        self.waiting > before
    }

    /// The ranks whose home a worker is.
    fn ranks_of(&self, worker: usize) -> Range<usize> {
        let first = |worker: usize| (worker * self.ranks).div_ceil(self.seats.len());
        first(worker)..first(worker + 1).min(self.ranks)
    }

    /// A rank is to run.
    fn push(&mut self, rank: usize) {
        let home = self.home(rank);
        self.seats[home].ready.push_back(rank);
        self.waiting += 1;
    }

    /// A rank goes on where it ran.
    fn keep(&mut self, worker: usize, rank: usize) {
        self.seats[worker].ready.push_back(rank);
        self.waiting += 1;
    }

    /// There will be so many workers: some ranks move to those that come.
    fn expect(&mut self, workers: usize) {
        if workers <= self.seats.len() {
            return;
        }
        self.seats.resize_with(workers, Seat::default);
        // All are taken out before any has its new home: one that moved must not move again.
        let ready: Vec<usize> = self.seats.iter_mut().flat_map(|seat| std::mem::take(&mut seat.ready)).collect();
        self.waiting = 0;
        ready.into_iter().for_each(|rank| self.push(rank));
    }

    /// One more worker comes. Gives its number.
    fn join(&mut self) -> usize {
        self.came += 1;
        self.expect(self.came);
        self.came - 1
    }

    /// Whether a rank that is about to run waits for its own worker, who will soon be there and has its data in the caches of its core.
    fn is_away(&mut self, rank: usize) -> bool {
        let away = self.home(rank) >= self.came && self.short_turns > 0;
        self.short_turns -= u32::from(away);
        away
    }

    /// A rank for a worker: one of its own, or else the last one of the worker with the most. A patient one leaves a single rank to a worker that is about to
    /// take it.
    fn pop(&mut self, worker: usize, patient: bool) -> Option<usize> {
        let is_free = |seat: &&mut Seat| !patient || !seat.coming || seat.ready.len() > 1;
        let rank = match self.seats[worker].ready.pop_front() {
            None if self.waiting > 0 => {
                self.seats.iter_mut().filter(is_free).max_by_key(|seat| seat.ready.len())?.ready.pop_back()
            }
            own => own,
        }?;
        self.waiting -= 1;
        Some(rank)
    }
}

impl<F> Queue<F> {
    /// So many ranks, all to run.
    pub(crate) fn new(ranks: usize, standing: Standing) -> Queue<F> {
        let state = State {
            seats: smallvec![Seat { ready: (0..ranks).collect(), coming: true }],
            came: 1,
            short_turns: SHORT_TURNS,
            ranks,
            waiting: ranks,
            delayed: VecDeque::new(),
            standing,
            parked: smallvec![0; ranks],
            running: 0,
            ended: None,
        };
        Queue { state: Lock::new(state), news: News::default(), ranks, mail: Mail::default() }
    }

    /// From now on several threads work. Only the leader did when this is called.
    pub(crate) fn share(&self) {
        self.state.share();
    }

    /// So many workers will work, of whom the leader is one.
    pub(crate) fn expect(&self, workers: usize) {
        self.lock().expect(workers);
    }

    fn lock(&self) -> Locked<'_, State<F>> {
        self.state.lock()
    }

    /// Makes a rank runnable that was parked, or is about to be.
    pub(crate) fn wake(&self, rank: usize) {
        let mut state = self.lock();
        state.wake(rank);
        let wakes = self.news.tell(state.waiting);
        drop(state);
        self.news.wake(wakes);
    }

    /// Wakes those of the ranks that notes let go on, and parked workers for them; whether there are any.
    fn collect(&self, state: &mut State<F>, ranks: Range<usize>, work: &impl Work<F>) -> bool {
        let any = state.collect(ranks, work);
        if any && self.mail.is_idle() {
            let wakes = self.news.tell(state.waiting);
            self.news.wake(wakes);
        }
        any
    }

    /// Works until the run has ended, as the leader.
    pub(crate) fn lead(&self, work: &mut impl Work<F>) {
        self.work_at(0, work);
    }

    /// Works until the run has ended, beside the leader.
    pub(crate) fn work(&self, work: &mut impl Work<F>) {
        let mut state = self.lock();
        let worker = state.join();
        self.mail.all_came(if state.came == state.seats.len() { state.came } else { 0 });
        drop(state);
        self.work_at(worker, work);
    }

    fn work_at(&self, worker: usize, work: &mut impl Work<F>) {
        let unwinding = EndOnPanic(self);
        let at = At { queue: self, worker, noted: Cell::new(false) };
        let (mut seen, mut patience) = (Seen::default(), PATIENCE);
        // Behind the guard, so that a panic lets go of the lock before the guard takes it. It stays where it is from turn to turn: to move one costs a stall.
        let mut state = self.lock();
        loop {
            let rank = match self.next(&mut state, worker, (&mut seen, patience), work) {
                Next::Rank(rank) => rank,
                Next::None { looks } => {
                    state = self.idle(state, worker, (&seen, &mut patience), looks, work);
                    continue;
                }
                Next::Ended => break,
            };
            patience = PATIENCE;
            let (others, away) = (state.waiting, state.is_away(rank));
            drop(state);
            work.before(others);
            let outcome = work.turn(rank, away, &at);
            state = self.lock();
            state.running -= 1;
            if at.noted.take() && self.mail.is_idle() {
                self.collect(&mut state, 0..self.ranks, work);
            }
            match outcome {
                Ok(Stop::Yield | Stop::Before) if away => state.push(rank),
                Ok(Stop::Yield | Stop::Before) => state.keep(worker, rank),
                Ok(Stop::Delayed) => state.delayed.push_back(rank),
                Ok(stop @ (Stop::Parked | Stop::Stopped | Stop::Done)) => {
                    let stuck = state.standing.stopped(rank, stop == Stop::Done);
                    state.parked[rank] += i8::from(stop == Stop::Parked);
                    if stuck.is_some() {
                        // Notes may let some of them go on.
                        self.collect(&mut state, 0..self.ranks, work);
                    } else if state.home(rank) != worker {
                        // Its own worker may have looked for notes before it knew that it is parked.
                        self.collect(&mut state, rank..rank + 1, work);
                    }
                    if let Some(group) = stuck.filter(|group| state.standing.is_stuck(*group)) {
                        state.ended.get_or_insert(Ended::Stuck(group));
                    }
                }
                Err(failure) => {
                    state.ended.get_or_insert(Ended::Failed(failure));
                }
            }
        }
        self.tell_end(state);
        std::mem::forget(unwinding);
    }

    /// The next rank for a worker.
    fn next(
        &self,
        state: &mut State<F>,
        worker: usize,
        (seen, patience): (&mut Seen, u32),
        work: &mut impl Work<F>,
    ) -> Next {
        if self.mail.has_news(worker, seen) {
            self.mail.see(worker, seen);
            let ranks = state.ranks_of(worker);
            self.collect(state, ranks, work);
        }
        if state.ended.is_none() && work.interrupted() {
            state.ended = Some(Ended::Interrupted);
        }
        if state.ended.is_none() && state.waiting == 0 && state.running == 0 {
            // Nobody runs, and no group is stuck.
            match state.delayed.pop_front() {
                Some(rank) => state.push(rank),
                None => {
                    assert!(state.standing.are_done(), "a rank is left behind");
                    state.ended = Some(Ended::Done);
                }
            }
        }
        if state.ended.is_some() {
            return Next::Ended;
        }
        let looks = work.looks();
        let rank = state.pop(worker, patience > 0 && looks);
        state.seats[worker].coming = rank.is_some() || looks;
        match rank {
            Some(rank) => {
                state.running += 1;
                Next::Rank(rank)
            }
            None => Next::None { looks },
        }
    }

    /// Looks out for a rank, or parks until there may be one.
    fn idle<'q>(
        &'q self,
        mut state: Locked<'q, State<F>>,
        worker: usize,
        (seen, patience): (&Seen, &mut u32),
        looks: bool,
        work: &impl Work<F>,
    ) -> Locked<'q, State<F>> {
        if looks {
            let news;
            (state, news) = self.news.look(&self.state, state, || self.mail.has_news(worker, seen));
            *patience = patience.saturating_sub(if news { 1 } else { SILENCE });
            if news || state.waiting > 0 {
                return state;
            }
            state.seats[worker].coming = false;
        }
        // From now on no notes are left, but by those that do not know it yet.
        self.mail.set_idle(true);
        if !self.collect(&mut state, 0..self.ranks, work) {
            state = self.news.park(state);
        }
        self.mail.set_idle(self.news.are_parked());
        state
    }

    fn tell_end(&self, state: Locked<'_, State<F>>) {
        let wakes = self.news.tell(usize::MAX);
        drop(state);
        self.news.wake(wakes);
    }

    /// How the run ended, when all workers have returned.
    pub(crate) fn ended(self) -> Ended<F> {
        self.state.into_inner().ended.unwrap_or(Ended::Done)
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
