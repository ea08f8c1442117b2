//! The checks against the rules taken literally, and against themselves where notes are left.

use super::cells::By;
use super::tray::Note;
use super::*;
use crate::sched::random::Random;
use pl_core::fault::Compare;
use std::collections::VecDeque;

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
    assert!(std::mem::offset_of!(Memory, checked).is_multiple_of(align_of::<Line>()));
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
                    memory.wait(awaited, clock, step).map(|waited| assert_ne!(waited, Waited::Parked))
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

/// A notify that left a note where notes are left, and is not made yet elsewhere: with the rank's clock of then.
struct Left {
    index: usize,
    add: i32,
    by: By,
    clock: Clock,
    epoch: u32,
}

impl Left {
    /// Makes the notifies of one memory, in an order in which they may have come: that of each rank, and whoever knew of one after it. What came of it.
    fn make(left: &mut [VecDeque<Left>], memory: &Memory, late: &mut Vec<(usize, Late)>) -> bool {
        let mut wakes = false;
        loop {
            let knows = |rank: usize, of: usize| {
                rank != of
                    && matches!((left[rank].front(), left[of].front()), (Some(one), Some(other)) if one.clock.known(of as u32) >= other.epoch)
            };
            let first = |rank: &usize| !left[*rank].is_empty() && (0..left.len()).all(|of| !knows(*rank, of));
            let Some(rank) = (0..left.len()).find(first) else {
                assert!(left.iter().all(VecDeque::is_empty), "a circle");
                return wakes;
            };
            let Some(Left { index, add, by, mut clock, .. }) = left[rank].pop_front() else { continue };
            let notified = memory.notify(index, Deposit::Add(add), &mut clock, by).expect("it fits");
            wakes |= notified.wakes;
            let stale = notified.odd.and_then(|odd| odd.stale);
            late.extend(stale.map(|(wait, notify)| (index, Late::StaleWait(wait, notify))));
        }
    }
}

/// The same notifies and waits with notes, and without them at the time when whoever looks records them: nobody can tell the difference.
#[test]
fn notes_make_no_difference() {
    const CELLS: usize = 3;
    let (mut noted, mut followed) = (0, 0);
    for seed in 1..6000_u64 {
        let mut generator = Random::new(seed);
        let mut random = |n: usize| generator.below(n);
        let ranks = 2 + random(3);
        let data = random(2) == 0;
        let checks = if random(2) == 0 { Checks::Signal } else { Checks::Accesses };
        let open = |notes: bool| {
            let mut memories: Vec<_> = (0..ranks).map(|_| Memory::new(CELLS, 4, data).expect("memory")).collect();
            memories.iter_mut().enumerate().for_each(|(owner, memory)| memory.start(1, Some(owner), checks));
            memories.iter().for_each(|memory| memory.share(notes.then_some(ranks)));
            (memories, (0..ranks).map(|rank| Clock::new(rank, ranks)).collect::<Vec<Clock>>())
        };
        let (mut ours, mut theirs) = (open(true), open(false));
        let mut left: Vec<Vec<VecDeque<Left>>> =
            (0..ranks).map(|_| (0..ranks).map(|_| VecDeque::new()).collect()).collect();
        let (mut woken, mut late) = (vec![false; ranks], vec![vec![]; ranks]);
        for step in 0..150 {
            let (rank, index, kind) = (random(ranks), random(CELLS), random(7));
            let owner = if (3..6).contains(&kind) { rank } else { random(ranks) };
            let add = if random(60) == 0 { i32::MAX / 2 } else { random(4) as i32 - 1 };
            let by = By { pc: step, builtin: random(2) == 0 };
            let expected = random(6) as i32 - 1;
            if kind < 3 && ours.0[owner].note(index, add, &mut ours.1[rank], by) {
                let clock = &mut theirs.1[rank];
                left[owner][rank].push_back(Left {
                    index,
                    add,
                    by,
                    clock: clock.clone(),
                    epoch: clock.stamp(step).epoch,
                });
                clock.release_few();
                followed += usize::from((0..ranks).any(|of| {
                    left[owner][of].front().is_some_and(|one| of != rank && clock.known(of as u32) >= one.epoch)
                }));
                noted += 1;
                continue;
            }
            woken[owner] |= Left::make(&mut left[owner], &theirs.0[owner], &mut late[owner]);
            if random(4) == 0 {
                assert_eq!(ours.0[owner].collect(), std::mem::take(&mut woken[owner]), "seed {seed}, step {step}");
            }
            let act = |(memories, clocks): &mut (Vec<Memory>, Vec<Clock>), woken: &mut bool| {
                let (memory, clock) = (&memories[owner], &mut clocks[rank]);
                match kind {
                    0..3 => {
                        let notified = memory.notify(index, Deposit::Add(add), clock, by);
                        let wakes = |n: Notified| Notified { wakes: n.wakes | std::mem::take(woken), ..n };
                        format!("{:?}", notified.map(wakes))
                    }
                    3..6 => {
                        let awaited = Awaited { index, expected, compare: Compare::Ge };
                        format!("{:?}", memory.wait(awaited, clock, step))
                    }
                    _ => format!("{:?} {:?}", memory.cell_history(index), memory.foreign(clock)),
                }
            };
            let (ours, theirs) = (act(&mut ours, &mut false), act(&mut theirs, &mut woken[owner]));
            assert_eq!(ours, theirs, "seed {seed}, step {step}: {kind} of rank {rank} on cell {index} of {owner}");
        }
        for (owner, (ours, theirs)) in ours.0.iter().zip(&theirs.0).enumerate() {
            woken[owner] |= Left::make(&mut left[owner], theirs, &mut late[owner]);
            assert_eq!(ours.collect(), woken[owner], "seed {seed}");
            assert_eq!(ours.settle(), late[owner], "seed {seed}");
            for index in 0..CELLS {
                assert_eq!(ours.peek_cell(index), theirs.peek_cell(index), "seed {seed}");
                assert_eq!(ours.cell_history(index), theirs.cell_history(index), "seed {seed}, {owner}");
                (0..ranks).for_each(|rank| assert_eq!(ours.sent(index, rank), theirs.sent(index, rank)));
            }
            assert_eq!(ours.left(), theirs.left(), "seed {seed}");
        }
    }
    assert!(noted > 10_000 && followed > 50, "{noted} notes, {followed} of which followed another one that was left");
}

/// A note for which there is no room any more, as it was about to be left when the cell got so much, is found out when it is recorded.
#[test]
fn a_late_note_may_be_too_much() {
    let mut memory = Memory::new(1, 4, true).expect("memory");
    memory.start(1, Some(0), Checks::Accesses);
    memory.share(Some(3));
    let [mut early, mut late] = [1, 2].map(|rank| Clock::new(rank, 3));
    let by = By { pc: 7, builtin: false };
    memory.notify(0, Deposit::Add(1 << 30), &mut early, by).expect("room");
    let place = memory.tray.place(2, 1).expect("it holds no more than it may");
    memory.notify(0, Deposit::Add(i32::MAX - (1 << 30)), &mut early, by).expect("room");
    assert!(memory.tray.place(2, 1).is_none(), "now it does");
    let stamp = late.stamp(by.pc);
    let told = late.release_few().expect("few ranks");
    place.leave(&Note { index: 0, add: 1, stamp, builtin: false, told });
    assert_eq!(memory.settle(), [(0, Late::Overflow { by: stamp, value: i32::MAX, add: 1 })]);
    assert_eq!((memory.peek_cell(0), memory.settle()), (i32::MAX, vec![]));
}
