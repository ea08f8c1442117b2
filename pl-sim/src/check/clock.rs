//! Vector clocks: what a rank knows of the others.
//!
//! A rank's *epoch* counts its notifies in this launch, from 1. An access carries the epoch in which it was made. A notify releases
//! its epoch and all that the rank knows; a passed wait learns them. So an access of rank q in epoch e is ordered before a rank that knows
//! epoch e of q, or a later one.
//!
//! What a rank knows of the others is copied once and then shared by its notifies, until it learns something new. What it learns from such a copy is not
//! joined at once, but when the rank releases its own, or is asked for what it does not know by itself: of the copies that all ranks of a barrier get from
//! all others, none has anything to say by then. To see that without looking at their entries, each notify has a *time*, which is later than that of every
//! notify that the rank had learnt from (Lamport, 1978). A copy that knows of no notify after some time says nothing to who has learnt from a notify
//! of each rank at that time or later. Among few ranks nothing of that is worth its cost: there a notify carries a copy of its own, so that two cores do not contend for
//! one that they share, and it is joined at once.

use smallvec::SmallVec;
use std::sync::Arc;

/// Among so many ranks all that a rank knows of the others goes with each notify, and is joined at once.
pub(super) const FEW: usize = 8;

/// Per rank, the last epoch that is known: of few ranks.
pub(crate) type Few = [u32; FEW];

/// Whether a launch of so many ranks has few.
pub(crate) const fn are_few(ranks: usize) -> bool {
    ranks <= FEW
}

/// Who, when and where: one access of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// How far the time of the notifies that release it is ahead of their epochs.
    ahead: u32,
    /// No notify that it knows of is later.
    latest: u32,
    /// The greatest of the epochs.
    greatest: u32,
    /// Per rank, the last epoch that is known.
    epochs: Box<[u32]>,
}

impl Knowledge {
    fn of(&self, rank: u32) -> u32 {
        self.epochs.get(rank as usize).copied().unwrap_or(0)
    }
}

/// What a notify tells of other ranks than its own.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// Nothing.
    Nothing,
    /// What the rank knew of them, where they are few.
    Few(Few),
    /// The same, in a copy that others share.
    Shared(Arc<Knowledge>),
}

impl Told {
    /// Whether both tell the same. Of shared copies that are not one it is not asked.
    pub(crate) fn is_same(&self, other: &Told) -> bool {
        match (self, other) {
            (Told::Nothing, Told::Nothing) => true,
            (Told::Few(one), Told::Few(other)) => one == other,
            (Told::Shared(one), Told::Shared(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// What a notify releases.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    /// The epoch that it ends.
    pub(crate) epoch: u32,
    /// What it tells.
    pub(crate) told: Told,
}

/// The time of a notify. Who knows nothing is not ahead; nor need times be told among few ranks.
fn time(epoch: u32, told: &Told) -> u32 {
    match told {
        Told::Shared(knowledge) => epoch.saturating_add(knowledge.ahead),
        Told::Nothing | Told::Few(_) => epoch,
    }
}

/// The clock of one rank.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone))]
pub(crate) struct Clock {
    rank: u32,
    ranks: usize,
    epoch: u32,
    /// How far the time of the next notify is ahead of its epoch.
    ahead: u32,
    /// The latest time of a notify that it learnt from.
    latest: u32,
    /// Per rank, the last epoch that is known, but for what the copies in `deferred` tell; empty until something is known. There are places for few ranks at least.
    known: SmallVec<Few>,
    /// Per rank, a time that is not later than that of the last notify that is known; the latest possible for the rank itself. Empty until something is
    /// deferred.
    times: Vec<u32>,
    /// What it learnt and did not join yet, the latest time of which it tells, and the greatest epoch.
    deferred: Vec<Arc<Knowledge>>,
    told: (u32, u32),
    /// The last copy of `known` that was released, while it is up to date.
    released: Option<Arc<Knowledge>>,
}

impl Clock {
    /// The clock of a rank at the start of a launch.
    #[cfg(test)]
    pub(crate) fn new(rank: usize, ranks: usize) -> Clock {
        let mut clock = Clock::default();
        clock.renew(rank, ranks);
        clock
    }

    /// Makes it the clock of a rank at the start of another launch, in the same memory.
    pub(crate) fn renew(&mut self, rank: usize, ranks: usize) {
        (self.rank, self.ranks) = (rank as u32, ranks);
        (self.epoch, self.ahead, self.latest) = (1, 0, 0);
        self.known.clear();
        self.times.clear();
        self.deferred.clear();
        self.told = (0, 0);
        self.released = None;
    }

    /// The bytes that it has for itself.
    pub(crate) fn held(&self) -> usize {
        (self.known.capacity() + self.times.capacity()) * 4 + self.deferred.capacity() * size_of::<Arc<Knowledge>>()
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
        self.epoch as u64 - 1
    }

    /// Per rank, the last epoch that is known; empty when none is of any.
    pub(crate) fn all_known(&mut self) -> &[u32] {
        self.join_deferred();
        self.known.get(..self.ranks).unwrap_or_default()
    }

    /// The last epoch of a rank that is known.
    pub(crate) fn known(&self, rank: u32) -> u32 {
        self.deferred.iter().fold(self.joined(rank), |known, knowledge| known.max(knowledge.of(rank)))
    }

    /// The last epoch of a rank that is known, but for what the copies tell that were not joined yet.
    #[inline]
    fn joined(&self, rank: u32) -> u32 {
        self.known.get(rank as usize).copied().unwrap_or(0)
    }

    /// The last epoch of a rank that is known, where it is that of a notify, which told this, or a later one; otherwise an earlier one.
    pub(crate) fn known_since(&self, notify: Stamp, told: &Told) -> u32 {
        let is_joined = self.deferred.is_empty() || time(notify.epoch, told) > self.told.0;
        if is_joined { self.joined(notify.rank) } else { self.known(notify.rank) }
    }

    /// Whether an access is ordered before what this rank does now: it is its own, or known.
    #[inline]
    pub(crate) fn follows(&self, stamp: Stamp) -> bool {
        stamp.rank == self.rank || stamp.epoch <= self.joined(stamp.rank) || self.was_told(stamp)
    }

    /// Whether a copy that was not joined yet tells of an access.
    #[cold]
    fn was_told(&self, stamp: Stamp) -> bool {
        stamp.epoch <= self.told.1 && self.deferred.iter().any(|knowledge| stamp.epoch <= knowledge.of(stamp.rank))
    }

    /// Whether the launch has few ranks: then each notify tells [`Few`].
    pub(crate) const fn has_few(&self) -> bool {
        are_few(self.ranks)
    }

    /// Whether the rank can notify once more: epochs are counted in 32 bits.
    pub(crate) const fn can_release(&self) -> bool {
        self.epoch < u32::MAX
    }

    /// Ends the epoch: what a notify carries.
    #[inline]
    pub(crate) fn release(&mut self) -> Release {
        let epoch = self.epoch;
        if let Some(told) = self.release_few() {
            return Release { epoch, told: Told::Few(told) };
        }
        if self.released.is_none() && !self.known.is_empty() {
            self.copy();
        }
        self.pass();
        Release { epoch, told: self.released.clone().map_or(Told::Nothing, Told::Shared) }
    }

    /// The same in a launch of few ranks: what a notify tells. Nothing is done in another one.
    #[inline]
    pub(crate) fn release_few(&mut self) -> Option<Few> {
        if !self.has_few() {
            return None;
        }
        self.pass();
        Some(self.known.first_chunk().copied().unwrap_or_default())
    }

    /// Copies what is known, to be released.
    #[cold]
    fn copy(&mut self) {
        self.join_deferred();
        self.released = Some(Arc::new(Knowledge {
            since: self.epoch,
            ahead: self.ahead,
            latest: self.latest,
            greatest: self.known.iter().copied().fold(0, u32::max),
            epochs: self.known[..self.ranks].into(),
        }));
    }

    /// Ends the epoch with a notify that carries nothing: one to itself.
    pub(crate) const fn pass(&mut self) {
        self.epoch += 1;
    }

    /// Learns what a notify of `rank` carried, in a launch of few ranks: the epoch that it ended, and what it told.
    #[inline]
    pub(crate) fn acquire_few(&mut self, rank: u32, epoch: u32, told: &Few) {
        if rank == self.rank || self.joined(rank) >= epoch {
            return;
        }
        if self.known.is_empty() {
            self.known.resize(FEW, 0);
        }
        let Some(known) = self.known.first_chunk_mut::<FEW>() else { return };
        for (mine, &theirs) in known.iter_mut().zip(told) {
            *mine = (*mine).max(theirs);
        }
        // Last: what was just changed alone cannot be read at once together with the others.
        known[rank as usize] = known[rank as usize].max(epoch);
    }

    /// Learns what a notify of `rank` carried.
    #[inline]
    pub(crate) fn acquire(&mut self, rank: u32, release: Release) {
        if let Told::Few(told) = &release.told {
            return self.acquire_few(rank, release.epoch, told);
        }
        let known = self.joined(rank);
        if rank == self.rank || known >= release.epoch {
            return;
        }
        if self.known.is_empty() {
            self.known.resize(self.ranks.max(FEW), 0);
        }
        self.known[rank as usize] = release.epoch;
        self.released = None;
        let time = time(release.epoch, &release.told);
        if let Some(known) = self.times.get_mut(rank as usize) {
            *known = time;
        }
        self.latest = self.latest.max(time);
        self.ahead = self.ahead.max(time.saturating_add(1).saturating_sub(self.epoch));
        let Told::Shared(knowledge) = release.told else { return };
        if self.times.is_empty() {
            self.times.resize(self.ranks, 0);
            self.times[self.rank as usize] = u32::MAX;
            self.times[rank as usize] = time;
        }
        // Who knows a later epoch of the rank knows all that the rank knew by then.
        if known < knowledge.since {
            self.told = (self.told.0.max(knowledge.latest), self.told.1.max(knowledge.greatest));
            self.deferred.push(knowledge);
        }
    }

    /// Learns what the copies tell that were not joined yet.
    fn join_deferred(&mut self) {
        if self.deferred.is_empty() {
            return;
        }
        let since = self.times.iter().copied().fold(u32::MAX, u32::min);
        for knowledge in self.deferred.drain(..) {
            // Times that are too late to be counted say nothing.
            if knowledge.latest <= since && knowledge.latest < u32::MAX {
                continue;
            }
            for (mine, &theirs) in self.known.iter_mut().zip(&knowledge.epochs) {
                *mine = (*mine).max(theirs);
            }
        }
        self.told = (0, 0);
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
        clocks[1].acquire(0, first);
        let second = clocks[1].release();
        clocks[2].acquire(1, second);
        assert!(clocks[2].follows(write));
        assert!(!clocks[2].follows(later));
    }

    /// Dense clocks that join at once.
    struct Plain {
        epochs: Vec<u32>,
        known: Vec<Vec<u32>>,
        releases: Vec<(usize, Release, Vec<u32>)>,
        clocks: Vec<Clock>,
    }

    impl Plain {
        fn release(&mut self, rank: usize) -> usize {
            let mut knows = self.known[rank].clone();
            knows[rank] = self.epochs[rank];
            self.epochs[rank] += 1;
            self.releases.push((rank, self.clocks[rank].release(), knows));
            self.releases.len() - 1
        }

        fn acquire(&mut self, rank: usize, release: usize) {
            let (from, release, knows) = self.releases[release].clone();
            if from != rank {
                self.clocks[rank].acquire(from as u32, release);
                self.known[rank].iter_mut().zip(knows).for_each(|(mine, theirs)| *mine = (*mine).max(theirs));
            }
        }

        fn agrees(&mut self, rank: usize, of: usize, random: &mut impl FnMut(usize) -> usize) {
            let known = self.known[rank][of];
            let clock = &self.clocks[rank];
            if rank == of {
                return;
            }
            assert_eq!(clock.known(of as u32), known);
            for epoch in known.saturating_sub(2).max(1)..known + 3 {
                assert_eq!(clock.follows(Stamp { rank: of as u32, epoch, pc: 0 }), epoch <= known);
            }
            let (from, release, _) = &self.releases[random(self.releases.len())];
            if *from != rank {
                let exact = self.known[rank][*from];
                let notify = Stamp { rank: *from as u32, epoch: release.epoch, pc: 0 };
                let found = clock.known_since(notify, &release.told);
                assert!(found == exact || found < exact && exact < release.epoch, "{found} of {exact}");
            }
            if random(20) == 0 {
                let mut all = self.clocks[rank].all_known().to_vec();
                all.resize(self.epochs.len(), 0);
                all[rank] = self.known[rank][rank];
                assert_eq!(all, self.known[rank]);
            }
        }
    }

    #[test]
    fn what_is_not_joined_at_once_is_known_all_the_same() {
        for seed in 1..200_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut random = |n: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state % n as u64) as usize
            };
            let ranks = 2 + random(2 * FEW);
            let mut plain = Plain {
                epochs: vec![1; ranks],
                known: vec![vec![0; ranks]; ranks],
                releases: vec![],
                clocks: (0..ranks).map(|rank| Clock::new(rank, ranks)).collect(),
            };
            for _ in 0..60 {
                let rank = random(ranks);
                match random(8) {
                    // All meet, in some order.
                    0 => {
                        let made: Vec<_> = (0..ranks * ranks).map(|n| plain.release(n / ranks)).collect();
                        for (n, release) in made.into_iter().enumerate().rev() {
                            plain.acquire(n % ranks, release);
                            plain.agrees(n % ranks, random(ranks), &mut random);
                        }
                    }
                    1..4 => drop(plain.release(rank)),
                    _ if plain.releases.is_empty() => {}
                    _ => {
                        let recent = random(plain.releases.len().min(12));
                        plain.acquire(rank, plain.releases.len() - 1 - recent);
                    }
                }
                if !plain.releases.is_empty() {
                    plain.agrees(rank, random(ranks), &mut random);
                }
            }
        }
    }

    /// Each rank of a barrier learns of every other by itself.
    #[test]
    fn what_all_tell_all_is_not_joined() {
        const RANKS: usize = 16;
        let mut clocks: Vec<Clock> = (0..RANKS).map(|rank| Clock::new(rank, RANKS)).collect();
        for _ in 0..4 {
            let all = |clock: &mut Clock| (0..RANKS).map(|_| clock.release()).collect::<Vec<_>>();
            let made: Vec<Vec<Release>> = clocks.iter_mut().map(all).collect();
            for (rank, clock) in clocks.iter_mut().enumerate() {
                made.iter().enumerate().for_each(|(from, to)| clock.acquire(from as u32, to[rank].clone()));
                let since = clock.times.iter().copied().min().unwrap_or(0);
                assert!(clock.deferred.iter().all(|knowledge| knowledge.latest <= since));
            }
        }
        assert_eq!(clocks[0].deferred.len(), RANKS - 1);
    }

    #[test]
    fn notifies_share_what_did_not_change() {
        let mut a = Clock::new(0, FEW + 1);
        let mut b = Clock::new(1, FEW + 1);
        a.acquire(1, b.release());
        let (first, second) = (a.release().told, a.release().told);
        assert!(first.is_same(&second));
        a.acquire(1, b.release());
        assert!(!first.is_same(&a.release().told));
    }

    #[test]
    fn each_notify_ends_an_epoch() {
        let mut a = Clock::new(0, 2);
        let mut b = Clock::new(1, 2);
        let first = a.release();
        let between = a.stamp(1);
        let second = a.release();
        b.acquire(0, first);
        assert!(!b.follows(between));
        b.acquire(0, second);
        assert!(b.follows(between));
    }
}
