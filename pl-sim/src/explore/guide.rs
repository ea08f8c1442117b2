//! Guides that need no memory of earlier schedules: chance, priorities, and a schedule to follow.

use super::run::Guide;
use super::schedule::{Print, Schedule};
use crate::sched::random::Random;
use std::ops::Range;

/// At each choice any rank that can go on; in some schedules the one that ran last is kept more often than others.
pub(super) struct Chance {
    random: Random,
    /// One in so many choices may change the rank.
    patience: usize,
}

impl Chance {
    pub(super) fn new(mut random: Random) -> Chance {
        // Changes at every op find most surprises; rare ones find those that need a rank to run far ahead.
        const PATIENCE: [usize; 6] = [1, 1, 1, 2, 4, 16];
        let patience = PATIENCE[random.below(PATIENCE.len())];
        Chance { random, patience }
    }
}

impl Guide for Chance {
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32 {
        if let Some(last) = last.filter(|last| ready.contains(last))
            && self.patience > 1
            && self.random.below(self.patience) > 0
        {
            return last;
        }
        ready[self.random.below(ready.len())]
    }
}

/// The rank with the greatest priority runs. At a few moments the one that would run falls behind all others.
pub(super) struct Priorities {
    random: Random,
    /// Per call. Who fell behind has one below those that did not.
    priorities: Vec<u64>,
    /// The steps before which the rank that would run falls behind, in falling order.
    changes: Vec<u64>,
    step: u64,
}

impl Priorities {
    /// The most moments at which a priority changes. Most bugs need no more (depth 4 of the paper).
    const CHANGES: usize = 3;

    /// For runs of about so many steps.
    pub(super) fn new(mut random: Random, steps: u64) -> Priorities {
        let count = random.below(Priorities::CHANGES + 1);
        let most = usize::try_from(steps.max(1)).unwrap_or(usize::MAX);
        let mut changes: Vec<u64> = (0..count).map(|_| random.below(most) as u64).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Priorities { random, priorities: vec![], changes, step: 0 }
    }
}

impl Guide for Priorities {
    fn choose(&mut self, ready: &[u32], _last: Option<u32>) -> u32 {
        let most = ready.last().map_or(0, |last| *last as usize + 1);
        while self.priorities.len() < most {
            // Above all that rank behind.
            self.priorities.push(self.random.next() | 1 << 63);
        }
        let best =
            |priorities: &[u64]| ready.iter().copied().max_by_key(|call| priorities[*call as usize]).unwrap_or(0);
        while self.changes.last() == Some(&self.step) {
            let behind = best(&self.priorities);
            self.priorities[behind as usize] = self.changes.len() as u64;
            self.changes.pop();
        }
        self.step += 1;
        best(&self.priorities)
    }
}

/// Follows a schedule. Where it asks for a rank that cannot go on, or has ended, the rank that ran last goes on, or else the first that can.
pub(super) struct Follow {
    schedule: Schedule,
    /// Whether what was launched has to be what the schedule was made with.
    strict: bool,
    launch: usize,
    /// The segment, and how many of its steps are taken.
    at: (usize, u64),
    steps: u64,
    /// The first step at which a rank could not go on that the schedule asks for.
    pub(super) strayed: Option<Strayed>,
    /// Segments that are taken together, by their numbers among those of all launches.
    calm: Range<usize>,
    /// The number of the launch's first segment.
    first: usize,
    /// Per call, the steps that it has left of those that are taken together.
    left: Vec<u64>,
}

/// Where a schedule could not be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strayed {
    /// The step of its launch, from 1.
    pub(super) step: u64,
    /// The call that could not go on.
    pub(super) call: u32,
}

impl Follow {
    /// Follows it to the letter.
    pub(super) fn new(schedule: Schedule) -> Follow {
        Follow {
            schedule,
            strict: true,
            launch: 0,
            at: (0, 0),
            steps: 0,
            strayed: None,
            calm: 0..0,
            first: 0,
            left: vec![],
        }
    }

    /// Follows it as far as that goes.
    pub(super) fn loose(schedule: Schedule) -> Follow {
        Follow { strict: false, ..Follow::new(schedule) }
    }

    /// Follows it as far as that goes, but for some segments: of their steps, each rank takes as many at a time as it can.
    pub(super) fn calm(schedule: Schedule, segments: Range<usize>) -> Follow {
        Follow { calm: segments, ..Follow::loose(schedule) }
    }

    /// Goes on with this launch, the first being 0. What differs from the one that the schedule was made with.
    pub(super) fn start(&mut self, launch: usize, print: &Print) -> Option<String> {
        (self.launch, self.at, self.steps) = (launch, (0, 0), 0);
        let before = self.schedule.launches.iter().take(launch);
        self.first = before.map(|launch| launch.segments.len()).sum();
        self.left.clear();
        let made = self.schedule.launches.get(launch).filter(|_| self.strict)?;
        made.print.changed(print)
    }
}

impl Guide for Follow {
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32 {
        let segments = self.schedule.launches.get(self.launch).map_or(&[][..], |launch| &launch.segments);
        self.steps += 1;
        while let Some(&(call, count)) = segments.get(self.at.0) {
            if self.calm.contains(&(self.first + self.at.0)) {
                let end = (self.calm.end - self.first).min(segments.len());
                if self.at.1 == 0 {
                    for &(call, count) in &segments[self.at.0..end] {
                        self.left.resize(self.left.len().max(call as usize + 1), 0);
                        self.left[call as usize] = self.left[call as usize].saturating_add(count);
                    }
                }
                let can = |call: &u32| self.left.get(*call as usize).is_some_and(|left| *left > 0);
                // Who is next in turn has been waiting the longest, and is likely to go far.
                let turn = ready.partition_point(|call| Some(*call) < last);
                match ready[turn..].iter().chain(&ready[..turn]).copied().find(can) {
                    Some(call) => {
                        self.left[call as usize] -= 1;
                        self.at.1 += 1;
                        return call;
                    }
                    None => self.at = (end, 0),
                }
            } else if self.at.1 >= count {
                self.at = (self.at.0 + 1, 0);
            } else if ready.contains(&call) {
                self.at.1 += 1;
                return call;
            } else {
                self.strayed.get_or_insert(Strayed { step: self.steps, call });
                self.at = (self.at.0 + 1, 0);
            }
        }
        last.filter(|last| ready.contains(last)).unwrap_or(ready[0])
    }
}
