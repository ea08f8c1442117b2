//! Which cells a rank's plan can notify: what is known of peer and offsets without running it. Used only when a deadlock is explained.

use super::{Dst, Inst, Operand, Plan, Reg};
use crate::plan::scalar;
use pl_core::op::{Access, OpCode, ParamKind, ResultKind};

/// A rank, and the cell of another that it might notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The rank.
    pub(crate) rank: usize,
    /// How many there are.
    pub(crate) ranks: usize,
    /// Whose cell it is.
    pub(crate) peer: usize,
    /// The cell's position.
    pub(crate) cell: usize,
}

/// What is known of a register when its rank is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing assigned it yet.
    Nothing,
    /// It has one value.
    Value(u64),
    /// It has several, or depends on data.
    Anything,
}

impl Known {
    fn join(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (Known::Value(a), Known::Value(b)) if a == b => self,
            _ => Known::Anything,
        }
    }
}

impl Plan {
    /// Whether this plan, run by that rank, has a notify of the cell that nothing rules out: its instruction. `is_this` tells whether
    /// a memory is the cell's window.
    pub(crate) fn can_notify(&self, is_this: impl Fn(u32) -> bool, reach: Reach) -> Option<usize> {
        let notifies = self.code.iter().enumerate().filter_map(|(pc, inst)| match *inst {
            Inst::Op { op } => {
                let op = &self.ops[op as usize];
                let params = op.code.info().params;
                let at = params.iter().position(|p| matches!(p.kind, ParamKind::Memory(Access::Notify, _)))?;
                let Operand::Memory(memory) = op.args[at] else { return None };
                is_this(memory).then_some((pc, memory, op))
            }
            _ => None,
        });
        let mut known = None;
        for (pc, memory, op) in notifies {
            let known = known.get_or_insert_with(|| self.known(reach.rank, reach.ranks));
            let value = |reg: Reg| match known[reg as usize] {
                Known::Value(value) => Some(value),
                _ => None,
            };
            let mut possible = true;
            for (arg, param) in op.args.iter().zip(op.code.info().params) {
                match (*arg, param.kind) {
                    (Operand::Scalar(reg), ParamKind::Peer) => {
                        possible &= value(reg).is_none_or(|peer| peer == reach.peer as u64);
                    }
                    (Operand::List(start, len), ParamKind::Offsets(_)) => {
                        let indices = crate::region::indices(&self.memories[memory as usize].shape, reach.cell);
                        let offsets = self.list(start, len).iter().zip(&indices);
                        possible &= offsets.into_iter().all(|(&reg, &i)| value(reg).is_none_or(|v| v == i as u64));
                    }
                    _ => {}
                }
            }
            if possible {
                return Some(pc);
            }
        }
        None
    }

    /// What is known of each register, over all paths.
    fn known(&self, rank: usize, ranks: usize) -> Vec<Known> {
        let mut known: Vec<Known> =
            self.registers.iter().map(|r| r.constant.map_or(Known::Nothing, Known::Value)).collect();
        for scalar in &self.scalars {
            known[scalar.reg as usize] = Known::Anything;
        }
        // A value only ever becomes less known, twice at most.
        loop {
            let before = known.clone();
            for inst in &self.code {
                self.learn(*inst, rank, ranks, &mut known);
            }
            if known == before {
                return known;
            }
        }
    }

    fn learn(&self, inst: Inst, rank: usize, ranks: usize, known: &mut [Known]) {
        let get = |known: &[Known], reg: Reg| known[reg as usize];
        let with = |a: Known, f: &dyn Fn(u64) -> Option<u64>| match a {
            Known::Nothing => Known::Nothing,
            Known::Value(a) => f(a).map_or(Known::Anything, Known::Value),
            Known::Anything => Known::Anything,
        };
        let both = |a: Known, b: Known, f: &dyn Fn(u64, u64) -> Option<u64>| match (a, b) {
            (Known::Value(a), Known::Value(b)) => f(a, b).map_or(Known::Anything, Known::Value),
            (Known::Anything, _) | (_, Known::Anything) => Known::Anything,
            _ => Known::Nothing,
        };
        let (dst, value) = match inst {
            Inst::Move { dst, src } => (dst, get(known, src)),
            Inst::Index { op, dst, a, b } => {
                (dst, both(get(known, a), get(known, b), &|a, b| scalar::index(op, a, b).ok()))
            }
            Inst::Binary { op, ty, dst, a, b } => {
                (dst, both(get(known, a), get(known, b), &|a, b| scalar::binary(op, ty, a, b).ok()))
            }
            Inst::Unary { op, ty, dst, a } => (dst, with(get(known, a), &|a| scalar::unary(op, ty, a).ok())),
            Inst::Cast { from, to, dst, a } => (dst, with(get(known, a), &|a| Some(scalar::cast(from, to, a)))),
            Inst::Extent { dst, .. } => (dst, Known::Anything),
            Inst::Head { counter, var, .. } => (var, get(known, counter)),
            Inst::Next { counter, .. } => (counter, Known::Anything),
            Inst::Op { op } => {
                let op = &self.ops[op as usize];
                let Dst::Scalar(dst) = op.dst else { return };
                let value = match (op.code, op.code.info().result) {
                    (OpCode::Rank, _) => Known::Value(rank as u64),
                    (OpCode::Nranks, _) => Known::Value(ranks as u64),
                    (_, ResultKind::None) => return,
                    _ => Known::Anything,
                };
                (dst, value)
            }
            _ => return,
        };
        known[dst as usize] = known[dst as usize].join(value);
    }
}
