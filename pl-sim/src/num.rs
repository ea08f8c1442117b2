//! The nine element types: arithmetic and conversions of one element, as the language defines them.
//!
//! Every function here is free of branches that depend on data where that lets a loop over it vectorise. The 16-bit floats compute in
//! `f32` and round once: `f32` has more than twice their precision plus two bits, so the second rounding of `+ - * /` is harmless.

use bytemuck::Pod;
use half::{bf16, f16};

/// An element type.
pub(crate) trait Element: Pod + PartialEq + Send + Sync {
    /// The type in which its conversions work: `f32` for floats, `i64` for integers. Exact for every element.
    type Wide: Wide;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// Division; by zero only for floats.
    fn div(self, other: Self) -> Self;
    fn maximum(self, other: Self) -> Self;
    fn minimum(self, other: Self) -> Self;
    fn neg(self) -> Self;
    /// Whether this divides nothing: an integer zero.
    fn is_integer_zero(self) -> bool;

    /// The exact wide value.
    fn widen(self) -> Self::Wide;
    /// The nearest element; saturating, NaN becomes 0 for integers.
    fn from_f32(value: f32) -> Self;
    /// The nearest element; saturating.
    fn from_i64(value: i64) -> Self;

    /// The element as a register holds it: integers extended by sign or zero, floats as their bits.
    fn to_register(self) -> u64;
    /// The element that a register holds.
    fn from_register(bits: u64) -> Self;
}

/// What conversions go through.
pub(crate) trait Wide: Copy {
    /// Converts to an element type: to nearest even, saturating, NaN becomes 0 for integers.
    fn narrow<T: Element>(self) -> T;
}

impl Wide for f32 {
    #[inline(always)]
    fn narrow<T: Element>(self) -> T {
        T::from_f32(self)
    }
}

impl Wide for i64 {
    #[inline(always)]
    fn narrow<T: Element>(self) -> T {
        T::from_i64(self)
    }
}

/// Runs an expression with the type alias `$t` standing for the element type of a tag.
macro_rules! with_element {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            pl_core::dtype::DType::F32 => {
                type $t = f32;
                $body
            }
            pl_core::dtype::DType::F16 => {
                type $t = half::f16;
                $body
            }
            pl_core::dtype::DType::BF16 => {
                type $t = half::bf16;
                $body
            }
            pl_core::dtype::DType::I8 => {
                type $t = i8;
                $body
            }
            pl_core::dtype::DType::I16 => {
                type $t = i16;
                $body
            }
            pl_core::dtype::DType::I32 => {
                type $t = i32;
                $body
            }
            pl_core::dtype::DType::I64 => {
                type $t = i64;
                $body
            }
            pl_core::dtype::DType::U8 => {
                type $t = u8;
                $body
            }
            pl_core::dtype::DType::U32 => {
                type $t = u32;
                $body
            }
        }
    };
}
pub(crate) use with_element;

/// The integer nearest to `x`, ties to even. Adding and subtracting 2^23 leaves no room for a fraction.
#[inline(always)]
fn round_even(x: f32) -> f32 {
    const LEAST_WITHOUT_FRACTION: f32 = 8_388_608.0;
    let big = LEAST_WITHOUT_FRACTION.copysign(x);
    if x.abs() < LEAST_WITHOUT_FRACTION { (x + big) - big } else { x }
}

macro_rules! integer {
    ($($t:ident)*) => {$(
        impl Element for $t {
            type Wide = i64;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn div(self, other: Self) -> Self {
                // The callers have refused a zero; dividing by it here must still not panic.
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn is_integer_zero(self) -> bool {
                self == 0
            }

            #[inline(always)]
            fn widen(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            fn from_f32(value: f32) -> Self {
                round_even(value) as $t
            }

            #[inline(always)]
            fn from_i64(value: i64) -> Self {
                value.clamp($t::MIN as i64, $t::MAX as i64) as $t
            }

            #[inline(always)]
            fn to_register(self) -> u64 {
                self as i64 as u64
            }

            #[inline(always)]
            fn from_register(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}

integer!(i8 i16 i32 i64 u8 u32);

/// The greater of two floats: NaN propagates, -0 < +0.
#[inline(always)]
fn maximum(a: f32, b: f32) -> f32 {
    // Equal values differ at most in the sign of zero: `&` keeps a minus only when both have it.
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    if a == b {
        equal
    } else if a > b || a.is_nan() {
        a
    } else {
        b
    }
}

/// The lesser of two floats: NaN propagates, -0 < +0.
#[inline(always)]
fn minimum(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    if a == b {
        equal
    } else if a < b || a.is_nan() {
        a
    } else {
        b
    }
}

impl Element for f32 {
    type Wide = f32;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self / other
    }

    #[inline(always)]
    fn maximum(self, other: Self) -> Self {
        maximum(self, other)
    }

    #[inline(always)]
    fn minimum(self, other: Self) -> Self {
        minimum(self, other)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }

    #[inline(always)]
    fn is_integer_zero(self) -> bool {
        false
    }

    #[inline(always)]
    fn widen(self) -> f32 {
        self
    }

    #[inline(always)]
    fn from_f32(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn from_i64(value: i64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn to_register(self) -> u64 {
        u64::from(self.to_bits())
    }

    #[inline(always)]
    fn from_register(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

macro_rules! small_float {
    ($t:ident, $widen:ident, $round:ident, $from_i64:ident) => {
        impl Element for $t {
            type Wide = f32;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $round($widen(self) + $widen(other))
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $round($widen(self) - $widen(other))
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $round($widen(self) * $widen(other))
            }

            #[inline(always)]
            fn div(self, other: Self) -> Self {
                $round($widen(self) / $widen(other))
            }

            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                $round(maximum($widen(self), $widen(other)))
            }

            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                $round(minimum($widen(self), $widen(other)))
            }

            #[inline(always)]
            fn neg(self) -> Self {
                $t::from_bits(self.to_bits() ^ 0x8000)
            }

            #[inline(always)]
            fn is_integer_zero(self) -> bool {
                false
            }

            #[inline(always)]
            fn widen(self) -> f32 {
                $widen(self)
            }

            #[inline(always)]
            fn from_f32(value: f32) -> Self {
                $round(value)
            }

            #[inline(always)]
            fn from_i64(value: i64) -> Self {
                $from_i64(value)
            }

            #[inline(always)]
            fn to_register(self) -> u64 {
                u64::from(self.to_bits())
            }

            #[inline(always)]
            fn from_register(bits: u64) -> Self {
                $t::from_bits(bits as u16)
            }
        }
    };
}

small_float!(f16, f16_to_f32, f16_from_f32, f16_from_i64);
small_float!(bf16, bf16_to_f32, bf16_from_f32, bf16_from_i64);

/// Exact.
#[inline(always)]
fn f16_to_f32(value: f16) -> f32 {
    /// The difference between the exponents' biases.
    const REBIAS: u32 = 112 << 23;
    /// 2^-14, the least normal number.
    const LEAST_NORMAL: u32 = 113 << 23;
    let bits = u32::from(value.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    let exponent = magnitude & 0x1f << 23;
    // A subnormal is what it adds to the least normal number; no subnormal of f32 comes in, which some processors are slow at.
    let subnormal = (f32::from_bits(magnitude | LEAST_NORMAL) - f32::from_bits(LEAST_NORMAL)).to_bits();
    let special = if exponent == 0x1f << 23 { REBIAS } else { 0 };
    let normal = magnitude + REBIAS + special;
    let result = if exponent == 0 { subnormal } else { normal };
    f32::from_bits(result | (bits & 0x8000) << 16)
}

/// To nearest even; NaN stays NaN.
#[inline(always)]
fn f16_from_f32(value: f32) -> f16 {
    /// 2^-14, the least normal number.
    const LEAST_NORMAL: u32 = 113 << 23;
    /// 2^16: from here on everything is infinite.
    const INFINITE: u32 = 143 << 23;
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Half of the last place kept, less one when the result would stay even: carries into the exponent, up to infinity.
    let half_place = 0x0fff + (magnitude >> 13 & 1);
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(half_place) >> 13;
    // The last place of 0.5 in f32 is that of the subnormals in f16: the addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let special = if magnitude > 0x7f80_0000 { 0x7e00 | (magnitude >> 13 & 0x03ff) } else { 0x7c00 };
    let finite = if magnitude < LEAST_NORMAL { subnormal } else { normal };
    let result = if magnitude < INFINITE { finite } else { special };
    f16::from_bits(result as u16 | (bits >> 16) as u16 & 0x8000)
}

/// Every integer that `f32` does not hold exactly is infinite in f16, so this rounds once.
#[inline(always)]
fn f16_from_i64(value: i64) -> f16 {
    f16_from_f32(value as f32)
}

/// Exact.
#[inline(always)]
fn bf16_to_f32(value: bf16) -> f32 {
    f32::from_bits(u32::from(value.to_bits()) << 16)
}

/// To nearest even; NaN stays NaN.
#[inline(always)]
fn bf16_from_f32(value: f32) -> bf16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    let nan = bits >> 16 | 0x0040;
    bf16::from_bits(if value.is_nan() { nan } else { rounded } as u16)
}

/// To nearest even, rounded once: the bits below f32's precision are gathered into its last one, which keeps ties apart from
/// what lies beside them.
#[inline(always)]
fn bf16_from_i64(value: i64) -> bf16 {
    let magnitude = value.unsigned_abs();
    let spare = 40_u32.saturating_sub(magnitude.leading_zeros());
    let kept = magnitude >> spare << spare;
    let sticky = u64::from(kept != magnitude) << spare;
    let exact = (kept | sticky) as f32;
    bf16_from_f32(if value < 0 { -exact } else { exact })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The element of a 16-bit float type nearest to `x`, found by comparing with its neighbours in f64.
    fn nearest(x: f64, widen: impl Fn(u16) -> f64, infinite: u16) -> u16 {
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        let x = x.abs();
        let (mut low, mut high) = (0_u16, infinite);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if widen(middle) <= x { low = middle } else { high = middle }
        }
        // Beyond the greatest finite number, the next one counts as if the exponent went on.
        let above = if high == infinite { widen(low) + (widen(low) - widen(low - 1)) } else { widen(high) };
        let (down, up) = (x - widen(low), above - x);
        let result = if down < up || (down == up && low & 1 == 0) { low } else { high };
        sign | result
    }

    #[test]
    fn f16_widens_exactly() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (f16_to_f32(f16::from_bits(bits)), f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:#x}");
        }
    }

    #[test]
    fn f32_rounds_to_the_nearest_small_float() {
        let wide16 = |b: u16| f64::from(f16::from_bits(b).to_f32());
        let wideb16 = |b: u16| f64::from(f32::from_bits(u32::from(b) << 16));
        let mut state = 1_u32;
        for i in 0..200_000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Random bits, and values near ties of f16 at every exponent.
            let bits = match i % 3 {
                0 => state,
                1 => (100 + state % 50) << 23 | (state >> 8 & 0x3ff) << 13 | 0x1000 | (state >> 20 & 1),
                _ => (100 + state % 50) << 23 | (state >> 8 & 0x3f) << 17 | 0x8000 | (state >> 20 & 1),
            };
            let x = f32::from_bits(bits);
            if x.is_nan() {
                assert!(f16_from_f32(x).is_nan() && bf16_from_f32(x).is_nan());
                continue;
            }
            if x.is_finite() {
                assert_eq!(f16_from_f32(x).to_bits(), nearest(f64::from(x), wide16, 0x7c00), "f16 of {x:e}");
                assert_eq!(bf16_from_f32(x).to_bits(), nearest(f64::from(x), wideb16, 0x7f80), "bf16 of {x:e}");
            } else {
                assert_eq!(f32::from(f16_from_f32(x)), x);
                assert_eq!(f32::from(bf16_from_f32(x)), x);
            }
        }
    }

    #[test]
    fn integers_round_once() {
        let wide16 = |b: u16| f64::from(f16::from_bits(b).to_f32());
        let wideb16 = |b: u16| f64::from(f32::from_bits(u32::from(b) << 16));
        let ties = (0..53).flat_map(|shift| {
            (0..256_i64).flat_map(move |m| [-1, 0, 1].map(|near| (((256 + m) << 1 | 1) << shift) + near))
        });
        for value in ties.chain([0, 1, -1, 65_503, 65_504, 65_519, 65_520, 70_000, 16_777_217, -33_685_505]) {
            for value in [value, -value] {
                // Below 2^53 the f64 is exact; the nearest() of anything larger only needs which side of a tie it is on.
                if value.unsigned_abs() < 1 << 53 {
                    let x = value as f64;
                    let expect = |n: u16| if value == 0 { 0 } else { n };
                    assert_eq!(f16::from_i64_checked(value), expect(nearest(x, wide16, 0x7c00)), "f16 of {value}");
                    assert_eq!(bf16_from_i64(value).to_bits(), expect(nearest(x, wideb16, 0x7f80)), "bf16 of {value}");
                }
            }
        }
        assert_eq!(bf16_from_i64(i64::MAX).to_f32(), 9_223_372_036_854_775_808.0);
        assert_eq!(bf16_from_i64(i64::MIN).to_f32(), -9_223_372_036_854_775_808.0);
        // Just above a tie, by a bit that f32 cannot hold beside it.
        assert_eq!(bf16_from_i64((0x101 << 40) + 1).to_f32() as i64, 0x102 << 40);
        assert_eq!(bf16_from_i64(0x101 << 40).to_f32() as i64, 0x100 << 40);
    }

    trait Checked {
        fn from_i64_checked(value: i64) -> u16;
    }

    impl Checked for f16 {
        fn from_i64_checked(value: i64) -> u16 {
            f16_from_i64(value).to_bits()
        }
    }

    #[test]
    fn floats_become_integers_by_rounding_and_saturating() {
        for (x, expected) in [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (1e20, i32::MAX), (-1e20, i32::MIN)]
        {
            assert_eq!(<i32 as Element>::from_f32(x), expected, "{x}");
        }
        assert_eq!(<i32 as Element>::from_f32(f32::NAN), 0);
        assert_eq!(<u8 as Element>::from_f32(-3.0), 0);
        assert_eq!(<u8 as Element>::from_f32(255.5), 255);
        assert_eq!(<i8 as Element>::from_f32(-128.5), -128);
        assert_eq!(<i64 as Element>::from_f32(8_388_609.0), 8_388_609);
        assert_eq!(<u32 as Element>::from_f32(f32::INFINITY), u32::MAX);
        assert_eq!(<u32 as Element>::from_i64(-1), 0);
        assert_eq!(<i8 as Element>::from_i64(300), 127);
    }

    #[test]
    fn maximum_and_minimum_order_zeros_and_keep_nan() {
        for (a, b) in [(0.0_f32, -0.0), (-0.0, 0.0)] {
            assert!(Element::maximum(a, b).is_sign_positive());
            assert!(Element::minimum(a, b).is_sign_negative());
        }
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN), (f32::NAN, f32::NAN)] {
            assert!(Element::maximum(a, b).is_nan() && Element::minimum(a, b).is_nan());
        }
        assert_eq!(Element::maximum(f32::NEG_INFINITY, -1.0), -1.0);
        assert!(Element::maximum(f16::NAN, f16::ONE).is_nan());
        assert!(Element::minimum(bf16::ZERO, bf16::NEG_ZERO).is_sign_negative());
    }

    #[test]
    fn integer_edges_wrap() {
        assert_eq!(Element::div(i32::MIN, -1), i32::MIN);
        assert_eq!(Element::add(i8::MAX, 1), i8::MIN);
        assert_eq!(Element::neg(i64::MIN), i64::MIN);
        assert_eq!(Element::mul(u32::MAX, 2), u32::MAX - 1);
    }
}
