//! Scalar arithmetic on registers: indices and integer elements are checked, floats follow IEEE, 16-bit floats round per operation, `as`
//! follows Rust.

use crate::num::{Element, with_element};
use half::{bf16, f16};
use pl_core::dtype::DType;
use pl_core::fault::ArithmeticProblem;
use pl_core::ir::{BinOp, Lit, UnOp};
use std::cmp::Ordering;

/// The type of a scalar, with nothing left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarTy {
    /// `bool`: 0 or 1.
    Bool,
    /// `usize`: 64 bits.
    Index,
    /// An element.
    Elem(DType),
}

impl ScalarTy {
    /// The name as Rust writes it.
    pub const fn name(self) -> &'static str {
        match self {
            ScalarTy::Bool => "bool",
            ScalarTy::Index => "usize",
            ScalarTy::Elem(dtype) => dtype.name(),
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarTy::Elem(dtype) if dtype.is_float())
    }

    /// The register that holds a literal; `None` when the type cannot hold it.
    pub fn literal(self, lit: Lit) -> Option<u64> {
        match (self, lit) {
            (ScalarTy::Bool, Lit::Bool(value)) => Some(u64::from(value)),
            (ScalarTy::Index, Lit::Int(value)) => u64::try_from(value).ok(),
            (ScalarTy::Elem(dtype), Lit::Int(value)) => match dtype.int_range() {
                Some((low, high)) => (low..=high).contains(&value).then_some(value as i64 as u64),
                None => Some(float_literal(dtype, value as f64)),
            },
            (ScalarTy::Elem(dtype), Lit::Float(value)) => match dtype.int_range() {
                Some((low, high)) => {
                    let whole = value as i128;
                    (whole as f64 == value && (low..=high).contains(&whole)).then_some(whole as i64 as u64)
                }
                None => Some(float_literal(dtype, value)),
            },
            _ => None,
        }
    }

    /// The literal that gives this register.
    pub fn value(self, bits: u64) -> Lit {
        match self {
            ScalarTy::Bool => Lit::Bool(bits != 0),
            ScalarTy::Index => Lit::Int(i128::from(bits)),
            ScalarTy::Elem(dtype) if dtype.is_float() => Lit::Float(f64::from(float_value(dtype, bits))),
            ScalarTy::Elem(_) => Lit::Int(i128::from(bits as i64)),
        }
    }

    /// A register of this type as Rust writes the value.
    pub fn show(self, bits: u64) -> String {
        match self {
            ScalarTy::Bool => (bits != 0).to_string(),
            ScalarTy::Index => bits.to_string(),
            ScalarTy::Elem(DType::F32) => format!("{:?}", f32::from_register(bits)),
            ScalarTy::Elem(DType::F16) => format!("{:?}", f16::from_register(bits).widen()),
            ScalarTy::Elem(DType::BF16) => format!("{:?}", bf16::from_register(bits).widen()),
            ScalarTy::Elem(_) => (bits as i64).to_string(),
        }
    }
}

/// A float literal, rounded once.
fn float_literal(dtype: DType, value: f64) -> u64 {
    // Through `f32` with the lost bits gathered in its last one, so that the second rounding sees which side of a tie it is on.
    let near = value as f32;
    let odd = if f64::from(near) == value || !near.is_finite() || near.to_bits() & 1 == 1 {
        near
    } else if (f64::from(near) < value) == (value > 0.0) {
        f32::from_bits(near.to_bits() + 1)
    } else {
        f32::from_bits(near.to_bits() - 1)
    };
    match dtype {
        DType::F16 => <f16 as Element>::from_f32(odd).to_register(),
        DType::BF16 => <bf16 as Element>::from_f32(odd).to_register(),
        _ => near.to_register(),
    }
}

/// Integers whose arithmetic is checked.
trait Checked: Element + Ord {
    fn checked(op: BinOp, a: Self, b: Self) -> Option<Self>;
}

macro_rules! checked {
    ($($t:ident)*) => {$(
        impl Checked for $t {
            #[inline(always)]
            fn checked(op: BinOp, a: Self, b: Self) -> Option<Self> {
                match op {
                    BinOp::Add => a.checked_add(b),
                    BinOp::Sub => a.checked_sub(b),
                    BinOp::Mul => a.checked_mul(b),
                    BinOp::Div => a.checked_div(b),
                    // The remainder by -1 is 0, also where the quotient does not fit.
                    _ => if b == 0 { None } else { Some(a.wrapping_rem(b)) },
                }
            }
        }
    )*};
}

checked!(i8 i16 i32 i64 u8 u32);

/// Which problem an operation has that gives no result.
fn problem(op: BinOp, a: i128, b: i128) -> ArithmeticProblem {
    let exact = match op {
        BinOp::Div | BinOp::Rem if b == 0 => return ArithmeticProblem::DivisionByZero,
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a.saturating_mul(b),
        _ => return ArithmeticProblem::Overflow,
    };
    if exact < 0 { ArithmeticProblem::Underflow } else { ArithmeticProblem::Overflow }
}

/// A binary operator on two indices.
#[inline]
pub(crate) fn index(op: BinOp, a: u64, b: u64) -> Result<u64, ArithmeticProblem> {
    let result = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div => a.checked_div(b),
        BinOp::Rem => a.checked_rem(b),
        BinOp::Min => Some(a.min(b)),
        BinOp::Max => Some(a.max(b)),
        _ => Some(u64::from(compares(op, a, b))),
    };
    result.ok_or_else(|| problem(op, i128::from(a), i128::from(b)))
}

/// Whether a comparison of two indices holds.
#[inline(always)]
pub(crate) fn compares(op: BinOp, a: u64, b: u64) -> bool {
    match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        _ => a >= b,
    }
}

/// Whether a comparison holds; `None`: one side is NaN.
#[inline]
const fn compare(op: BinOp, order: Option<Ordering>) -> bool {
    match (op, order) {
        (BinOp::Ne, None) => true,
        (_, None) => false,
        (BinOp::Eq, Some(order)) => order.is_eq(),
        (BinOp::Ne, Some(order)) => order.is_ne(),
        (BinOp::Lt, Some(order)) => order.is_lt(),
        (BinOp::Le, Some(order)) => order.is_le(),
        (BinOp::Gt, Some(order)) => order.is_gt(),
        (_, Some(order)) => order.is_ge(),
    }
}

/// An integer operation.
fn integer<T: Checked>(op: BinOp, a: u64, b: u64) -> Result<u64, ArithmeticProblem> {
    let (x, y) = (T::from_register(a), T::from_register(b));
    match op {
        BinOp::Min => Ok(x.min(y).to_register()),
        BinOp::Max => Ok(x.max(y).to_register()),
        _ if op.is_comparison() => Ok(u64::from(compare(op, Some(x.cmp(&y))))),
        _ => T::checked(op, x, y)
            .map(T::to_register)
            .ok_or_else(|| problem(op, i128::from(a as i64), i128::from(b as i64))),
    }
}

/// A float operation; 16-bit floats round once.
fn float<T: Element<Wide = f32>>(op: BinOp, a: u64, b: u64) -> u64 {
    let (x, y) = (T::from_register(a), T::from_register(b));
    let result = match op {
        BinOp::Add => x.add(y),
        BinOp::Sub => x.sub(y),
        BinOp::Mul => x.mul(y),
        BinOp::Div => x.div(y),
        BinOp::Rem => T::from_f32(x.widen() % y.widen()),
        BinOp::Min => x.minimum(y),
        BinOp::Max => x.maximum(y),
        _ => return u64::from(compare(op, x.widen().partial_cmp(&y.widen()))),
    };
    result.to_register()
}

/// `index as i32 + b`
#[inline(always)]
pub(crate) fn add_as_i32(index: u64, b: u64) -> Result<u64, ArithmeticProblem> {
    let (a, b) = (index as i32, b as i32);
    a.checked_add(b).map(i32::to_register).ok_or_else(|| problem(BinOp::Add, a.into(), b.into()))
}

/// A binary operator on two scalars of one type.
///
/// # Errors
/// The problem of an operation that has no result.
pub fn binary(op: BinOp, ty: ScalarTy, a: u64, b: u64) -> Result<u64, ArithmeticProblem> {
    match ty {
        ScalarTy::Index => index(op, a, b),
        ScalarTy::Bool => Ok(match op {
            BinOp::And => a & b,
            BinOp::Or => a | b,
            _ => u64::from(compare(op, Some(a.cmp(&b)))),
        }),
        ScalarTy::Elem(dtype) => match dtype {
            DType::F32 => Ok(float::<f32>(op, a, b)),
            DType::F16 => Ok(float::<f16>(op, a, b)),
            DType::BF16 => Ok(float::<bf16>(op, a, b)),
            DType::I8 => integer::<i8>(op, a, b),
            DType::I16 => integer::<i16>(op, a, b),
            DType::I32 => integer::<i32>(op, a, b),
            DType::I64 => integer::<i64>(op, a, b),
            DType::U8 => integer::<u8>(op, a, b),
            DType::U32 => integer::<u32>(op, a, b),
        },
    }
}

/// A unary operator.
///
/// # Errors
/// The problem of an operation that has no result.
pub fn unary(op: UnOp, ty: ScalarTy, a: u64) -> Result<u64, ArithmeticProblem> {
    match (op, ty) {
        (UnOp::Not, ScalarTy::Bool) => Ok(a ^ 1),
        (UnOp::Not, ScalarTy::Index) => Ok(!a),
        (UnOp::Not, ScalarTy::Elem(dtype)) => Ok(with_element!(dtype, T => T::from_register(!a).to_register())),
        (UnOp::Neg, ScalarTy::Elem(dtype)) if dtype.is_float() => {
            Ok(with_element!(dtype, T => T::from_register(a).neg().to_register()))
        }
        (UnOp::Neg, _) => binary(BinOp::Sub, ty, 0, a),
    }
}

/// `as`, as Rust does it.
pub fn cast(from: ScalarTy, to: ScalarTy, a: u64) -> u64 {
    // What is not a float stands in the register as 64 bits with the right sign already.
    let wide = match from {
        ScalarTy::Elem(dtype) if dtype.is_float() => return cast_float(float_value(dtype, a), to),
        _ => a,
    };
    match to {
        ScalarTy::Index => wide,
        ScalarTy::Bool => u64::from(wide != 0),
        ScalarTy::Elem(dtype) if dtype.is_float() => {
            // An index of 2^63 or more is not an `i64`: halve it, keep the lost bit, double the result.
            let (value, scale) = match from {
                ScalarTy::Index if wide > i64::MAX as u64 => ((wide >> 1 | wide & 1) as i64, 2.0),
                _ => (wide as i64, 1.0),
            };
            with_element!(dtype, T => T::from_f32(T::from_i64(value).widen_f32() * scale).to_register())
        }
        ScalarTy::Elem(dtype) => with_element!(dtype, T => T::from_register(wide).to_register()),
    }
}

/// A float element, exactly.
fn float_value(dtype: DType, bits: u64) -> f32 {
    match dtype {
        DType::F16 => f16::from_register(bits).widen(),
        DType::BF16 => bf16::from_register(bits).widen(),
        _ => f32::from_register(bits),
    }
}

/// `value as to`
fn cast_float(value: f32, to: ScalarTy) -> u64 {
    match to {
        ScalarTy::Bool => u64::from(value != 0.0),
        ScalarTy::Index => value as u64,
        ScalarTy::Elem(dtype) => match dtype {
            DType::F32 => value.to_register(),
            DType::F16 => <f16 as Element>::from_f32(value).to_register(),
            DType::BF16 => <bf16 as Element>::from_f32(value).to_register(),
            DType::I8 => (value as i8).to_register(),
            DType::I16 => (value as i16).to_register(),
            DType::I32 => (value as i32).to_register(),
            DType::I64 => (value as i64).to_register(),
            DType::U8 => (value as u8).to_register(),
            DType::U32 => (value as u32).to_register(),
        },
    }
}

/// The value of any element as `f32`; exact for floats.
trait WidenF32: Element {
    fn widen_f32(self) -> f32;
}

impl<T: Element> WidenF32 for T {
    fn widen_f32(self) -> f32 {
        use crate::num::Wide;
        self.widen().narrow::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArithmeticProblem::*;

    const I32: ScalarTy = ScalarTy::Elem(DType::I32);
    const F16: ScalarTy = ScalarTy::Elem(DType::F16);

    fn int(v: i64) -> u64 {
        v as u64
    }

    #[test]
    fn indices_are_checked() {
        assert_eq!(index(BinOp::Sub, 3, 4), Err(Underflow));
        assert_eq!(index(BinOp::Mul, 1 << 40, 1 << 40), Err(Overflow));
        assert_eq!(index(BinOp::Rem, 3, 0), Err(DivisionByZero));
        assert_eq!(index(BinOp::Le, 3, 3), Ok(1));
    }

    #[test]
    fn integer_elements_are_checked() {
        assert_eq!(binary(BinOp::Add, I32, int(i32::MAX.into()), 1), Err(Overflow));
        assert_eq!(binary(BinOp::Sub, I32, int(i32::MIN.into()), 1), Err(Underflow));
        assert_eq!(binary(BinOp::Div, I32, int(i32::MIN.into()), int(-1)), Err(Overflow));
        assert_eq!(binary(BinOp::Rem, I32, int(i32::MIN.into()), int(-1)), Ok(0));
        assert_eq!(binary(BinOp::Mul, I32, int(-3), 5), Ok(int(-15)));
        assert_eq!(unary(UnOp::Neg, I32, int(i32::MIN.into())), Err(Overflow));
        assert_eq!(unary(UnOp::Neg, ScalarTy::Elem(DType::U8), 1), Err(Underflow));
        assert_eq!(binary(BinOp::Lt, I32, int(-3), 5), Ok(1));
    }

    #[test]
    fn floats_round_per_operation() {
        let half = |x: f64| F16.literal(Lit::Float(x)).expect("a float");
        // 2048 + 1 lies between two numbers of f16.
        assert_eq!(binary(BinOp::Add, F16, half(2048.0), half(1.0)), Ok(half(2048.0)));
        assert_eq!(binary(BinOp::Ne, F16, half(f64::NAN), half(1.0)), Ok(1));
        assert_eq!(unary(UnOp::Neg, F16, half(1.5)), Ok(half(-1.5)));
    }

    #[test]
    fn literals_round_once() {
        let bf = ScalarTy::Elem(DType::BF16);
        // A tie of bf16 and a bit that only f64 holds beside it.
        let above = 1.0 + 1.0 / 256.0 + f64::from(2.0_f32.powi(-40));
        assert_eq!(bf.literal(Lit::Float(above)), bf.literal(Lit::Float(1.0 + 2.0 / 256.0)));
        assert_eq!(bf.literal(Lit::Float(1.0 + 1.0 / 256.0)), bf.literal(Lit::Float(1.0)));
        assert_eq!(I32.literal(Lit::Int(1 << 31)), None);
        assert_eq!(ScalarTy::Index.literal(Lit::Int(-1)), None);
    }

    #[test]
    fn casts_follow_rust() {
        let f32_ = ScalarTy::Elem(DType::F32);
        let i8_ = ScalarTy::Elem(DType::I8);
        let u8_ = ScalarTy::Elem(DType::U8);
        assert_eq!(cast(I32, i8_, int(300)), int(300_i32 as i8 as i64));
        assert_eq!(cast(I32, u8_, int(-1)), 255);
        assert_eq!(cast(I32, ScalarTy::Index, int(-1)), u64::MAX);
        assert_eq!(cast(f32_, I32, (-2.7_f32).to_register()), int(-2));
        assert_eq!(cast(f32_, u8_, 300.0_f32.to_register()), 255);
        assert_eq!(cast(f32_, ScalarTy::Index, (-1.0_f32).to_register()), 0);
        assert_eq!(cast(ScalarTy::Index, f32_, u64::MAX), (u64::MAX as f32).to_register());
        assert_eq!(cast(ScalarTy::Bool, I32, 1), 1);
        assert_eq!(cast(ScalarTy::Index, I32, 1 << 32 | 7), 7);
    }

    #[test]
    fn values_are_literals() {
        for (ty, bits) in [(I32, int(-7)), (F16, 0x3e00), (ScalarTy::Index, u64::MAX), (ScalarTy::Bool, 1)] {
            assert_eq!(ty.literal(ty.value(bits)), Some(bits));
        }
    }
}
