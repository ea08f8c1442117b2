//! Notifies of several cells of one signal, or waits for them, in a row: as a barrier has them. What is the same for all is found out once. Whatever is not as it mostly is, an op
//! does by itself: then it is as if it had not been begun here.

use super::signal::{awaits, deposits};
use super::{Exec, Flow};
use crate::check::cells::By;
use crate::check::{self, Awaited, Waited};
use crate::machine::{Halt, Machine, State, Turn};
use crate::plan::{Around, Guard, SignalAct, SignalInst, Unrolled, scalar};
use pl_core::ir::BinOp;

/// How ops in a row went.
enum Row {
    /// All that were given are done.
    Done,
    /// The next one is not, and is to be done by itself.
    Alone,
    /// The next one waits.
    Parked(Awaited),
}

/// The rounds of a loop that come to its op, as far as the turn lasts and the cells are in bounds.
struct Rounds {
    /// The variable in the next round, and in the one before it.
    value: u64,
    last: u64,
    step: u64,
    /// The variable is less than this.
    limit: u64,
    guard: Option<Guarded>,
    /// How many ops the turn has left.
    left: u32,
    /// How many ops and ends of rounds are done.
    ops: u32,
    /// Whether there was a round.
    begun: bool,
}

/// So many waits are done under one lock: who notifies meanwhile waits for that.
const UNDER_ONE_LOCK: usize = 64;

/// The condition for a round to come to the op.
struct Guarded {
    op: BinOp,
    /// What the variable is compared with, and whether it stands behind that.
    with: u64,
    behind: bool,
}

impl Rounds {
    #[inline(always)]
    fn comes(&self) -> bool {
        match self.guard {
            None => true,
            Some(Guarded { op, with, behind: true }) => scalar::compares(op, with, self.value),
            Some(Guarded { op, with, behind: false }) => scalar::compares(op, self.value, with),
        }
    }

    /// A round is over, which was so many ops.
    #[inline(always)]
    fn count(&mut self, ops: u32) {
        self.left -= ops;
        self.ops += ops;
        self.last = self.value;
        self.value = self.value.saturating_add(self.step);
    }
}

impl Iterator for Rounds {
    type Item = u64;

    /// The next round. Who asks has done the op of the one before.
    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        // The op, and the end of its round.
        if std::mem::replace(&mut self.begun, true) {
            self.count(2);
        }
        while self.value < self.limit {
            if self.comes() {
                return (self.left > 2).then_some(self.value);
            }
            if self.left == 1 {
                return None;
            }
            self.count(1);
        }
        None
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// Notifies cells: their owners and positions.
    #[inline(always)]
    fn deposit_all(
        &mut self,
        signal: &'a SignalInst,
        cells: impl Iterator<Item = (u64, u64)>,
    ) -> Result<(usize, Row), Halt> {
        self.before_notify(&self.machine.plan.ops[signal.op as usize])?;
        let window = self.window(signal.memory)?;
        let machine = &mut *self.machine;
        let deposit = deposits(signal, machine.get(signal.value));
        let by = By { pc: machine.pc, builtin: machine.trail.is_inside() };
        let own = machine.own(signal.memory);
        let (mut done, mut to_itself, mut row) = (0, 0, Row::Done);
        for (owner, index) in cells {
            let (owner, index) = (owner as usize, index as usize);
            let Some(memory) = window.find(owner).filter(|_| self.machine.clock.can_release()) else {
                row = Row::Alone;
                break;
            };
            let wakes = if memory.is_checked() {
                match self.deposit_checked(memory, index, deposit, by) {
                    Ok(notified) => {
                        if let Some(odd) = notified.odd {
                            self.odd(&odd, signal.memory, (window, owner, index));
                        }
                        notified.wakes
                    }
                    Err(_) => {
                        row = Row::Alone;
                        break;
                    }
                }
            } else {
                let Some(wakes) = memory.notify_unchecked(index, deposit, &mut self.machine.clock, by) else {
                    row = Row::Alone;
                    break;
                };
                wakes
            };
            done += 1;
            if owner == own {
                to_itself += 1;
            } else if let Some(call) = memory.call() {
                self.tell(call, wakes);
            }
        }
        let machine = &mut *self.machine;
        machine.effects += done;
        machine.cost.self_notifies += to_itself;
        machine.cost.peer_notifies += done - to_itself;
        Ok((done as usize, row))
    }

    /// Waits for own cells, at these positions.
    #[inline(always)]
    fn await_all(&mut self, signal: &'a SignalInst, cells: impl Iterator<Item = u64>) -> Result<(usize, Row), Halt> {
        let window = self.window(signal.memory)?;
        let machine = &mut *self.machine;
        let (expected, compare) = awaits(signal, machine.get(signal.value));
        let cells = cells.map(|index| Awaited { index: index as usize, expected, compare });
        let memory = window.memory(machine.own(signal.memory));
        let (done, row) = if memory.is_checked() {
            self.await_checked(signal, memory, cells)
        } else {
            let (done, parked) = memory.wait_all_unchecked(cells);
            if done > 0 {
                machine.trail.wait(machine.clock.stamp(machine.pc), None);
            }
            (done, parked.map_or(Row::Done, Row::Parked))
        };
        let machine = &mut *self.machine;
        machine.cost.waits += done;
        machine.effects += done;
        Ok((done as usize, row))
    }

    /// The same in memory that is checked: how many waits passed, which is left to be counted.
    #[inline(always)]
    fn await_checked(
        &mut self,
        signal: &SignalInst,
        memory: &check::Memory,
        mut cells: impl Iterator<Item = Awaited>,
    ) -> (u64, Row) {
        let mut done = 0;
        loop {
            let Machine { clock, trail, pc, .. } = &mut *self.machine;
            let some = cells.by_ref().take(UNDER_ONE_LOCK);
            let (passed, other) = memory.wait_all(some, clock, *pc, |at, from| trail.wait(at, from));
            done += passed;
            match other {
                None if passed < UNDER_ONE_LOCK as u64 => return (done, Row::Done),
                None => {}
                Some((awaited, Ok(Waited::Passed { from, stale, odd }))) => {
                    trail.wait(clock.stamp(*pc), from);
                    self.odd_wait(signal, awaited, stale, odd.as_deref());
                    done += 1;
                }
                Some((awaited, Ok(Waited::Parked))) => return (done, Row::Parked(awaited)),
                Some((_, Err(_))) => return (done, Row::Alone),
            }
        }
    }

    /// Does the acts of a series from the one on at which the rank stands, as far as the turn lasts; `None` where that one is to be done by itself.
    #[inline(always)]
    pub(super) fn series(&mut self, unrolled: &'a Unrolled, first: u32, waits: bool) -> Result<Option<Flow>, Halt> {
        let first = first as usize;
        let SignalAct { series, ops, sets, .. } = unrolled.signals[first];
        if series == 1 || !self.machine.count.has(ops) || !self.machine.faults.are_none() {
            return Ok(None);
        }
        let signal = &unrolled.signals[first].signal;
        let cells = unrolled.cells[first..first + series].iter();
        let (done, row) = if waits {
            self.await_all(signal, cells.map(|(_, index)| u64::from(*index)))?
        } else {
            self.deposit_all(signal, cells.map(|(owner, index)| (u64::from(*owner), u64::from(*index))))?
        };
        let machine = &mut *self.machine;
        if done == series {
            machine.set_all(unrolled, sets);
            machine.count.take(ops);
            machine.act += series;
            return Ok(Some(Flow::Next));
        }
        for _ in 0..done {
            machine.go_on(unrolled);
        }
        Ok(match row {
            Row::Parked(awaited) => {
                machine.state = State::Waiting(signal.memory, awaited);
                Some(Flow::Park)
            }
            _ if done > 0 => Some(Flow::Next),
            _ => None,
        })
    }

    /// Does the op of a loop at which the rank stands in this round and in those that follow, as far as the turn lasts; `None` where it is to be done by itself.
    #[inline(always)]
    pub(crate) fn rounds(&mut self, signal: &'a SignalInst, turn: Turn, waits: bool) -> Result<Option<Flow>, Halt> {
        match &signal.around {
            Some(around) if turn.visible == u32::MAX && self.machine.faults.are_none() => {
                self.rounds_of(signal, around, waits)
            }
            _ => Ok(None),
        }
    }

    fn rounds_of(&mut self, signal: &'a SignalInst, around: &Around, waits: bool) -> Result<Option<Flow>, Halt> {
        let machine = &*self.machine;
        let Around { head, counter, step, end, var, guard, is_peer, stride, extent } = *around;
        let (pc, value, end) = (machine.pc, machine.get(var), machine.get(end));
        // What the variable does not give is the same in all rounds.
        let mut first = signal.first;
        for axis in signal.axes.iter().filter(|axis| axis.offset != var) {
            let offset = machine.get(axis.offset);
            if offset >= axis.extent {
                return Ok(None);
            }
            first += offset * axis.stride;
        }
        let guard = guard.map(|Guard { op, a, b }| {
            let (behind, other) = if a == var { (false, b) } else { (true, a) };
            Guarded { op, with: machine.get(other), behind }
        });
        let (step, left) = (machine.get(step), machine.count.left());
        let limit = end.min(extent);
        let mut rounds = Rounds { value, last: value, step, limit, guard, left, ops: 0, begun: false };
        let cells = rounds.by_ref();
        let (done, row) = if waits {
            self.await_all(signal, cells.map(|round| first + round * stride))?
        } else {
            let owner = signal.peer.map_or(machine.own(signal.memory) as u64, |peer| machine.get(peer));
            let owner = |round| if is_peer { round } else { owner };
            self.deposit_all(signal, cells.map(|round| (owner(round), first + round * stride)))?
        };
        let machine = &mut *self.machine;
        machine.count.take(rounds.ops);
        let next = match row {
            Row::Parked(awaited) => {
                machine.state = State::Waiting(signal.memory, awaited);
                pc
            }
            _ if done == 0 => return Ok(None),
            Row::Alone => pc,
            Row::Done if rounds.value < end => head as usize + 1,
            // Behind the loop's end.
            Row::Done => pc + 2,
        };
        machine.pc = next;
        machine.set(counter, rounds.value);
        machine.set(var, if rounds.value < end { rounds.value } else { rounds.last });
        Ok(Some(if matches!(row, Row::Parked(_)) { Flow::Park } else { Flow::Next }))
    }
}
