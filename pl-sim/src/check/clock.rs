//! Vector clocks: what a rank knows of the others.
//!
//! A rank's *epoch* counts its notifies in this launch, from 1. An access carries the epoch in which it was made. A notify releases
//! its epoch and all that the rank knows; a passed wait learns them. So an access of rank q in epoch e is ordered before a rank that knows
//! epoch e of q, or a later one.
//!
//! What a rank knows of the others is copied once and then shared by its notifies, until it learns something new.

use std::sync::Arc;

/// Who, when and where: one access of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The rank.
    pub(crate) rank: u32,
    /// Its epoch; 0: no access.
    pub(crate) epoch: u32,
    /// The instruction in its plan.
    pub(crate) pc: u32,
}

impl Stamp {
    /// No access.
    pub(crate) const NONE: Stamp = Stamp { rank: 0, epoch: 0, pc: 0 };

    /// Whether this stands for no access.
    pub(crate) const fn is_none(self) -> bool {
        self.epoch == 0
    }
}

/// What a rank knew of the others from one of its epochs on.
#[derive(Debug)]
pub(crate) struct Knowledge {
    /// The epoch of the first notify that released it.
    since: u32,
    /// Per rank, the last epoch that is known.
    epochs: Box<[u32]>,
}

/// What a notify releases.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    /// The epoch that it ends.
    pub(crate) epoch: u32,
    /// What the rank knew of the others; `None`: nothing.
    pub(crate) knowledge: Option<Arc<Knowledge>>,
}

/// The clock of one rank.
#[derive(Debug)]
pub(crate) struct Clock {
    rank: u32,
    ranks: usize,
    epoch: u32,
    /// Per rank, the last epoch that is known; empty until something is.
    known: Vec<u32>,
    /// The last copy of `known` that was released, while it is up to date.
    released: Option<Arc<Knowledge>>,
    /// How many notifies the rank has made.
    notifies: u64,
}

impl Clock {
    /// The clock of a rank at the start of a launch.
    pub(crate) const fn new(rank: usize, ranks: usize) -> Clock {
        Clock { rank: rank as u32, ranks, epoch: 1, known: Vec::new(), released: None, notifies: 0 }
    }

    /// The rank.
    pub(crate) const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The stamp of an access made now.
    pub(crate) const fn stamp(&self, pc: usize) -> Stamp {
        Stamp { rank: self.rank, epoch: self.epoch, pc: pc as u32 }
    }

    /// The epoch: that of the next notify.
    pub(crate) const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// How many notifies the rank has made in this launch.
    pub(crate) const fn notifies(&self) -> u64 {
        self.notifies
    }

    /// Per rank, the last epoch that is known; empty when none is of any.
    pub(crate) fn all_known(&self) -> &[u32] {
        &self.known
    }

    /// The last epoch of a rank that is known.
    pub(crate) fn known(&self, rank: u32) -> u32 {
        self.known.get(rank as usize).copied().unwrap_or(0)
    }

    /// Whether an access is ordered before what this rank does now: it is its own, or known.
    #[inline]
    pub(crate) fn follows(&self, stamp: Stamp) -> bool {
        stamp.rank == self.rank || stamp.epoch <= self.known(stamp.rank)
    }

    /// Whether the rank can notify once more: epochs are counted in 32 bits.
    pub(crate) const fn can_release(&self) -> bool {
        self.epoch < u32::MAX
    }

    /// Ends the epoch: what a notify carries.
    pub(crate) fn release(&mut self) -> Release {
        if self.released.is_none() && !self.known.is_empty() {
            self.released = Some(Arc::new(Knowledge { since: self.epoch, epochs: self.known.as_slice().into() }));
        }
        let release = Release { epoch: self.epoch, knowledge: self.released.clone() };
        self.pass();
        release
    }

    /// Ends the epoch with a notify that carries nothing: one to itself.
    pub(crate) const fn pass(&mut self) {
        self.epoch += 1;
        self.notifies += 1;
    }

    /// Learns what a notify of `rank` carried.
    pub(crate) fn acquire(&mut self, rank: u32, release: &Release) {
        let known = self.known(rank);
        if rank == self.rank || known >= release.epoch {
            return;
        }
        if self.known.is_empty() {
            self.known = vec![0; self.ranks];
        }
        self.released = None;
        // Who knows a later epoch of the rank knows all that the rank knew by then.
        if let Some(knowledge) = &release.knowledge
            && known < knowledge.since
        {
            for (mine, &theirs) in self.known.iter_mut().zip(&knowledge.epochs) {
                *mine = (*mine).max(theirs);
            }
        }
        self.known[rank as usize] = release.epoch;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowledge_travels_through_other_ranks() {
        let mut clocks: Vec<Clock> = (0..3).map(|r| Clock::new(r, 3)).collect();
        let write = clocks[0].stamp(7);
        let first = clocks[0].release();
        let later = clocks[0].stamp(8);
        assert!(!clocks[2].follows(write));
        clocks[1].acquire(0, &first);
        let second = clocks[1].release();
        clocks[2].acquire(1, &second);
        assert!(clocks[2].follows(write));
        assert!(!clocks[2].follows(later));
    }

    #[test]
    fn notifies_share_what_did_not_change() {
        let mut a = Clock::new(0, 2);
        let mut b = Clock::new(1, 2);
        a.acquire(1, &b.release());
        let (first, second) = (a.release().knowledge, a.release().knowledge);
        assert!(Arc::ptr_eq(first.as_ref().expect("some"), second.as_ref().expect("some")));
        a.acquire(1, &b.release());
        let third = a.release().knowledge;
        assert!(!Arc::ptr_eq(first.as_ref().expect("some"), third.as_ref().expect("some")));
    }

    #[test]
    fn each_notify_ends_an_epoch() {
        let mut a = Clock::new(0, 2);
        let mut b = Clock::new(1, 2);
        let first = a.release();
        let between = a.stamp(1);
        let second = a.release();
        b.acquire(0, &first);
        assert!(!b.follows(between));
        b.acquire(0, &second);
        assert!(b.follows(between));
    }
}
