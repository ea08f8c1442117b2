//! The element types of the examples' arrays.

use pl::Element;
use pl::distributed::ReduceOp;

/// An element type that the examples read, write and check: `f32` and `i32`.
pub trait Number: Element {
    /// How NumPy writes it in a header, and what NumPy calls it.
    const NUMPY: (&'static str, &'static str);
    /// The distance from 1 to the next number; 0 where arithmetic is exact.
    const EPSILON: f64;

    /// The number as f64, which is exact.
    fn to_f64(self) -> f64;
    /// The nearest number.
    fn from_f64(value: f64) -> Self;
    /// Whether it is the same number, bit for bit; any NaN is the same as any other.
    fn is_same(self, other: Self) -> bool;
    /// One step of a reduction, as a kernel does it.
    fn reduce(self, other: Self, op: ReduceOp) -> Self;
    /// The number of these bytes, little end first.
    fn from_bytes(bytes: [u8; 4]) -> Self;
}

impl Number for f32 {
    const NUMPY: (&'static str, &'static str) = ("<f4", "float32");
    const EPSILON: f64 = f32::EPSILON as f64;

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    fn is_same(self, other: f32) -> bool {
        self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
    }

    fn reduce(self, other: f32, op: ReduceOp) -> f32 {
        match op {
            ReduceOp::Sum => self + other,
            ReduceOp::Prod => self * other,
            _ if self.is_nan() || other.is_nan() => f32::NAN,
            // -0 is less than +0.
            ReduceOp::Max => {
                if self.total_cmp(&other).is_ge() {
                    self
                } else {
                    other
                }
            }
            ReduceOp::Min => {
                if self.total_cmp(&other).is_le() {
                    self
                } else {
                    other
                }
            }
        }
    }

    fn from_bytes(bytes: [u8; 4]) -> f32 {
        f32::from_le_bytes(bytes)
    }
}

impl Number for i32 {
    const NUMPY: (&'static str, &'static str) = ("<i4", "int32");
    const EPSILON: f64 = 0.0;

    fn to_f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> i32 {
        value as i32
    }

    fn is_same(self, other: i32) -> bool {
        self == other
    }

    fn reduce(self, other: i32, op: ReduceOp) -> i32 {
        match op {
            ReduceOp::Sum => self.wrapping_add(other),
            ReduceOp::Prod => self.wrapping_mul(other),
            ReduceOp::Max => self.max(other),
            ReduceOp::Min => self.min(other),
        }
    }

    fn from_bytes(bytes: [u8; 4]) -> i32 {
        i32::from_le_bytes(bytes)
    }
}
