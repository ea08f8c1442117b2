//! What a rank did last, for reports: the collectives that it entered, its notifies, and its waits that passed.

use crate::check::clock::Stamp;
use crate::recent::Recent;

/// How many of each are kept.
const LIMIT: usize = 64;

/// A collective that a rank entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnteredOne {
    /// The domain: its number in the launch.
    pub(crate) domain: usize,
    /// Which of the domain's collectives it is, from 1.
    pub(crate) number: u64,
    /// The rank's epoch when it entered.
    pub(crate) epoch: u32,
    /// The instruction by which it entered.
    pub(crate) pc: usize,
}

/// What a rank did last.
#[derive(Debug)]
pub(crate) struct Trail {
    /// Whether the rank is in the collective that it entered last.
    inside: bool,
    collectives: Recent<EnteredOne>,
    /// Its notifies.
    notifies: Recent<Stamp>,
    /// Its waits that passed, each with the last notify that it learnt from.
    waits: Recent<(Stamp, Stamp)>,
    /// Its last `pl::read` of a cell that found what a notify had made of it, and did not order it: the instruction.
    polled: Option<usize>,
    /// Its last wait that passed without learning from a notify.
    idle: Option<usize>,
}

impl Default for Trail {
    fn default() -> Trail {
        let (collectives, notifies, waits) = (Recent::new(LIMIT), Recent::new(LIMIT), Recent::new(LIMIT));
        Trail { inside: false, collectives, notifies, waits, polled: None, idle: None }
    }
}

impl Trail {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        let Trail { inside, collectives, notifies, waits, polled, idle } = self;
        (*inside, *polled, *idle) = (false, None, None);
        collectives.clear();
        notifies.clear();
        waits.clear();
    }

    /// The bytes of what it keeps.
    pub(crate) fn held(&self) -> usize {
        self.collectives.held() + self.notifies.held() + self.waits.held()
    }

    /// The rank enters a collective.
    pub(crate) fn enter(&mut self, collective: EnteredOne) {
        self.inside = true;
        self.collectives.push(collective);
    }

    /// The rank leaves the collective that it is in.
    pub(crate) const fn leave(&mut self) {
        self.inside = false;
    }

    /// The rank notifies.
    pub(crate) fn notify(&mut self, stamp: Stamp) {
        self.notifies.push(stamp);
    }

    /// A wait of the rank passed, and learnt from a notify, if any.
    pub(crate) fn wait(&mut self, wait: Stamp, from: Option<Stamp>) {
        match from {
            Some(from) => self.waits.push((wait, from)),
            None => self.idle = Some(wait.pc as usize),
        }
    }

    /// The rank read a cell, and what it found a notify made that is not ordered before.
    pub(crate) const fn poll(&mut self, pc: usize) {
        self.polled = Some(pc);
    }

    /// The instruction of the last such read.
    pub(crate) const fn polled(&self) -> Option<usize> {
        self.polled
    }

    /// The instruction of the last wait that learnt nothing.
    pub(crate) const fn idle(&self) -> Option<usize> {
        self.idle
    }

    /// The notify that ended an epoch, when it is still known.
    pub(crate) fn notify_in(&self, epoch: u32) -> Option<Stamp> {
        self.notifies.backwards().copied().find(|notify| notify.epoch == epoch)
    }

    /// Its waits up to an epoch that learnt from a notify, the last first, each with that notify.
    pub(crate) fn waits(&self, until: u32) -> impl Iterator<Item = (Stamp, Stamp)> + '_ {
        self.waits.backwards().copied().filter(move |(wait, _)| wait.epoch <= until)
    }

    /// The collectives that the rank entered, the last first.
    pub(crate) fn collectives(&self) -> impl Iterator<Item = EnteredOne> + '_ {
        self.collectives.backwards().copied()
    }

    /// Whether the rank is in a collective.
    pub(crate) const fn is_inside(&self) -> bool {
        self.inside
    }
}
