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
    f16 => F16, f16::ZERO, f16::ONE, |x| f16::from_f64(x);
    bf16 => BF16, bf16::ZERO, bf16::ONE, |x| bf16::from_f64(x);
    i8 => I8, 0, 1, |x| x.round_ties_even() as i8;
    i16 => I16, 0, 1, |x| x.round_ties_even() as i16;
    i32 => I32, 0, 1, |x| x.round_ties_even() as i32;
    i64 => I64, 0, 1, |x| x.round_ties_even() as i64;
    u8 => U8, 0, 1, |x| x.round_ties_even() as u8;
    u32 => U32, 0, 1, |x| x.round_ties_even() as u32;
}
