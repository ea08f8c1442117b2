//! Deposits into signal cells, and waits for them.

use super::{Exec, Flow, Out, Part};
use crate::check::{Awaited, Deposit, Notified, Waited};
use crate::machine::{Halt, State};
use crate::plan::OpInst;
use pl_core::fault::{AccessKind, Compare, Region, StaleWait};
use pl_core::op::{EnumKind, NotifyOp, OpCode, WaitCmp};

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

impl<'a> Exec<'_, 'a, '_> {
    /// `pld::system::notify`, also at the end of `pld::tensor::put_with_signal`.
    pub(super) fn deposit(&mut self, op: &'a OpInst, at: &Signal) -> Out {
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
        let mut notified = Notified { wakes: false, unordered_read: None };
        // Once, unless the launch asks for something else.
        for _ in 0..machine.faults.deposits(machine.cost.self_notifies + machine.cost.peer_notifies + 1) {
            if !machine.clock.can_release() {
                return Err(machine.over_budget(self.env.budget));
            }
            match window.memory(peer).notify(cell.runs.base(), deposit, &mut machine.clock, machine.pc) {
                Ok(Notified { wakes, unordered_read }) => {
                    notified.wakes |= wakes;
                    notified.unordered_read = notified.unordered_read.or(unordered_read);
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
                if notified.wakes {
                    self.wake.wake(call);
                }
                self.env.changed(call, self.wake);
            }
        }
        if let (Some(pc), Some(call)) = (notified.unordered_read, call) {
            self.order_dependent(call, pc);
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

    /// Whether the rank stands before a wait that would park it now. An op that would fail does not block.
    pub(crate) fn is_blocked(&self) -> bool {
        let machine = &*self.machine;
        let Some(op) = machine.plan.op_at(machine.pc).filter(|op| op.code == OpCode::Wait) else { return false };
        let Ok((cell, awaited)) = self.awaited(op) else { return false };
        let value = self.window(cell.memory).map(|window| window.memory(cell.owner).peek_cell(awaited.index));
        value.is_ok_and(|value| !awaited.compare.holds(value, awaited.expected))
    }

    pub(super) fn await_cell(&mut self, op: &'a OpInst) -> Out {
        let (cell, awaited) = self.awaited(op)?;
        let window = self.window(cell.memory)?;
        let machine = &mut *self.machine;
        match window.memory(cell.owner).wait(awaited, &mut machine.clock, machine.pc) {
            Ok(Waited::Passed { stale }) => {
                machine.cost.waits += 1;
                machine.effects += 1;
                if let Some(value) = stale {
                    self.passed_stale(cell.memory, awaited, value, self.list(op, 1)?);
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
    fn passed_stale(&self, memory: u32, awaited: Awaited, value: i32, offsets: &[u32]) {
        let (owner, domain_rank) = self.owner(memory, self.machine.own(memory));
        self.env.mail[self.machine.call()].stale.get_or_init(|| StaleWait {
            site: self.machine.site(),
            cell: Region {
                memory: self.machine.plan.memories[memory as usize].name.clone(),
                owner,
                domain_rank,
                offsets: self.values(offsets).map(|v| v as usize).collect(),
                extents: vec![1; offsets.len()],
            },
            value,
            expected: awaited.expected,
            compare: awaited.compare,
        });
    }
}
