//! Conditions and indices that names and integers decide before the run.
//!
//! What is decided is not executed, so it must be what executing it would give: wherever an operator would fail (an index below
//! zero, an overflow, a division by zero), nothing is decided, and the run reports it. `&&` and `||` are decided from the left.

use crate::bind::Bindings;
use crate::ir::{BinOp, ConstValue, Expr, ExprKind, Function, Lit, ScalarType, UnOp};

/// What is known when something is decided.
pub(crate) struct Known<'a> {
    /// The function, whose constants may have values.
    pub(crate) function: &'a Function,
    /// The values of dims, once they have some.
    pub(crate) bindings: Option<&'a Bindings>,
    /// What locals stand for.
    pub(crate) values: &'a [Option<Expr>],
}

/// A number, and in which type it was computed.
#[derive(Clone, Copy)]
struct Number {
    value: i128,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Index,
    /// Of bare literals only, which take the type of what they meet; and whether something on the way was below zero.
    Literal {
        negative: bool,
    },
    /// Of another type, or of one that is not known here.
    Other,
}

impl Known<'_> {
    /// The value of an index expression.
    pub(crate) fn index(&self, expr: &Expr) -> Option<i128> {
        let number = self.number(expr)?;
        (number.value >= 0).then_some(number.value)
    }

    /// The truth of a condition.
    pub(crate) fn truth(&self, cond: &Expr) -> Option<bool> {
        match &cond.kind {
            ExprKind::Lit { value: Lit::Bool(b), .. } => Some(*b),
            ExprKind::Local(id) => self.truth(self.values.get(id.0 as usize)?.as_ref()?),
            ExprKind::Unary(UnOp::Not, a) => self.truth(a).map(|b| !b),
            ExprKind::Binary(BinOp::And, a, b) => Some(self.truth(a)? && self.truth(b)?),
            ExprKind::Binary(BinOp::Or, a, b) => Some(self.truth(a)? || self.truth(b)?),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                together(a.kind, b.kind)?;
                let (a, b) = (a.value, b.value);
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

    fn number(&self, expr: &Expr) -> Option<Number> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Int(value), ty: None } => {
                Some(Number { value: *value, kind: Kind::Literal { negative: *value < 0 } })
            }
            ExprKind::Lit { value: Lit::Int(value), ty: Some(ScalarType::Index) } => {
                Some(Number { value: *value, kind: Kind::Index })
            }
            ExprKind::Lit { value: Lit::Int(value), ty: Some(_) } => Some(Number { value: *value, kind: Kind::Other }),
            // The literals of a local have the type of the local, which is not known here.
            ExprKind::Local(id) => match self.number(self.values.get(id.0 as usize)?.as_ref()?)? {
                Number { value, kind: Kind::Literal { .. } } => Some(Number { value, kind: Kind::Other }),
                number => Some(number),
            },
            ExprKind::Name(name) => {
                let value = self.function.value_of_name(name, self.bindings)?;
                let other = matches!(
                    self.function.constant(name).and_then(|c| c.value.as_ref()),
                    Some(ConstValue::Scalar(_, ty)) if *ty != ScalarType::Index
                );
                Some(Number { value, kind: if other { Kind::Other } else { Kind::Index } })
            }
            ExprKind::Unary(UnOp::Neg, a) => match self.number(a)? {
                Number { value, kind: Kind::Literal { .. } } => {
                    within(value.checked_neg()?, Kind::Literal { negative: true })
                }
                _ => None,
            },
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let kind = together(a.kind, b.kind)?;
                let (a, b) = (a.value, b.value);
                let value = match op {
                    BinOp::Add => a.checked_add(b)?,
                    BinOp::Sub => a.checked_sub(b)?,
                    BinOp::Mul => a.checked_mul(b)?,
                    BinOp::Div => a.checked_div(b)?,
                    BinOp::Rem => a.checked_rem(b)?,
                    BinOp::Min => a.min(b),
                    BinOp::Max => a.max(b),
                    _ => return None,
                };
                // Of any type, these stay between their operands.
                let shrinks = matches!(op, BinOp::Div | BinOp::Rem | BinOp::Min | BinOp::Max) && a >= 0 && b >= 0;
                if kind == Kind::Other { shrinks.then_some(Number { value, kind }) } else { within(value, kind) }
            }
            _ => None,
        }
    }
}

/// The kind of two numbers in one expression; `None` where a literal that was below zero meets an index.
fn together(a: Kind, b: Kind) -> Option<Kind> {
    match (a, b) {
        (Kind::Literal { negative: a }, Kind::Literal { negative: b }) => Some(Kind::Literal { negative: a || b }),
        (Kind::Literal { negative }, Kind::Index) | (Kind::Index, Kind::Literal { negative }) => {
            (!negative).then_some(Kind::Index)
        }
        (Kind::Index, Kind::Index) => Some(Kind::Index),
        _ => Some(Kind::Other),
    }
}

/// A number, when its type has it.
fn within(value: i128, kind: Kind) -> Option<Number> {
    match kind {
        Kind::Index => (0..=i128::from(i64::MAX)).contains(&value).then_some(Number { value, kind }),
        Kind::Literal { negative } => {
            let kind = Kind::Literal { negative: negative || value < 0 };
            (i128::from(i32::MIN)..=i128::from(i32::MAX)).contains(&value).then_some(Number { value, kind })
        }
        Kind::Other => None,
    }
}
