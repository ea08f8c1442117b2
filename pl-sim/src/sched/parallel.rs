//! Worker threads that take ranks from one [queue](super::queue). The calling thread is the first worker; those of the [crew](super::crew) join when the
//! launch is large enough to be worth waking them.

use super::crew::{Crew, Shift};
use super::queue::{At, Queue, Work};
use super::{Ended, Ranks, Schedule, Stop};
use crate::machine::{Halt, Turn, Wake};
use crate::shared::lend;
use std::time::Duration;

/// A launch that touches this many bytes asks the crew at once. Half of that takes as long with help as without: a worker that is parked comes too late.
const LARGE: usize = 4 << 20;
/// A launch that is still busy after this time asks it then, if its turns are long.
const LONG: Duration = Duration::from_micros(150);
/// Turns that take less than this on average are mostly signals: they cost more when they go to and fro between threads.
const LONG_TURN: Duration = Duration::from_micros(3);
/// The same for turns that are long because they are full of signals: so little time for each.
const LONG_SIGNAL: Duration = Duration::from_nanos(500);
/// After so many turns it looks at the time.
const LOOK: u32 = 16;

/// The scheduler: who may help, and how many threads may run ranks.
pub(crate) struct Parallel<'c> {
    pub(crate) crew: &'c Crew,
    pub(crate) threads: usize,
}

impl Wake for At<'_, Box<Halt>> {
    fn wake(&self, call: usize) {
        At::wake(self, call);
    }

    fn finds_notes(&self, call: usize) -> bool {
        At::finds_notes(self, call)
    }

    fn noted(&self, call: usize) {
        At::noted(self, call);
    }
}

impl Schedule for Parallel<'_> {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        let count = ranks.machines.len();
        let queue = Queue::new(count, ranks.groups.start());
        let helpers = self.threads.min(count).saturating_sub(1);
        let mut asked = false;
        let joined = lend(self.crew, &|| queue.work(&mut Worker { ranks, queue: &queue, crew: self.crew }), |shift| {
            let worker = Worker { ranks, queue: &queue, crew: self.crew };
            let mut leader = Leader { worker, shift, helpers, asked: false, turns: 0, signals: 0 };
            if ranks.bytes >= LARGE {
                leader.ask();
            }
            queue.lead(&mut leader);
            asked = leader.asked;
        });
        let late = if asked { ranks.settle() } else { None };
        let ended = match (queue.ended(), late) {
            (Ended::Done | Ended::Stuck(_), Some(halt)) => Ended::Failed(halt),
            (ended, _) => ended,
        };
        (ended, 1 + joined)
    }
}

/// A worker of the crew.
struct Worker<'w, 'l, 'a> {
    ranks: &'w Ranks<'l, 'a>,
    queue: &'w Queue<Box<Halt>>,
    crew: &'w Crew,
}

impl Work<Box<Halt>> for Worker<'_, '_, '_> {
    fn interrupted(&self) -> bool {
        self.ranks.interrupted()
    }

    fn looks(&self) -> bool {
        self.crew.looks()
    }

    fn before(&mut self, _others: usize) {}

    fn turn(&mut self, rank: usize, short: bool, at: &At<'_, Box<Halt>>) -> Result<Stop, Box<Halt>> {
        self.run(rank, short, &mut 0, at)
    }

    fn collect(&self, rank: usize) -> bool {
        self.ranks.machine(rank).collect()
    }
}

impl Worker<'_, '_, '_> {
    /// Runs a rank for a turn, and counts the notifies and waits that it executes.
    fn run(&self, rank: usize, short: bool, signals: &mut u64, at: &At<'_, Box<Halt>>) -> Result<Stop, Box<Halt>> {
        const TURN: Turn = Turn { fuel: 1 << 13, visible: u32::MAX, enters: false };
        const SHORT: Turn = Turn { fuel: 16, ..TURN };
        let mut machine = self.ranks.machine(rank);
        let before = machine.signals();
        let outcome = machine.run(self.ranks.env, at, if short { SHORT } else { TURN });
        *signals += machine.signals() - before;
        outcome
    }
}

/// The worker that is the calling thread.
struct Leader<'w, 'l, 'a> {
    worker: Worker<'w, 'l, 'a>,
    shift: &'w Shift<'w>,
    /// How many helpers there may be.
    helpers: usize,
    /// Whether it has asked for help.
    asked: bool,
    turns: u32,
    /// How many notifies and waits it executed.
    signals: u64,
}

impl Leader<'_, '_, '_> {
    /// Asks for help; it may be asked only once.
    fn ask(&mut self) {
        let workers = self.shift.available(std::mem::take(&mut self.helpers));
        if workers > 0 {
            self.asked = true;
            self.worker.ranks.share();
            self.worker.queue.share();
            self.worker.queue.expect(1 + workers);
            self.shift.ask(workers);
        }
    }
}

impl Work<Box<Halt>> for Leader<'_, '_, '_> {
    fn interrupted(&self) -> bool {
        self.worker.interrupted()
    }

    fn looks(&self) -> bool {
        self.worker.looks()
    }

    fn before(&mut self, others: usize) {
        self.turns = self.turns.saturating_add(1);
        if self.helpers == 0 || others == 0 || !self.turns.is_multiple_of(LOOK) {
            return;
        }
        let elapsed = self.worker.ranks.start.elapsed();
        if elapsed > LONG
            && elapsed > LONG_TURN * self.turns
            && elapsed > LONG_SIGNAL * u32::try_from(self.signals).unwrap_or(u32::MAX)
        {
            self.ask();
        }
    }

    fn turn(&mut self, rank: usize, short: bool, at: &At<'_, Box<Halt>>) -> Result<Stop, Box<Halt>> {
        self.worker.run(rank, short, &mut self.signals, at)
    }

    fn collect(&self, rank: usize) -> bool {
        self.worker.collect(rank)
    }
}
