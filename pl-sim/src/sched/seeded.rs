//! One thread; which rank runs next, and for how many visible ops, is drawn from a generator: the same seed gives the same interleaving.

use super::{Ended, Ranks, Schedule};
use crate::machine::{Stop, Turn, Wake};
use std::sync::{Mutex, PoisonError};

/// The scheduler with its seed.
pub(crate) struct Seeded(pub(crate) u64);

/// SplitMix64: small, and its numbers do not change with a release of some library.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number less than `n`.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// Ranks that were woken during a turn.
#[derive(Default)]
struct Woken(Mutex<Vec<usize>>);

impl Wake for Woken {
    fn wake(&self, rank: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(rank);
    }
}

impl Schedule for Seeded {
    fn run(&self, ranks: &Ranks<'_, '_>) -> (Ended, usize) {
        /// Turns of one visible op find most surprises; long ones find those that need a rank to run far ahead.
        const VISIBLE: [u32; 8] = [1, 1, 1, 2, 3, 5, 16, 256];
        let mut random = Random(self.0);
        let mut ready: Vec<usize> = (0..ranks.machines.len()).collect();
        let woken = Woken::default();
        let mut standing = ranks.groups.start();
        while !ready.is_empty() {
            if ranks.interrupted() {
                return (Ended::Interrupted, 1);
            }
            let index = random.below(ready.len());
            let mut stopped = None;
            let turn = Turn { fuel: 1 << 12, visible: VISIBLE[random.below(VISIBLE.len())] };
            match ranks.machine(ready[index]).run(ranks.env, &woken, turn) {
                Ok(Stop::Yield) => {}
                Ok(stop @ (Stop::Parked | Stop::Done)) => {
                    let call = ready.swap_remove(index);
                    stopped = Some((call, stop == Stop::Done));
                }
                Err(halt) => return (Ended::Failed(halt), 1),
            }
            let woken = &mut *woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            woken.iter().for_each(|call| standing.woken(*call));
            ready.append(woken);
            if let Some(group) = stopped.and_then(|(call, done)| standing.stopped(call, done)) {
                return (Ended::Stuck(group), 1);
            }
        }
        (Ended::Done, 1)
    }
}
