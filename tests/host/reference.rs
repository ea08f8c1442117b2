//! What the ops are compared with. The references compute with Rust's own numbers: integers in `i128`, `f32` as it is, the 16-bit floats
//! exactly in `f64` before they are rounded once.

use pl::Element;
use pl::half::{bf16, f16};
use pl::ndarray::Array2;

pub const ADD: usize = 0;
pub const SUB: usize = 1;
pub const MUL: usize = 2;
pub const DIV: usize = 3;
pub const MAXIMUM: usize = 4;
pub const MINIMUM: usize = 5;
pub const OPS: [&str; 6] = ["add", "sub", "mul", "div", "maximum", "minimum"];

/// A number exactly: every value of every element type is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exact {
    Int(i128),
    Float(f64),
}

/// What the references need of an element type.
pub trait Reference: Element {
    fn exact(self) -> Exact;
    /// The value nearest to an exact one; ties to even, saturating, NaN to 0 for integers.
    fn nearest(value: Exact) -> Self;
    fn apply(op: usize, a: Self, b: Self) -> Self;
    fn negate(self) -> Self;
    /// Whether two values are the same, NaN and the sign of zero included.
    fn same(self, other: Self) -> bool;
    /// Any value, extremes among them.
    fn arbitrary(random: u64) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Reference for $type {
            fn exact(self) -> Exact {
                Exact::Int(self as i128)
            }
            fn nearest(value: Exact) -> Self {
                match value {
                    Exact::Int(v) => v.clamp(Self::MIN as i128, Self::MAX as i128) as Self,
                    Exact::Float(v) if v.is_nan() => 0,
                    Exact::Float(v) => {
                        let rounded = v.round_ties_even().clamp(-1e30, 1e30) as i128;
                        rounded.clamp(Self::MIN as i128, Self::MAX as i128) as Self
                    }
                }
            }
            fn apply(op: usize, a: Self, b: Self) -> Self {
                let (a, b) = (a as i128, b as i128);
                // `as` drops the bits that do not fit: it wraps.
                (match op {
                    ADD => a + b,
                    SUB => a - b,
                    MUL => a * b,
                    DIV => a / b,
                    MAXIMUM => a.max(b),
                    _ => a.min(b),
                }) as Self
            }
            fn negate(self) -> Self {
                (-(self as i128)) as Self
            }
            fn same(self, other: Self) -> bool {
                self == other
            }
            fn arbitrary(random: u64) -> Self {
                match random % 8 {
                    0 => Self::MIN,
                    1 => Self::MAX,
                    2 => (random >> 8) as Self % 3,
                    _ => (random >> 8) as Self,
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u32);

/// The greater of two numbers by the language's order: NaN first, then -0 below +0.
fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_positive() { a } else { b }
    } else {
        if a > b { a } else { b }
    }
}

macro_rules! floats {
    ($($type:ty, $bits:ty, |$v:ident| $from:expr;)*) => {$(
        impl Reference for $type {
            fn exact(self) -> Exact {
                Exact::Float(f64::from(self))
            }
            fn nearest(value: Exact) -> Self {
                match value {
                    Exact::Float($v) => $from,
                    Exact::Int(i) => {
                        let $v = i as f64;
                        let near: Self = $from;
                        if !near.is_finite() || i as f64 as i128 == i {
                            return near;
                        }
                        // The way through f64 may have rounded twice: take the closest of the neighbours, the even one of two.
                        let bits = near.to_bits();
                        let distance = |v: Self| (i - f64::from(v) as i128).unsigned_abs();
                        [bits - 1, bits, bits + 1]
                            .map(Self::from_bits)
                            .into_iter()
                            .min_by_key(|v| (distance(*v), v.to_bits() & 1))
                            .unwrap()
                    }
                }
            }
            fn apply(op: usize, a: Self, b: Self) -> Self {
                let (a, b) = (f64::from(a), f64::from(b));
                let $v = match op {
                    ADD => a + b,
                    SUB => a - b,
                    MUL => a * b,
                    DIV => a / b,
                    MAXIMUM => greater(a, b),
                    _ => -greater(-a, -b),
                };
                $from
            }
            fn negate(self) -> Self {
                -self
            }
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
            fn arbitrary(random: u64) -> Self {
                match random % 16 {
                    0 => Self::NAN,
                    1 => Self::INFINITY,
                    2 => Self::NEG_INFINITY,
                    3 => -Self::lit(0.0),
                    4 => Self::lit(0.0),
                    5 => Self::MAX,
                    // Numbers of ordinary size, so that sums are not all one operand.
                    6..=11 => Self::lit((random >> 40) as f64 / 1e5 - 50.0),
                    _ => Self::from_bits((random >> 16) as $bits),
                }
            }
        }
    )*};
}

// f64 has more than twice the digits of each type and two to spare, so that rounding its result once more is rounding once.
floats! {
    f32, u32, |v| v as f32;
    f16, u16, |v| f16::from_f32(sticky(v));
    bf16, u16, |v| bf16::from_f32(sticky(v));
}

/// A number without the digits that f32 does not have; the last digit is set when some were not zero, so that rounding it further
/// is rounding the number. (`half`'s conversions from f64 drop the low digits, which misses what is just above a tie.)
fn sticky(v: f64) -> f32 {
    let near = v as f32;
    if v.is_nan() || v.is_infinite() || f64::from(near) == v {
        return near;
    }
    let toward_zero = if f64::from(near).abs() > v.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(toward_zero | 1)
}

/// Numbers that look random and are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn array<T: Reference>(&mut self, shape: (usize, usize)) -> Array2<T> {
        Array2::from_shape_simple_fn(shape, || T::arbitrary(self.next()))
    }
}

#[track_caller]
pub fn assert_same<T: Reference>(what: &str, found: &Array2<T>, expected: &Array2<T>) {
    assert_eq!(found.dim(), expected.dim());
    for ((at, found), expected) in found.indexed_iter().zip(expected) {
        assert!(found.same(*expected), "{what} on {}, {at:?}: got {found}, expected {expected}", T::DTYPE);
    }
}
