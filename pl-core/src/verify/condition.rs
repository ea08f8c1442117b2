//! Conditions that names and integers decide.

use crate::ir::{BinOp, Expr, ExprKind, Lit, UnOp};

/// The truth of a condition; `value` gives the value of an index expression that has one.
pub(crate) fn truth(cond: &Expr, value: &dyn Fn(&Expr) -> Option<i128>) -> Option<bool> {
    match &cond.kind {
        ExprKind::Lit { value: Lit::Bool(b), .. } => Some(*b),
        ExprKind::Unary(UnOp::Not, a) => truth(a, value).map(|b| !b),
        ExprKind::Binary(BinOp::And, a, b) => match (truth(a, value), truth(b, value)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => Some(a? && b?),
        },
        ExprKind::Binary(BinOp::Or, a, b) => match (truth(a, value), truth(b, value)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (a, b) => Some(a? || b?),
        },
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            let (a, b) = (value(a)?, value(b)?);
            Some(match op {
                BinOp::Eq => a == b,
                BinOp::Ne => a != b,
                BinOp::Lt => a < b,
                BinOp::Le => a <= b,
                BinOp::Gt => a > b,
                _ => a >= b,
            })
        }
        _ => None,
    }
}
