//! Deposits into signal cells, and waits for them.

use super::{Exec, Flow, Out, Part, bad};
use crate::check::cell::{Change, Event, Odd};
use crate::check::cells::By;
use crate::check::clock::Stamp;
use crate::check::{self, Awaited, Deposit, Notified, Refused, Waited};
use crate::machine::{Halt, Memory, State};
use crate::plan::{Does, Inst, OpInst, SignalInst};
use crate::region::Runs;
use crate::stuck::cell_of;
use crate::window::Window;
use pl_core::fault::{AccessKind, CellChange, Compare, LintData, LintKind, StaleWait};
use pl_core::op::ParamKind;

/// A cell that an op reaches.
#[derive(Clone, Copy)]
struct Cell<'a> {
    window: &'a Window,
    /// Whose it is: a rank of the window's domain.
    owner: usize,
    index: usize,
}

/// What a wait tests.
#[derive(Clone, Copy)]
pub(crate) struct Test<'a> {
    memory: &'a check::Memory,
    awaited: Awaited,
}

impl Test<'_> {
    /// Whether the wait would pass now.
    pub(crate) fn holds(&self) -> bool {
        self.awaited.compare.holds(self.memory.peek_cell(self.awaited.index), self.awaited.expected)
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// What an op does to a signal cell.
    pub(super) fn signal(&self, op: &'a OpInst) -> Result<&'a SignalInst, Halt> {
        op.signal.map(|signal| &self.machine.plan.signals[signal as usize]).ok_or_else(|| bad(op, 0))
    }

    /// The cell that an op reaches.
    #[inline(always)]
    fn signal_cell(&self, signal: &'a SignalInst) -> Result<Cell<'a>, Halt> {
        let machine = &*self.machine;
        let window = self.window(signal.memory)?;
        let owner = match (signal.owner, signal.peer) {
            (Some(owner), _) => owner,
            (None, Some(peer)) => machine.get(peer),
            (None, None) => machine.own(signal.memory) as u64,
        };
        let (mut index, mut inside) = (signal.first, owner < window.domain.len() as u64);
        for axis in &signal.axes {
            let offset = machine.get(axis.offset);
            inside &= offset < axis.extent;
            index = index.wrapping_add(offset.wrapping_mul(axis.stride));
        }
        if !inside {
            return Err(self.outside(signal));
        }
        Ok(Cell { window, owner: owner as usize, index: index as usize })
    }

    /// The fault of a peer that does not exist, or of offsets that are out of bounds.
    #[cold]
    fn outside(&self, signal: &'a SignalInst) -> Halt {
        let op = &self.machine.plan.ops[signal.op as usize];
        let params = op.code.info().params;
        let owner = match op.code.info().peer() {
            Some(peer) => self.peer(op, peer),
            None => self.own(op, signal.param),
        };
        let offsets = params.iter().position(|p| p.kind == ParamKind::Offsets(signal.param as u8));
        let cell = owner.and_then(|owner| self.cell(op, signal.param, owner, offsets.unwrap_or(0)));
        cell.err().unwrap_or_else(|| bad(op, signal.param))
    }

    /// The fault of a refused access to a cell.
    #[cold]
    fn refused_cell(&self, refused: Refused, kind: AccessKind, signal: &SignalInst, cell: Cell<'_>) -> Halt {
        let op = &self.machine.plan.ops[signal.op as usize];
        let runs = Runs::element(cell.index);
        let part = Part { param: signal.param, memory: signal.memory, owner: cell.owner, runs };
        self.refused(refused, kind, op, &part)
    }

    /// The fault of a cell that cannot hold a deposit.
    #[cold]
    fn overflows(&self, deposit: Deposit, signal: &SignalInst, cell: Cell<'_>) -> Halt {
        let (Deposit::Add(add) | Deposit::Set(add)) = deposit;
        let value = cell.window.memory(cell.owner).peek_cell(cell.index);
        self.refused_cell(Refused::Overflow { value, add }, AccessKind::Notify, signal, cell)
    }

    /// `pld::system::notify`, also at the end of `pld::tensor::put_with_signal`.
    #[inline(always)]
    pub(crate) fn deposit(&mut self, signal: &'a SignalInst) -> Out {
        self.before_notify(&self.machine.plan.ops[signal.op as usize])?;
        let cell = self.signal_cell(signal)?;
        let machine = &mut *self.machine;
        let deposit = deposits(signal, machine.get(signal.value));
        let memory = cell.window.memory(cell.owner);
        let by = By { pc: machine.pc, builtin: machine.trail.is_inside() };
        let (mut wakes, mut odd) = (false, None);
        let notifies = machine.cost.self_notifies + machine.cost.peer_notifies;
        // Once, unless the launch asks for something else.
        for _ in 0..machine.faults.deposits(notifies + 1) {
            let machine = &mut *self.machine;
            if !machine.clock.can_release() {
                return Err(machine.over_budget());
            }
            if !memory.is_checked() {
                match memory.notify_unchecked(cell.index, deposit, &mut machine.clock, by) {
                    Some(woken) => wakes |= woken,
                    None => return Err(self.overflows(deposit, signal, cell)),
                }
                continue;
            }
            match self.deposit_checked(memory, cell.index, deposit, by) {
                Ok(notified) => {
                    wakes |= notified.wakes;
                    odd = notified.odd.or(odd);
                }
                Err(refused) => return Err(self.refused_cell(refused, AccessKind::Notify, signal, cell)),
            }
        }
        let machine = &mut *self.machine;
        machine.effects += 1;
        if cell.owner == machine.own(signal.memory) {
            machine.cost.self_notifies += 1;
        } else {
            machine.cost.peer_notifies += 1;
            if let Some(call) = memory.call() {
                self.tell(call, wakes);
            }
        }
        if let Some(odd) = odd {
            self.odd(&odd, signal.memory, (cell.window, cell.owner, cell.index));
        }
        Ok(Flow::Next)
    }

    /// Deposits into a cell of memory that is checked, or leaves a note of that.
    #[inline(always)]
    pub(super) fn deposit_checked(
        &mut self,
        memory: &check::Memory,
        index: usize,
        deposit: Deposit,
        by: By,
    ) -> Result<Notified, Refused> {
        let machine = &mut *self.machine;
        let stamp = machine.clock.stamp(by.pc);
        if memory.takes_notes()
            && let (Deposit::Add(add), Some(call)) = (deposit, memory.call())
            && self.env.leaves_notes(call, self.wake)
            && memory.note(index, add, &mut machine.clock, by)
        {
            machine.trail.notify(stamp);
            self.wake.noted(call);
            return Ok(Notified::default());
        }
        let notified = memory.notify(index, deposit, &mut machine.clock, by)?;
        machine.trail.notify(stamp);
        Ok(notified)
    }

    /// Tells the rank of a call that its memory changed, and whether that satisfies its wait.
    #[inline(always)]
    pub(super) fn tell(&self, call: usize, wakes: bool) {
        if wakes {
            self.wake.wake(call);
        }
        self.env.changed(call, self.wake);
    }

    /// The cell that a wait tests, and what it waits for.
    #[inline(always)]
    fn awaited(&self, signal: &'a SignalInst) -> Result<(Cell<'a>, Awaited), Halt> {
        let cell = self.signal_cell(signal)?;
        let (expected, compare) = awaits(signal, self.machine.get(signal.value));
        Ok((cell, Awaited { index: cell.index, expected, compare }))
    }

    /// What the wait tests before which the rank stands; `None` where it would fail.
    pub(crate) fn test(&self) -> Option<Test<'a>> {
        let plan = self.machine.plan;
        let &Inst::Wait { signal } = plan.code.get(self.machine.pc)? else { return None };
        let (cell, awaited) = self.awaited(&plan.signals[signal as usize]).ok()?;
        Some(Test { memory: cell.window.memory(cell.owner), awaited })
    }

    #[inline(always)]
    pub(crate) fn await_cell(&mut self, signal: &'a SignalInst) -> Out {
        let (cell, awaited) = self.awaited(signal)?;
        let machine = &mut *self.machine;
        let memory = cell.window.memory(cell.owner);
        let waited = memory.wait(awaited, &mut machine.clock, machine.pc);
        self.waited(waited, signal, (cell, awaited))
    }

    /// What a wait comes to that found this.
    #[inline(always)]
    fn waited(
        &mut self,
        waited: Result<Waited, Refused>,
        signal: &SignalInst,
        (cell, awaited): (Cell<'a>, Awaited),
    ) -> Out {
        let machine = &mut *self.machine;
        match waited {
            Ok(Waited::Passed { from, stale, odd }) => {
                machine.cost.waits += 1;
                machine.effects += 1;
                machine.trail.wait(machine.clock.stamp(machine.pc), from);
                if stale.is_some() || odd.is_some() {
                    self.odd_wait(signal, awaited, stale, odd.as_deref());
                }
                Ok(Flow::Next)
            }
            Ok(Waited::Parked) => {
                machine.state = State::Waiting(signal.memory, awaited);
                Ok(Flow::Park)
            }
            Err(refused) => Err(self.refused_cell(refused, AccessKind::Test, signal, cell)),
        }
    }

    /// Remembers what is odd about a wait that passed.
    #[cold]
    pub(super) fn odd_wait(&self, signal: &SignalInst, awaited: Awaited, stale: Option<i32>, odd: Option<&Odd>) {
        let Memory::Window(window) = self.machine.memories[signal.memory as usize] else { return };
        if let Some(value) = stale {
            self.passed_stale(signal.memory, window, awaited, value);
        }
        if let Some(odd) = odd {
            self.odd(odd, signal.memory, (window, self.machine.own(signal.memory), awaited.index));
        }
    }

    /// Remembers a wait that what an earlier launch left in the cell satisfied: the first of the rank.
    #[cold]
    fn passed_stale(&self, memory: u32, window: &Window, awaited: Awaited, value: i32) {
        self.env.mail[self.machine.call()].stale.get_or_init(|| StaleWait {
            site: self.machine.site(),
            cell: cell_of(self.machine.plan, memory, window, self.machine.own(memory), awaited.index),
            value,
            expected: awaited.expected,
            compare: awaited.compare,
        });
    }

    /// Remembers what is odd about a notify or wait of a cell: its window, its owner, and its position.
    #[cold]
    pub(super) fn odd(&self, odd: &Odd, memory: u32, (window, owner, index): (&Window, usize, usize)) {
        if let (Some(pc), Some(call)) = (odd.unordered_read, window.memory(owner).call()) {
            self.order_dependent(call, pc as usize);
        }
        let cell = || cell_of(self.machine.plan, memory, window, owner, index);
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
        if let Some(stale) = odd.stale {
            self.env.stale_wait(window, (owner, index), stale);
        }
    }

    /// Remembers something odd about an instruction of a rank, the first of its kind there.
    #[cold]
    pub(super) fn lint(&self, kind: LintKind, at: Stamp, data: impl FnOnce() -> LintData) {
        self.env.lint(kind, at, data);
    }
}

/// What a notify does with a value.
#[inline(always)]
pub(super) const fn deposits(signal: &SignalInst, value: u64) -> Deposit {
    match signal.does {
        Does::Set => Deposit::Set(value as i32),
        _ => Deposit::Add(value as i32),
    }
}

/// What a wait expects, and how that is compared.
#[inline(always)]
pub(super) const fn awaits(signal: &SignalInst, value: u64) -> (i32, Compare) {
    (value as i32, if matches!(signal.does, Does::Eq) { Compare::Eq } else { Compare::Ge })
}

impl From<Deposit> for CellChange {
    fn from(deposit: Deposit) -> CellChange {
        match deposit {
            Deposit::Add(value) => CellChange::Add(value),
            Deposit::Set(value) => CellChange::Set(value),
        }
    }
}
