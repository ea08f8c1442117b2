//! Scalars of a `Host` function, computed as devices compute them.

use super::interpreter::Interpreter;
use super::value::Value;
use crate::host::Error;
use pl_core::fault::ArithmeticProblem;
use pl_core::ir::{BinOp, ConstValue, Elem, Expr, ExprKind, Lit, Loc, ScalarType, UnOp};
use pl_core::verify::{cast_operand, default_scalar};
use pl_sim::scalar::{self, ScalarTy};

/// A scalar type of a function whose type parameters have values.
pub(super) fn scalar_type(ty: &ScalarType) -> Option<ScalarTy> {
    Some(match ty {
        ScalarType::Index => ScalarTy::Index,
        ScalarType::Bool => ScalarTy::Bool,
        ScalarType::Elem(Elem::Known(dtype)) => ScalarTy::Elem(*dtype),
        ScalarType::Elem(Elem::Param(_)) => return None,
    })
}

impl Interpreter<'_, '_> {
    /// The value of an index expression.
    pub(super) fn index(&self, expr: &Expr, at: Loc) -> Result<u64, Error> {
        Ok(self.scalar(expr, Some(ScalarTy::Index), at)?.0)
    }

    /// The truth of a condition.
    pub(super) fn truth(&self, cond: &Expr, at: Loc) -> Result<bool, Error> {
        Ok(self.scalar(cond, Some(ScalarTy::Bool), at)?.0 != 0)
    }

    /// The value of a scalar expression, as a register holds it; bare literals are of the type `wanted`.
    pub(super) fn scalar(&self, expr: &Expr, wanted: Option<ScalarTy>, at: Loc) -> Result<(u64, ScalarTy), Error> {
        let at = expr.loc.or(at);
        let own = |e: &Expr| self.inferred.scalar_type(&self.function, e).as_ref().and_then(scalar_type);
        let ty = match own(expr).or(wanted) {
            Some(ty) => ty,
            None => self.known(scalar_type(&default_scalar(expr)), at)?,
        };
        let bits = match &expr.kind {
            ExprKind::Lit { value, .. } => self.known(ty.literal(*value), at)?,
            ExprKind::Name(name) => return self.named(name, at),
            ExprKind::Local(id) => match self.value(*id) {
                Some(Value::Scalar(bits, ty)) => return Ok((*bits, *ty)),
                _ => return Err(self.internal(at)),
            },
            ExprKind::Extent(id, axis) => {
                let extent = self.value(*id).and_then(|value| self.shape(value).get(*axis as usize).copied());
                self.known(extent, at)? as u64
            }
            // `-128i8` is a literal, of which 128 alone is none.
            ExprKind::Unary(UnOp::Neg, a) if matches!(a.kind, ExprKind::Lit { value: Lit::Int(1..), .. }) => {
                let ExprKind::Lit { value: Lit::Int(value), .. } = a.kind else { return Err(self.internal(at)) };
                self.known(ty.literal(Lit::Int(-value)), at)?
            }
            ExprKind::Unary(op, a) => {
                let (a, a_ty) = self.scalar(a, Some(ty), at)?;
                let shown = || format!("{}{}", if *op == UnOp::Neg { "-" } else { "!" }, a_ty.show(a));
                scalar::unary(*op, a_ty, a).map_err(|problem| self.arithmetic(problem, &shown(), a_ty, at))?
            }
            ExprKind::Cast(to, a) => {
                let bare = self.known(scalar_type(&cast_operand(to, a)), at)?;
                let (a, from) = self.scalar(a, Some(bare), at)?;
                scalar::cast(from, ty, a)
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                let left = self.truth(a, at)?;
                u64::from(if left == (*op == BinOp::And) { self.truth(b, at)? } else { left })
            }
            ExprKind::Binary(op, a, b) => {
                let side = match own(a).or_else(|| own(b)) {
                    Some(side) if op.is_comparison() => side,
                    None if op.is_comparison() => self.known(scalar_type(&default_scalar(expr)), at)?,
                    _ => ty,
                };
                let (a, _) = self.scalar(a, Some(side), at)?;
                let (b, _) = self.scalar(b, Some(side), at)?;
                scalar::binary(*op, side, a, b).map_err(|problem| {
                    let shown = format!("{} {} {}", side.show(a), op.symbol(), side.show(b));
                    self.arithmetic(problem, &shown, side, at)
                })?
            }
        };
        Ok((bits, ty))
    }

    /// The value of a dim or a constant.
    fn named(&self, name: &str, at: Loc) -> Result<(u64, ScalarTy), Error> {
        if let Some(value) = self.bindings.dims.get(name) {
            return Ok((*value as u64, ScalarTy::Index));
        }
        match self.function.constant(name).and_then(|c| c.value.as_ref()) {
            Some(ConstValue::Scalar(lit, ty)) => {
                let ty = self.known(scalar_type(ty), at)?;
                Ok((self.known(ty.literal(*lit), at)?, ty))
            }
            _ => Err(self.internal(at)),
        }
    }

    fn arithmetic(&self, problem: ArithmeticProblem, operation: &str, ty: ScalarTy, at: Loc) -> Error {
        let (what, help) = match (problem, ty) {
            (ArithmeticProblem::Underflow, ScalarTy::Index) => (
                "is less than 0",
                "an index is never negative: compare before you subtract, or add before you subtract",
            ),
            (ArithmeticProblem::Overflow, ScalarTy::Index) => {
                ("overflows", "an index has 64 bits: look at where these values come from")
            }
            (ArithmeticProblem::Underflow, _) => ("underflows", "cast the operands to a wider type"),
            (ArithmeticProblem::Overflow, _) => ("overflows", "cast the operands to a wider type"),
            (ArithmeticProblem::DivisionByZero, _) => ("divides by zero", "test the divisor before"),
            (ArithmeticProblem::ZeroStep, _) => ("has a step of zero", "the step of `pl::range` must be at least 1"),
        };
        self.error(at, format!("`{operation}` {what} (`{}`)", ty.name()), help)
    }
}
