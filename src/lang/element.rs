//! Element types.

use crate::host::ScalarArgument;
use half::{bf16, f16};
use pl_core::dtype::DType;
use std::fmt::{Debug, Display};
use std::ops::{Add, Div, Mul, Rem, Sub};

/// An element type: `f32`, `f16`, `bf16`, `i8`, `i16`, `i32`, `i64`, `u8` or `u32`.
///
/// A kernel may be generic over one: `fn ring<T: pl::Element>(…)`. Constants of the type are [`T::ZERO`](Element::ZERO),
/// [`T::ONE`](Element::ONE), and [`pl::lit::<T>(1.5)`](super::lit). The 16-bit floats are those of the crate `half`, which `pl` re-exports.
///
/// ```
/// #[pl::function(InCore, dynamic(S))]
/// fn increment<T: pl::Element>(x: pl::Tensor<T, { [1, S] }>, y: pl::Out<pl::Tensor<T, { [1, S] }>>) {
///     pl::store(pl::load(x, [0, 0], [1, S]) + T::ONE, [0, 0], y);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    label = "not an element type",
    note = "the element types are f32, f16, bf16, i8, i16, i32, i64, u8, u32",
    note = "the 16-bit floats are those of `half`: `use pl::half::{{bf16, f16}};`"
)]
pub trait Element:
    ScalarArgument
    + bytemuck::Pod
    + PartialOrd
    + Debug
    + Display
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + sealed::Element
{
    /// The type as a value.
    const DTYPE: DType;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The value nearest to `value`; integers saturate.
    fn lit(value: f64) -> Self;
}

mod sealed {
    pub trait Element {}
}

macro_rules! elements {
    ($($type:ty => $dtype:ident, $zero:expr, $one:expr, |$x:ident| $lit:expr;)*) => {$(
        impl sealed::Element for $type {}
        #[diagnostic::do_not_recommend]
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            fn lit($x: f64) -> Self {
                $lit
            }
        }
    )*};
}

elements! {
    f32 => F32, 0.0, 1.0, |x| x as f32;
    f16 => F16, f16::ZERO, f16::ONE, |x| f16::from_f32(toward_odd(x));
    bf16 => BF16, bf16::ZERO, bf16::ONE, |x| bf16::from_f32(toward_odd(x));
    i8 => I8, 0, 1, |x| x.round_ties_even() as i8;
    i16 => I16, 0, 1, |x| x.round_ties_even() as i16;
    i32 => I32, 0, 1, |x| x.round_ties_even() as i32;
    i64 => I64, 0, 1, |x| x.round_ties_even() as i64;
    u8 => U8, 0, 1, |x| x.round_ties_even() as u8;
    u32 => U32, 0, 1, |x| x.round_ties_even() as u32;
}

/// A number with the digits of f32, the last one odd where some were cut off: rounded further, it gives what the number itself gives.
/// (The conversions of `half` from f64 drop the low digits, and so miss what lies just beside a tie.)
fn toward_odd(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) == value || !near.is_finite() {
        return near;
    }
    let bits = near.to_bits();
    let toward_zero = if f64::from(near).abs() > value.abs() { bits - 1 } else { bits };
    f32::from_bits(toward_zero | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_rounded_once() {
        // Between two neighbours of f16 (1 and 1 + 2^-10), a little above the middle: by less than f32 can tell.
        let above = 1.0 + 2f64.powi(-11) + 2f64.powi(-50);
        assert_eq!(f16::lit(above).to_bits(), f16::ONE.to_bits() + 1);
        assert_eq!(f16::lit(1.0 + 2f64.powi(-11)), f16::ONE);
        let above = 1.0 + 2f64.powi(-8) + 2f64.powi(-50);
        assert_eq!(bf16::lit(above).to_bits(), bf16::ONE.to_bits() + 1);
        assert_eq!(bf16::lit(-above).to_bits(), bf16::lit(-1.0).to_bits() + 1);
        assert_eq!(f16::lit(1e300), f16::INFINITY);
        assert!(f16::lit(f64::NAN).is_nan());
        assert_eq!(f16::lit(0.1).to_bits(), 0x2e66);
    }
}
