//! What the ops that ranks execute have to do with one another: which of them may change places without anybody noticing.

use crate::exec::Exec;
use crate::machine::Memory;
use crate::plan::{Extents, OpInst, Operand};
use crate::region::Runs;
use pl_core::dtype::DType;
use pl_core::op::{Access, AtomicType, EnumKind, NotifyOp, OpCode, ParamKind, WaitCmp};
use pl_core::runtime::WindowId;
use smallvec::SmallVec;

/// What an op does to elements of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Adds to data; `exact` when the order of additions does not show in the sum.
    Add { exact: bool },
    /// Adds to a cell: nothing negative, or anything; as part of a collective, or on the kernel's own account.
    /// `near` tells whether other adds before it could make the cell overflow.
    Credit { negative: bool, builtin: bool, near: bool },
    /// Sets a cell.
    Set,
    /// Waits for a cell: for at least a value, or for one exactly.
    Wait { least: bool },
    /// Looks at a cell, and goes on whatever it holds.
    Look,
    /// Enters a collective, when its own cells may hold nothing but what collectives have deposited.
    Enter,
}

impl Kind {
    const fn changes(self) -> bool {
        !matches!(self, Kind::Read | Kind::Wait { .. } | Kind::Look | Kind::Enter)
    }
}

/// Elements of one rank's memory that an op touches.
#[derive(Clone, Copy, Debug)]
struct Touch {
    window: WindowId,
    /// Whose memory it is: a rank of the window's domain.
    owner: usize,
    /// Whether that is the rank itself.
    own: bool,
    start: usize,
    end: usize,
    kind: Kind,
}

/// An op of a rank that others can see.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The call.
    pub(super) call: u32,
    touches: SmallVec<[Touch; 2]>,
    /// The rank's epochs from the op on, and after it: each notify ends one.
    pub(super) epochs: (u32, u32),
    /// Of a wait: per call, the last epoch that the rank knows after it; empty when it learnt nothing.
    pub(super) known: Box<[u32]>,
    /// Of a `pl::read`: whether the rank parked instead, until others change its memory, in whichever window.
    pub(super) parked: bool,
}

impl Event {
    /// The op that the rank stands at, as far as its arguments can be told; what cannot be told fails when it is executed.
    pub(super) fn next(exec: &Exec<'_, '_, '_>) -> Event {
        let machine = &*exec.machine;
        let epoch = machine.clock.epoch();
        let mut event = Event {
            call: machine.call() as u32,
            touches: SmallVec::new(),
            epochs: (epoch, epoch),
            known: [].into(),
            parked: false,
        };
        if let Some(op) = machine.plan.op_at(machine.pc) {
            if op.code == OpCode::Enter {
                event.touches.extend(entering(exec, op));
            }
            for (index, param) in op.code.info().params.iter().enumerate() {
                if let ParamKind::Memory(access, _) = param.kind
                    && access != Access::Name
                {
                    event.touches.extend(touch(exec, op, index, access));
                }
            }
        }
        event
    }

    /// The element that a `pl::read` of a cell looks at.
    pub(super) fn looks_at(&self) -> Option<(WindowId, usize)> {
        self.touches.iter().find(|touch| touch.kind == Kind::Look).map(|touch| (touch.window, touch.start))
    }

    /// Whether it is a wait: it does not happen before what it waits for.
    pub(super) fn waits(&self) -> bool {
        self.touches.iter().any(|touch| matches!(touch.kind, Kind::Wait { .. }))
    }

    /// Whether the two may not change places: executed in the other order, they or what follows could be different. They are of two ranks.
    ///
    /// Not told here is that a wait is ordered after the notifies that it learnt from: these cannot change places, since it does not pass before. An
    /// `AtomicAdd` that comes before or after a `Ge` wait which passes without it makes no difference to the wait: it learns from the first
    /// notifies that satisfy it. Two adds to one cell by different peers do make one, to a wait that passes because of the first. One of
    /// the owner does not: it carries no knowledge.
    pub(super) fn depends(&self, other: &Event) -> bool {
        let wakes = |parked: &Event, other: &Event| parked.parked && other.touches.iter().any(|t| t.kind.changes());
        wakes(self, other)
            || wakes(other, self)
            || self.touches.iter().any(|a| other.touches.iter().any(|b| a.depends(b)))
    }
}

impl Touch {
    fn depends(&self, other: &Touch) -> bool {
        let apart = (self.window, self.owner) != (other.window, other.owner)
            || self.start >= other.end
            || other.start >= self.end;
        if apart || !(self.kind.changes() || other.kind.changes()) {
            return false;
        }
        match (self.kind, other.kind) {
            (Kind::Add { exact }, Kind::Add { .. }) => !exact,
            (Kind::Credit { near: a, .. }, Kind::Credit { near: b, .. }) => !(self.own || other.own) || a || b,
            (Kind::Credit { negative, .. }, Kind::Wait { least })
            | (Kind::Wait { least }, Kind::Credit { negative, .. }) => negative || !least,
            (Kind::Credit { builtin, .. }, Kind::Enter) | (Kind::Enter, Kind::Credit { builtin, .. }) => !builtin,
            _ => true,
        }
    }
}

/// What a rank that enters a collective looks at: all its cells of the signal.
fn entering(exec: &Exec<'_, '_, '_>, op: &OpInst) -> Option<Touch> {
    let machine = &*exec.machine;
    let &Operand::Memory(memory) = op.args.first()? else { return None };
    let &Memory::Window(window) = machine.memories.get(memory as usize)? else { return None };
    let (owner, end) = (machine.own(memory), window.elements);
    Some(Touch { window: window.id, owner, own: true, start: 0, end, kind: Kind::Enter })
}

fn touch(exec: &Exec<'_, '_, '_>, op: &OpInst, index: usize, access: Access) -> Option<Touch> {
    let machine = &*exec.machine;
    let plan = machine.plan;
    let &Operand::Memory(memory) = op.args.get(index)? else { return None };
    let &Memory::Window(window) = machine.memories.get(memory as usize)? else { return None };
    let info = &plan.memories[memory as usize];
    let params = op.code.info().params;
    let local = op.code.info().chunks.is_some_and(|chunks| usize::from(chunks.local) == index);
    let own = machine.own(memory);
    let owner = match op.code.info().peer().filter(|_| !local).and_then(|at| op.args.get(at)) {
        Some(&Operand::Scalar(reg)) => usize::try_from(machine.get(reg)).ok()?,
        _ => own,
    };
    if owner >= window.domain.len() {
        return None;
    }
    let (offsets, extents) = plan.box_of(op, index);
    let at = offsets.iter().map(|&reg| machine.get(reg));
    let runs = match extents {
        Extents::Whole => Runs::first(info.elements),
        Extents::Element => Runs::new(&info.shape, at, offsets.iter().map(|_| 1)).ok()?,
        Extents::Listed(list) => Runs::new(&info.shape, at, list.iter().map(|&reg| machine.get(reg))).ok()?,
        Extents::Tile(tile) => {
            Runs::new(&info.shape, at, machine.tiles.shape(tile).extents().iter().map(|&e| e as u64)).ok()?
        }
    };
    let chosen = |kind: EnumKind| {
        let at = params.iter().position(|p| p.kind == ParamKind::Enum(kind))?;
        match op.args.get(at) {
            Some(&Operand::Enum(value)) => Some(value),
            _ => None,
        }
    };
    let kind = match access {
        Access::Notify if chosen(EnumKind::NotifyOp).and_then(NotifyOp::from_wire) == Some(NotifyOp::Set) => Kind::Set,
        Access::Notify => {
            let value = params.iter().position(|p| p.kind == ParamKind::I32).and_then(|at| op.args.get(at));
            let add = match value {
                Some(&Operand::Scalar(reg)) => machine.get(reg) as i32,
                _ => i32::MIN,
            };
            // Adds of this size, or to a cell this full, may overflow in one order and not in another.
            let near =
                add.unsigned_abs() >= 1 << 16 || window.memory(owner).peek_cell(runs.base()).unsigned_abs() >= 1 << 30;
            Kind::Credit { negative: add < 0, builtin: machine.trail.is_inside(), near }
        }
        Access::Wait => {
            Kind::Wait { least: chosen(EnumKind::WaitCmp).and_then(WaitCmp::from_wire) == Some(WaitCmp::Ge) }
        }
        Access::Read if op.code == OpCode::Read && info.dtype == DType::I32 => Kind::Look,
        Access::Read | Access::Name => Kind::Read,
        Access::Write | Access::ReadWrite
            if chosen(EnumKind::AtomicType).and_then(AtomicType::from_wire) == Some(AtomicType::Add) =>
        {
            Kind::Add { exact: !info.dtype.is_float() }
        }
        Access::Write | Access::ReadWrite => Kind::Write,
    };
    Some(Touch { window: window.id, owner, own: owner == own, start: runs.base(), end: runs.end(), kind })
}
