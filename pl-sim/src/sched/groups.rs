//! Which ranks of a launch could wake one another: those that have a window in common, directly or through others. A group of which no rank can run is
//! stuck, whatever the other groups do.

use smallvec::{SmallVec, smallvec};

/// Something of each call of a launch: see `PerCall` in `env.rs`.
type PerCall = SmallVec<[u32; 8]>;

/// The group of each call.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    of: PerCall,
    count: usize,
}

/// How the groups stand.
#[derive(Debug)]
pub(crate) struct Standing {
    /// The group of each call.
    of: PerCall,
    groups: SmallVec<[Members; 2]>,
}

/// How the ranks of a group stand.
#[derive(Clone, Copy, Debug, Default)]
struct Members {
    /// Those that run or are to run.
    active: u32,
    /// Those that are not done.
    alive: u32,
}

/// Calls, of which it is told who is together.
#[derive(Debug)]
pub(crate) struct Together {
    /// Per call, one that it is together with and that came before; of the first of a group, itself.
    parent: PerCall,
}

/// The first call of a group.
fn first(parent: &mut [u32], mut call: usize) -> usize {
    while parent[call] as usize != call {
        parent[call] = parent[parent[call] as usize];
        call = parent[call] as usize;
    }
    call
}

impl Together {
    /// So many calls, all apart.
    pub(crate) fn new(calls: usize) -> Together {
        Together { parent: (0..calls as u32).collect() }
    }

    /// Two calls are together.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let parent = &mut *self.parent;
        let (a, b) = (first(parent, a), first(parent, b));
        parent[a.max(b)] = a.min(b) as u32;
    }

    /// The groups.
    pub(crate) fn groups(mut self) -> Groups {
        let mut count = 0;
        // The first call of a group has the least number, so each finds the group of the one before it.
        for call in 0..self.parent.len() {
            let before = self.parent[call] as usize;
            self.parent[call] = if before == call { count } else { self.parent[before] };
            count += u32::from(before == call);
        }
        Groups { of: self.parent, count: count as usize }
    }
}

impl Groups {
    /// The groups of so many calls, of which some are together: each item names two.
    #[cfg(test)]
    pub(crate) fn new(calls: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Groups {
        let mut together = Together::new(calls);
        pairs.into_iter().for_each(|(a, b)| together.join(a, b));
        together.groups()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The group of a call.
    pub(crate) fn of(&self, call: usize) -> u32 {
        self.of[call]
    }

    /// All are to run.
    pub(crate) fn start(&self) -> Standing {
        let mut groups: SmallVec<[Members; 2]> = smallvec![Members::default(); self.count];
        for group in &self.of {
            let members = &mut groups[*group as usize];
            *members = Members { active: members.active + 1, alive: members.alive + 1 };
        }
        Standing { of: SmallVec::from_slice(&self.of), groups }
    }
}

impl Standing {
    /// A rank was woken.
    pub(crate) fn woken(&mut self, call: usize) {
        self.groups[self.of[call] as usize].active += 1;
    }

    /// A rank parked, or is done. Its group, when that is stuck now.
    ///
    /// A rank may be woken before it is told that it parked: it counts twice in between.
    pub(crate) fn stopped(&mut self, call: usize, done: bool) -> Option<u32> {
        let group = self.of[call];
        let members = &mut self.groups[group as usize];
        members.active -= 1;
        members.alive -= u32::from(done);
        self.is_stuck(group).then_some(group)
    }

    /// Whether all ranks are done.
    pub(crate) fn are_done(&self) -> bool {
        self.groups.iter().all(|members| members.alive == 0)
    }

    /// Whether none of a group can run, and not all of it are done.
    pub(crate) fn is_stuck(&self, group: u32) -> bool {
        let Members { active, alive } = self.groups[group as usize];
        active == 0 && alive > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_what_is_connected() {
        let groups = Groups::new(7, [(5, 2), (0, 3), (2, 4), (3, 3), (4, 5)]);
        assert_eq!(groups.count(), 4);
        assert_eq!((0..7).map(|call| groups.of(call)).collect::<Vec<_>>(), [0, 1, 2, 0, 2, 2, 3]);
    }

    #[test]
    fn a_group_is_stuck_when_none_of_it_can_run() {
        let mut standing = Groups::new(4, [(0, 1), (2, 3)]).start();
        assert_eq!(standing.stopped(2, true), None);
        assert_eq!(standing.stopped(0, false), None);
        standing.woken(0);
        assert_eq!(standing.stopped(1, false), None);
        assert_eq!(standing.stopped(0, false), Some(0));
        assert_eq!(standing.stopped(3, true), None);
    }
}
