//! Element types, inputs, and the sizes to try.

use pl::half::{bf16, f16};
use pl::ndarray::Array2;
use pl::{Element, Window, World};

/// An element type with its numbers.
pub trait Number: Element + PartialEq + std::fmt::Debug {
    /// The distance from 1 to the next number; 0 for integers.
    const EPSILON: f64;
    /// The nearest number.
    fn of(value: f64) -> Self;
    fn number(self) -> f64;
    /// Whether two numbers have the same bits.
    fn same(self, other: Self) -> bool;
}

macro_rules! numbers {
    ($($float:ty: $epsilon:expr, $of:expr;)* | $($int:ty)*) => {
        $(impl Number for $float {
            const EPSILON: f64 = $epsilon;
            fn of(value: f64) -> Self {
                let of: fn(f64) -> $float = $of;
                of(value)
            }
            fn number(self) -> f64 {
                f64::from(self)
            }
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        })*
        $(impl Number for $int {
            const EPSILON: f64 = 0.0;
            fn of(value: f64) -> Self {
                value as $int
            }
            fn number(self) -> f64 {
                self as f64
            }
            fn same(self, other: Self) -> bool {
                self == other
            }
        })*
    };
}

numbers! {
    f32: f32::EPSILON as f64, |v| v as f32;
    f16: 9.765625e-4, f16::from_f64;
    bf16: 7.8125e-3, bf16::from_f64;
    | i8 i16 i32 i64 u8 u32
}

/// Numbers of both signs and several sizes, the same for the same seed; of integers small ones.
pub fn scattered<T: Number>(seed: usize, shape: (usize, usize)) -> Array2<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ (seed as u64 + 1).wrapping_mul(0xD129_8B82_33A1_F0CD);
    Array2::from_shape_simple_fn(shape, || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 40) as f64 / f64::from(1u32 << 24) - 0.5;
        T::of(if T::EPSILON == 0.0 { (unit * 200.0).trunc() } else { unit * 4.0 })
    })
}

/// Whether every combination is to be tried.
pub fn full() -> bool {
    std::env::var_os("PL_TEST").is_some_and(|value| value == "full")
}

/// The combinations of ranks and sizes to try.
pub fn cases() -> Vec<(usize, usize)> {
    let (ranks, sizes): (&[usize], &[usize]) =
        if full() { (&[2, 3, 4, 5, 8, 16], &[1, 7, 64, 4096, 100_003]) } else { (&[2, 3, 5], &[1, 7, 4096]) };
    ranks.iter().flat_map(|p| sizes.iter().map(|size| (*p, *size))).collect()
}

/// A world of the devices 0 to P - 1, of a platform whose tiles are small enough that long rows go in chunks.
pub fn world(ranks: usize) -> World {
    World::open("a2a3sim", &(0..ranks as u32).collect::<Vec<_>>()).unwrap()
}

/// A signal is all zero when no collective runs.
#[track_caller]
pub fn check_zero(signal: &Window<i32>, ranks: usize) {
    for rank in 0..ranks {
        assert!(signal.to_array(rank).unwrap().iter().all(|cell| *cell == 0), "rank {rank} has credits left");
    }
}

/// Whether all elements have the same bits.
pub fn same<'a, T: Number>(a: impl IntoIterator<Item = &'a T>, b: impl IntoIterator<Item = &'a T>) -> bool {
    a.into_iter().map(|x| *x).zip(b.into_iter().map(|x| *x)).all(|(a, b)| a.same(b))
}
