//! The checks against the rules taken literally, and against themselves where notes are left.

use super::*;
use crate::sched::random::Random;
use pl_core::fault::Compare;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Read,
    Write,
    Add,
    Notify,
    Test,
}

/// A notify: its number among the accesses, whether the owner made it, what it did, what it released.
type Notify = (usize, bool, Deposit, Vec<bool>);

/// The rules, taken literally: every access ever made, and for each rank the set of those that happened before.
#[derive(Default)]
struct Model {
    accesses: Vec<(usize, usize, Kind)>,
    knows: Vec<Vec<bool>>,
    /// Per cell, every notify.
    notifies: Vec<Vec<Notify>>,
}

impl Model {
    fn allows(&self, rank: usize, cell: usize, kind: Kind) -> bool {
        let signal = |kind| matches!(kind, Kind::Notify | Kind::Test);
        let writes = |kind| matches!(kind, Kind::Write | Kind::Add | Kind::Notify);
        self.accesses.iter().enumerate().all(|(id, &(other, at, first))| {
            let together = signal(kind) && signal(first) || kind == Kind::Add && first == Kind::Add;
            let conflict = at == cell && other != rank && (writes(kind) || writes(first)) && !together;
            !conflict || self.knows[rank].get(id) == Some(&true)
        })
    }

    fn record(&mut self, rank: usize, cell: usize, kind: Kind) {
        self.accesses.push((rank, cell, kind));
        self.knows[rank].resize(self.accesses.len(), false);
        self.knows[rank][self.accesses.len() - 1] = true;
    }

    /// A wait passed: leaves out the last notifies of peers, as many as possible, from all of them on. Those of the owner count always.
    fn learn(&mut self, rank: usize, cell: usize, expected: i32) {
        let notifies = self.notifies[cell].clone();
        for end in 0..=notifies.len() {
            let counted = notifies.iter().enumerate().filter(|(at, n)| *at < end || n.1).map(|(_, n)| n);
            let counted: Vec<_> = counted.collect();
            let rest_unknown = notifies[end..].iter().all(|n| n.1 || self.knows[rank].get(n.0) != Some(&true));
            let value = counted.iter().fold(0, |value, n| match n.2 {
                Deposit::Add(add) => value + add,
                Deposit::Set(value) => value,
            });
            if !rest_unknown || value < expected {
                continue;
            }
            let since = counted.iter().rposition(|n| matches!(n.2, Deposit::Set(_))).unwrap_or(0);
            for (_, own, _, released) in &counted[since..] {
                if *own {
                    continue;
                }
                let mine = &mut self.knows[rank];
                mine.resize(mine.len().max(released.len()), false);
                released.iter().enumerate().filter(|s| *s.1).for_each(|(id, _)| mine[id] = true);
            }
            return;
        }
        panic!("the wait did not pass");
    }
}

#[test]
fn what_each_notify_needs_is_one_cache_line() {
    let hot = std::mem::offset_of!(Memory, history) + Lock::<History>::BEFORE + History::HOT;
    assert!(hot <= size_of::<Line>(), "{hot} bytes");
    assert_eq!(align_of::<Memory>(), align_of::<Line>());
    assert!(std::mem::offset_of!(Memory, buffer).is_multiple_of(align_of::<Line>()));
}

#[test]
fn the_checks_agree_with_the_rules() {
    const CELLS: usize = 3;
    let (mut refused, mut allowed) = (0, 0);
    for seed in 1..400_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        let ranks = 2 + random(3);
        let mut memories: Vec<Memory> = (0..ranks).map(|_| Memory::new(CELLS, 4, true).expect("memory")).collect();
        memories.iter_mut().enumerate().for_each(|(owner, memory)| memory.start(1, Some(owner), Checks::Accesses));
        let mut clocks: Vec<Clock> = (0..ranks).map(|rank| Clock::new(rank, ranks)).collect();
        let cells = ranks * CELLS;
        let mut model = Model { knows: vec![vec![]; ranks], notifies: vec![vec![]; cells], ..Model::default() };
        for step in 0..120 {
            let rank = random(ranks);
            let kind =
                [Kind::Read, Kind::Write, Kind::Add, Kind::Notify, Kind::Notify, Kind::Test, Kind::Test][random(7)];
            // Only the owner tests a cell.
            let owner = if kind == Kind::Test { rank } else { random(ranks) };
            let index = random(CELLS);
            let (cell, memory) = (owner * CELLS + index, &memories[owner]);
            let (runs, clock) = (Runs::element(index), &mut clocks[rank]);
            let deposit =
                if random(4) == 0 { Deposit::Set(random(3) as i32) } else { Deposit::Add(random(5) as i32 - 1) };
            let slack = random(3) as i32;
            let held = memory.peek_cell(index);
            let ours = match kind {
                Kind::Read => memory.read(&runs, clock, step).map(|_| ()),
                Kind::Write => memory.write(&runs, clock, step).map(|_| ()),
                Kind::Add => memory.add(&runs, clock, step).map(|_| ()),
                Kind::Notify => memory.notify(index, deposit, clock, By { pc: step, builtin: false }).map(|_| ()),
                Kind::Test => {
                    let expected = memory.peek_cell(index) - slack;
                    let awaited = Awaited { index, expected, compare: Compare::Ge };
                    memory.waiting().wait(awaited, clock, step).map(|waited| assert_ne!(waited, Waited::Parked))
                }
            };
            let allows = model.allows(rank, cell, kind);
            assert_eq!(ours.is_ok(), allows, "seed {seed}, step {step}: {kind:?} of rank {rank}, {ours:?}");
            if !allows {
                refused += 1;
                continue;
            }
            allowed += 1;
            model.record(rank, cell, kind);
            match kind {
                Kind::Notify => {
                    let released = model.knows[rank].clone();
                    model.notifies[cell].push((model.accesses.len() - 1, owner == rank, deposit, released));
                }
                Kind::Test => model.learn(rank, cell, held - slack),
                Kind::Read | Kind::Write | Kind::Add => {}
            }
        }
    }
    assert!(refused > 1000 && allowed > 1000, "{refused} refused, {allowed} allowed");
}

/// The same accesses to memories that notes are left in, and to such as have none: nobody can tell the difference.
#[test]
fn notes_make_no_difference() {
    const CELLS: usize = 3;
    let mut left = 0;
    for seed in 1..600_u64 {
        let mut generator = Random::new(seed);
        let mut random = |n: usize| generator.below(n);
        let ranks = 2 + random(3);
        let data = random(2) == 0;
        // Some launches do more than to add and to wait.
        let kinds = [6, 7, 8, 10][random(4)];
        let checks = if random(2) == 0 { Checks::Signal } else { Checks::Accesses };
        let open = |noted: bool| {
            let mut memories: Vec<_> = (0..ranks).map(|_| Memory::new(CELLS, 4, data).expect("memory")).collect();
            memories.iter_mut().enumerate().for_each(|(owner, memory)| memory.start(1, Some(owner), checks));
            memories.iter().for_each(|memory| memory.share(noted));
            (memories, (0..ranks).map(|rank| Clock::new(rank, ranks)).collect::<Vec<Clock>>())
        };
        let (mut noted, mut plain) = (open(true), open(false));
        for step in 0..150 {
            let (rank, index, kind) = (random(ranks), random(CELLS), random(kinds));
            let owner = if (3..6).contains(&kind) || kind == 7 { rank } else { random(ranks) };
            let add = if random(40) == 0 { i32::MAX / 2 } else { random(4) as i32 - 1 };
            let by = By { pc: step, builtin: random(2) == 0 };
            let expected = random(6) as i32 - 1;
            let act = |(memories, clocks): &mut (Vec<Memory>, Vec<Clock>)| {
                let (memory, clock, runs) = (&memories[owner], &mut clocks[rank], Runs::element(index));
                match kind {
                    0..3 => format!("{:?}", memory.notify(index, Deposit::Add(add), clock, by)),
                    3..6 => {
                        let awaited = Awaited { index, expected, compare: Compare::Ge };
                        format!("{:?}", memory.waiting().wait(awaited, clock, step))
                    }
                    6 => format!("{:?} {:?}", memory.cell_history(index), memory.foreign(clock)),
                    7 => format!("{:?}", memory.read_cell(index, clock, step)),
                    8 => format!("{:?}", memory.notify(index, Deposit::Set(add), clock, by)),
                    _ if step % 2 == 0 => format!("{:?}", memory.write(&runs, clock, step).map(|_| ())),
                    _ => format!("{:?}", memory.read(&runs, clock, step).map(|_| ())),
                }
            };
            let (ours, theirs) = (act(&mut noted), act(&mut plain));
            assert_eq!(ours, theirs, "seed {seed}, step {step}: {kind} of rank {rank} on cell {index} of {owner}");
            left += noted.0.iter().filter(|memory| !memory.history.lock().tray.is_empty()).count();
        }
        for ((noted, plain), owner) in noted.0.iter().zip(&plain.0).zip(0..) {
            noted.settle();
            for index in 0..CELLS {
                assert_eq!(noted.peek_cell(index), plain.peek_cell(index), "seed {seed}");
                assert_eq!(noted.cell_history(index), plain.cell_history(index), "seed {seed}, {owner}");
                (0..ranks).for_each(|rank| assert_eq!(noted.sent(index, rank), plain.sent(index, rank)));
            }
            assert_eq!(noted.left(), plain.left(), "seed {seed}");
        }
    }
    assert!(left > 10_000, "{left}");
}
