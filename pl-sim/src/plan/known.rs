//! Scalar instructions, as functions of the registers that they read: for whoever follows a plan, and does not execute one instruction after the other.

use super::{Dst, Inst, Plan, Reg, scalar};
use pl_core::fault::ArithmeticProblem;

impl Plan {
    /// The registers to which an instruction gives values.
    pub(crate) fn assigns(&self, inst: Inst) -> [Option<Reg>; 2] {
        match inst {
            Inst::Extent { dst, .. } => [Some(dst), None],
            Inst::Head { var, .. } => [Some(var), None],
            Inst::Next { counter, var, .. } => [Some(counter), Some(var)],
            _ => match self.op_of(inst).map(|op| op.dst) {
                Some(Dst::Scalar(dst)) => [Some(dst), None],
                _ => [inst.computes().map(|(dst, _)| dst), None],
            },
        }
    }
}

impl Inst {
    /// The register that a scalar instruction gives a value, and what it reads for that; `None` for any other instruction.
    pub(crate) const fn computes(self) -> Option<(Reg, [Option<Reg>; 2])> {
        Some(match self {
            Inst::Move { dst, src } => (dst, [Some(src), None]),
            Inst::Index { dst, a, b, .. } | Inst::Binary { dst, a, b, .. } => (dst, [Some(a), Some(b)]),
            Inst::AddAsI32 { dst, index, b } => (dst, [Some(index), Some(b)]),
            Inst::Unary { dst, a, .. } | Inst::Cast { dst, a, .. } => (dst, [Some(a), None]),
            _ => return None,
        })
    }

    /// The value that a scalar instruction computes from those of the registers that it reads, in their order.
    pub(crate) fn compute(self, [a, b]: [u64; 2]) -> Result<u64, ArithmeticProblem> {
        match self {
            Inst::Index { op, .. } => scalar::index(op, a, b),
            Inst::Binary { op, ty, .. } => scalar::binary(op, ty, a, b),
            Inst::AddAsI32 { .. } => scalar::add_as_i32(a, b),
            Inst::Unary { op, ty, .. } => scalar::unary(op, ty, a),
            Inst::Cast { from, to, .. } => Ok(scalar::cast(from, to, a)),
            _ => Ok(a),
        }
    }
}
