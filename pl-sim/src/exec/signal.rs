//! Deposits into signal cells, and waits for them.

use super::{Exec, Flow, Out, Part};
use crate::check::cells::{By, Change, Event, Odd};
use crate::check::clock::Stamp;
use crate::check::{Awaited, Deposit, Memory, Waited};
use crate::machine::{Halt, State};
use crate::plan::OpInst;
use crate::stuck::cell_of;
use crate::window::Window;
use pl_core::fault::{AccessKind, CellChange, Compare, LintData, LintKind, StaleWait};
use pl_core::op::{EnumKind, NotifyOp, OpCode, WaitCmp};
use std::sync::PoisonError;

fn unknown(kind: EnumKind, value: i32) -> Halt {
    Halt::Internal(format!("`{}` has no value {value}", kind.name()))
}

/// Which arguments of an op say what to deposit where.
pub(super) struct Signal {
    pub(super) signal: usize,
    pub(super) peer: usize,
    pub(super) offsets: usize,
    pub(super) value: usize,
    pub(super) op: usize,
}

/// What a wait tests.
#[derive(Clone, Copy)]
pub(crate) struct Test<'a> {
    memory: &'a Memory,
    awaited: Awaited,
}

impl Test<'_> {
    /// Whether the wait would pass now.
    pub(crate) fn holds(&self) -> bool {
        self.awaited.compare.holds(self.memory.peek_cell(self.awaited.index), self.awaited.expected)
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// `pld::system::notify`, also at the end of `pld::tensor::put_with_signal`.
    pub(super) fn deposit(&mut self, op: &'a OpInst, at: &Signal) -> Out {
        self.before_notify(op)?;
        let peer = self.peer(op, at.peer)?;
        let cell = self.cell(op, at.signal, peer, at.offsets)?;
        let window = self.window(cell.memory)?;
        let value = self.scalar(op, at.value)? as i32;
        let operation = self.constant(op, at.op)?;
        let deposit = match NotifyOp::from_wire(operation) {
            Some(NotifyOp::AtomicAdd) => Deposit::Add(value),
            Some(NotifyOp::Set) => Deposit::Set(value),
            None => return Err(unknown(EnumKind::NotifyOp, operation)),
        };
        let machine = &mut *self.machine;
        let (mut wakes, mut unordered_read) = (false, None);
        let by = By { pc: machine.pc, builtin: machine.trail.is_inside() };
        let mut odd = None;
        // Once, unless the launch asks for something else.
        for _ in 0..machine.faults.deposits(machine.cost.self_notifies + machine.cost.peer_notifies + 1) {
            if !machine.clock.can_release() {
                return Err(machine.over_budget(self.env.budget));
            }
            machine.trail.notify(machine.clock.stamp(machine.pc));
            match window.memory(peer).notify(cell.runs.base(), deposit, &mut machine.clock, by) {
                Ok(notified) => {
                    wakes |= notified.wakes;
                    unordered_read = unordered_read.or(notified.unordered_read);
                    odd = notified.odd;
                }
                Err(refused) => return Err(self.refused(refused, AccessKind::Notify, op, &cell)),
            }
        }
        machine.effects += 1;
        let call = self.env.call_of(window, peer);
        if peer == machine.own(cell.memory) {
            machine.cost.self_notifies += 1;
        } else {
            machine.cost.peer_notifies += 1;
            if let Some(call) = call {
                if wakes {
                    self.wake.wake(call);
                }
                self.env.changed(call, self.wake);
            }
        }
        if let (Some(pc), Some(call)) = (unordered_read, call) {
            self.order_dependent(call, pc);
        }
        if let Some(odd) = odd {
            self.odd(&odd, cell.memory, window, peer, cell.runs.base());
        }
        Ok(Flow::Next)
    }

    /// The cell that a wait tests, and what it waits for.
    fn awaited(&self, op: &'a OpInst) -> Result<(Part, Awaited), Halt> {
        let cell = self.cell(op, 0, self.own(op, 0)?, 1)?;
        let expected = self.scalar(op, 2)? as i32;
        let comparison = self.constant(op, 3)?;
        let compare = match WaitCmp::from_wire(comparison) {
            Some(WaitCmp::Eq) => Compare::Eq,
            Some(WaitCmp::Ge) => Compare::Ge,
            None => return Err(unknown(EnumKind::WaitCmp, comparison)),
        };
        Ok((cell, Awaited { index: cell.runs.base(), expected, compare }))
    }

    /// What the wait tests before which the rank stands; `None` where it would fail.
    pub(crate) fn test(&self) -> Option<Test<'a>> {
        let op = self.machine.plan.op_at(self.machine.pc).filter(|op| op.code == OpCode::Wait)?;
        let (cell, awaited) = self.awaited(op).ok()?;
        let window = self.window(cell.memory).ok()?;
        Some(Test { memory: window.memory(cell.owner), awaited })
    }

    pub(super) fn await_cell(&mut self, op: &'a OpInst) -> Out {
        let (cell, awaited) = self.awaited(op)?;
        let window = self.window(cell.memory)?;
        let machine = &mut *self.machine;
        match window.memory(cell.owner).wait(awaited, &mut machine.clock, machine.pc) {
            Ok(Waited::Passed { from, stale, odd }) => {
                machine.cost.waits += 1;
                machine.effects += 1;
                machine.trail.wait(machine.clock.stamp(machine.pc), from);
                if let Some(value) = stale {
                    self.passed_stale(cell.memory, window, awaited, value);
                }
                if let Some(odd) = odd {
                    self.odd(&odd, cell.memory, window, cell.owner, awaited.index);
                }
                Ok(Flow::Next)
            }
            Ok(Waited::Parked) => {
                machine.state = State::Waiting(cell.memory, awaited);
                Ok(Flow::Park)
            }
            Err(refused) => Err(self.refused(refused, AccessKind::Test, op, &cell)),
        }
    }

    /// Remembers a wait that what an earlier launch left in the cell satisfied: the first of the rank.
    #[cold]
    fn passed_stale(&self, memory: u32, window: &Window, awaited: Awaited, value: i32) {
        self.env.mail[self.machine.call()].stale.get_or_init(|| StaleWait {
            site: self.machine.site(),
            cell: cell_of(self.machine, memory, window, self.machine.own(memory), awaited.index),
            value,
            expected: awaited.expected,
            compare: awaited.compare,
        });
    }

    /// Remembers what is odd about a notify or wait of a cell of `owner`.
    #[cold]
    fn odd(&self, odd: &Odd, memory: u32, window: &Window, owner: usize, index: usize) {
        let cell = || cell_of(self.machine, memory, window, owner, index);
        let here = self.machine.clock.stamp(self.machine.pc);
        let other = |event: &Event| self.env.site(event.call as usize, event.pc as usize);
        if let Some(event) = &odd.overwrote {
            let lost = match event.change {
                Change::Notify(deposit) => deposit.into(),
                Change::Store => CellChange::Store,
            };
            self.lint(LintKind::SetOverwrote, here, || LintData::SetOverwrote {
                cell: cell(),
                lost,
                notify: other(event),
            });
        }
        if let Some(event) = &odd.mixed {
            self.lint(LintKind::SetAddMixed, here, || LintData::SetAddMixed { cell: cell(), notify: other(event) });
        }
        if let (Some((pc, notify)), Some(call)) = (odd.stale, self.env.call_of(window, owner)) {
            let wait = Stamp { rank: call as u32, epoch: 0, pc };
            let initial = window.memory(owner).cell_history(index).initial;
            let notify = self.env.site(notify.rank as usize, notify.pc as usize);
            self.lint(LintKind::StaleWait, wait, || LintData::StaleWait { cell: cell(), initial, notify });
        }
    }

    /// Remembers something odd about an instruction of a rank, the first of its kind there.
    #[cold]
    pub(super) fn lint(&self, kind: LintKind, at: Stamp, data: impl FnOnce() -> LintData) {
        let mut lints = self.env.lints.lock().unwrap_or_else(PoisonError::into_inner);
        lints.entry((at.rank as usize, at.pc as usize, kind)).or_insert_with(data);
    }
}

impl From<Deposit> for CellChange {
    fn from(deposit: Deposit) -> CellChange {
        match deposit {
            Deposit::Add(value) => CellChange::Add(value),
            Deposit::Set(value) => CellChange::Set(value),
        }
    }
}
