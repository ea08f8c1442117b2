//! One thread; which rank runs next, and for how many visible ops, is drawn from a generator: the same seed gives the same interleaving.

use super::random::Random;
use super::{Ended, Ranks, Schedule, Stop, Woken};
use crate::machine::Turn;
use std::collections::VecDeque;

/// The scheduler with its seed.
pub(crate) struct Seeded(pub(crate) u64);

impl Schedule for Seeded {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        /// Turns of one visible op find most surprises; long ones find those that need a rank to run far ahead.
        const VISIBLE: [u32; 8] = [1, 1, 1, 2, 3, 5, 16, 256];
        let mut random = Random::new(self.0);
        let mut ready: Vec<usize> = (0..ranks.machines.len()).collect();
        let woken = Woken::default();
        let mut standing = ranks.groups.start();
        let mut delayed = VecDeque::new();
        loop {
            if ready.is_empty() {
                match delayed.pop_front() {
                    Some(call) => ready.push(call),
                    None => return (Ended::Done, 1),
                }
            }
            if ranks.interrupted() {
                return (Ended::Interrupted, 1);
            }
            let index = random.below(ready.len());
            let mut stopped = None;
            let turn = Turn { fuel: 1 << 12, visible: VISIBLE[random.below(VISIBLE.len())], enters: false };
            match ranks.machine(ready[index]).run(ranks.env, &woken, turn) {
                Ok(Stop::Yield | Stop::Before) => {}
                Ok(Stop::Delayed) => delayed.push_back(ready.swap_remove(index)),
                Ok(stop @ (Stop::Parked | Stop::Stopped | Stop::Done)) => {
                    let call = ready.swap_remove(index);
                    stopped = Some((call, stop == Stop::Done));
                }
                Err(halt) => return (Ended::Failed(halt), 1),
            }
            woken.take(|call| {
                standing.woken(call);
                ready.push(call);
            });
            if let Some(group) = stopped.and_then(|(call, done)| standing.stopped(call, done)) {
                return (Ended::Stuck(group), 1);
            }
        }
    }
}
