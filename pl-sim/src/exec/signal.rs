//! `pld::system::notify` and `pld::system::wait`.

use super::{Exec, Flow, Out};
use crate::check::{Awaited, Deposit, Waited};
use crate::machine::{Halt, Memory, State};
use crate::plan::OpInst;
use crate::window::Window;
use pl_core::fault::{AccessKind, Compare, Region, StaleWait};
use pl_core::op::{EnumKind, NotifyOp, WaitCmp};

fn unknown(kind: EnumKind, value: i32) -> Halt {
    Halt::Internal(format!("`{}` has no value {value}", kind.name()))
}

impl<'a> Exec<'_, 'a, '_> {
    fn window(&self, memory: u32) -> Result<&'a Window, Halt> {
        match self.machine.memories[memory as usize] {
            Memory::Window(window) => Ok(window),
            _ => Err(Halt::Internal("a signal that is no window".into())),
        }
    }

    pub(super) fn deposit(&mut self, op: &'a OpInst) -> Out {
        let memory = self.memory(op, 0)?;
        let window = self.window(memory)?;
        let peer = self.peer(op, 1)?;
        let offsets = self.list(op, 2)?;
        let cell = self.region(memory, offsets, offsets.iter().map(|_| 1))?.base();
        let value = self.scalar(op, 3)? as i32;
        let operation = self.constant(op, 4)?;
        let deposit = match NotifyOp::from_wire(operation) {
            Some(NotifyOp::AtomicAdd) => Deposit::Add(value),
            Some(NotifyOp::Set) => Deposit::Set(value),
            None => return Err(unknown(EnumKind::NotifyOp, operation)),
        };
        if !self.machine.clock.can_release() {
            return Err(self.machine.over_budget(self.env.budget));
        }
        let machine = &mut *self.machine;
        let notified = match window.memory(peer).notify(cell, deposit, &mut machine.clock, machine.pc) {
            Ok(notified) => notified,
            Err(refused) => return Err(self.refused(refused, AccessKind::Notify, memory, peer)),
        };
        machine.effects += 1;
        let call = self.env.call_of(window, peer);
        if peer == machine.own(memory) {
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

    pub(super) fn await_cell(&mut self, op: &'a OpInst) -> Out {
        let memory = self.memory(op, 0)?;
        let window = self.window(memory)?;
        let offsets = self.list(op, 1)?;
        let index = self.region(memory, offsets, offsets.iter().map(|_| 1))?.base();
        let expected = self.scalar(op, 2)? as i32;
        let comparison = self.constant(op, 3)?;
        let compare = match WaitCmp::from_wire(comparison) {
            Some(WaitCmp::Eq) => Compare::Eq,
            Some(WaitCmp::Ge) => Compare::Ge,
            None => return Err(unknown(EnumKind::WaitCmp, comparison)),
        };
        let awaited = Awaited { index, expected, compare };
        let machine = &mut *self.machine;
        let rank = machine.own(memory);
        match window.memory(rank).wait(awaited, &mut machine.clock, machine.pc) {
            Ok(Waited::Passed { stale }) => {
                machine.cost.waits += 1;
                machine.effects += 1;
                if let Some(value) = stale {
                    self.passed_stale(memory, awaited, value, offsets);
                }
                Ok(Flow::Next)
            }
            Ok(Waited::Parked) => {
                machine.state = State::Waiting(memory, awaited);
                Ok(Flow::Park)
            }
            Err(refused) => Err(self.refused(refused, AccessKind::Test, memory, rank)),
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
