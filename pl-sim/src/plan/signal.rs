//! Ops on signal cells, with their arguments resolved: what of a cell's position is constant is computed here, once.

use super::{Around, OpInst, Operand, Plan, Reg};
use pl_core::op::{Access, EnumKind, NotifyOp, ParamKind, WaitCmp};

/// An op that notifies a cell, or waits for one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SignalInst {
    /// The op: an index into [`Plan::ops`].
    pub(crate) op: u32,
    /// Which of its arguments is the signal.
    pub(crate) param: usize,
    /// The signal.
    pub(crate) memory: u32,
    /// The register with the rank whose cell it is; `None`: the own one.
    pub(crate) peer: Option<Reg>,
    /// That rank, where it is known.
    pub(crate) owner: Option<u64>,
    /// The register with what is deposited, or expected.
    pub(crate) value: Reg,
    /// What is done with that.
    pub(crate) does: Does,
    /// The position of the cell, as far as it is constant; the axes give the rest.
    pub(crate) first: u64,
    /// The offsets that only a run knows.
    pub(crate) axes: Box<[Axis]>,
    /// The loop around it, where that does nothing else.
    pub(crate) around: Option<Around>,
}

/// What an op does with a cell and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// Adds it.
    Add,
    /// Sets it.
    Set,
    /// Waits until the cell is as much.
    Eq,
    /// Waits until the cell is at least as much.
    Ge,
}

/// One offset of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Its register.
    pub(crate) offset: Reg,
    /// It is less than this.
    pub(crate) extent: u64,
    /// Elements from one index to the next.
    pub(crate) stride: u64,
}

impl SignalInst {
    /// Resolves the arguments of the op with this number, if it is such an op.
    pub(super) fn new(plan: &Plan, number: u32, op: &OpInst) -> Option<SignalInst> {
        let params = op.code.info().params;
        let is_signal = |kind| matches!(kind, ParamKind::Memory(Access::Notify | Access::Wait, _));
        let param = params.iter().position(|p| is_signal(p.kind))?;
        let find = |kind| params.iter().position(|p| p.kind == kind).and_then(|at| op.args.get(at).copied());
        let Some(&Operand::Memory(memory)) = op.args.get(param) else { return None };
        let does = match (find(ParamKind::Enum(EnumKind::NotifyOp)), find(ParamKind::Enum(EnumKind::WaitCmp))) {
            (Some(Operand::Enum(value)), _) => match NotifyOp::from_wire(value)? {
                NotifyOp::AtomicAdd => Does::Add,
                NotifyOp::Set => Does::Set,
            },
            (_, Some(Operand::Enum(value))) => match WaitCmp::from_wire(value)? {
                WaitCmp::Eq => Does::Eq,
                WaitCmp::Ge => Does::Ge,
            },
            _ => return None,
        };
        let peer = match find(ParamKind::Peer) {
            Some(Operand::Scalar(reg)) => Some(reg),
            _ => None,
        };
        let Some(Operand::Scalar(value)) = find(ParamKind::I32) else { return None };
        let Some(Operand::List(start, len)) = find(ParamKind::Offsets(param as u8)) else { return None };
        let (offsets, shape) = (plan.list(start, len), &plan.memories[memory as usize].shape);
        if offsets.len() != shape.len() {
            return None;
        }
        let (mut first, mut axes, mut stride) = (0, vec![], 1);
        for (&offset, &extent) in offsets.iter().zip(shape).rev() {
            match plan.registers[offset as usize].constant {
                Some(at) if at < extent as u64 => first += at * stride,
                _ => axes.push(Axis { offset, extent: extent as u64, stride }),
            }
            stride *= extent as u64;
        }
        let (owner, axes, around) = (None, axes.into(), None);
        Some(SignalInst { op: number, param, memory, peer, owner, value, does, first, axes, around })
    }
}
