//! Element types, inputs, and the sizes to try.

use pl::distributed::ReduceOp;
use pl::half::{bf16, f16};
use pl::ndarray::Array2;
use pl::{Call, Element, Window, World};

/// A test for each element type: a name and a type, for which a function is called.
macro_rules! element_types {
    ($check:ident: $($name:ident $ty:ty;)*) => {$(
        #[test]
        fn $name() {
            $check::<$ty>();
        }
    )*};
}

/// An element type with its numbers.
pub trait Number: Element + PartialEq + std::fmt::Debug {
    /// The distance from 1 to the next number; 0 for integers.
    const EPSILON: f64;
    /// How far below the normal range a rounded number may be from the right one; 0 for integers.
    const SMALLEST: f64;
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// What is left of an integer in as many bits as this type has.
    fn wrapped(value: i64) -> Self;
    fn number(self) -> f64;
    /// Whether two numbers have the same bits.
    fn same(self, other: Self) -> bool;
}

macro_rules! numbers {
    ($($float:ty: $epsilon:expr, $smallest:expr, $of:expr;)* | $($int:ty)*) => {
        $(impl Number for $float {
            const EPSILON: f64 = $epsilon;
            const SMALLEST: f64 = $smallest;
            fn of(value: f64) -> Self {
                let of: fn(f64) -> $float = $of;
                of(value)
            }
            fn wrapped(value: i64) -> Self {
                Self::of(value as f64)
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
            const SMALLEST: f64 = 0.0;
            fn of(value: f64) -> Self {
                value as $int
            }
            fn wrapped(value: i64) -> Self {
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
    f32: f32::EPSILON as f64, 1e-38, |v| v as f32;
    f16: 9.765625e-4, 6e-8, f16::from_f64;
    bf16: 7.8125e-3, 1e-38, bf16::from_f64;
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

/// What a reduction must give.
#[derive(Debug)]
pub enum Golden<T> {
    /// Integers wrap, and a maximum is one of the terms.
    Exactly(T),
    /// Folding P floats rounds P - 1 times, in any order.
    Near { value: f64, bound: f64 },
}

impl<T: Number> Golden<T> {
    /// Of finite terms, at least one, in f64 or, if they are integers, in i64.
    pub fn new(op: ReduceOp, terms: impl Iterator<Item = T> + Clone) -> Golden<T> {
        let numbers = terms.clone().map(Number::number);
        match op {
            ReduceOp::Max => Golden::Exactly(T::of(numbers.fold(f64::NEG_INFINITY, f64::max))),
            ReduceOp::Min => Golden::Exactly(T::of(numbers.fold(f64::INFINITY, f64::min))),
            ReduceOp::Sum if T::EPSILON == 0.0 => {
                Golden::Exactly(T::wrapped(numbers.fold(0, |sum, x| sum.wrapping_add(x as i64))))
            }
            ReduceOp::Prod if T::EPSILON == 0.0 => {
                Golden::Exactly(T::wrapped(numbers.fold(1, |product, x| product.wrapping_mul(x as i64))))
            }
            ReduceOp::Sum => {
                let scale = numbers.clone().map(f64::abs).sum::<f64>();
                Golden::Near { value: numbers.sum(), bound: terms.count() as f64 * T::EPSILON * scale }
            }
            ReduceOp::Prod => {
                let (count, value) = (terms.count() as f64, numbers.product::<f64>());
                Golden::Near { value, bound: count * (T::EPSILON * value.abs() + T::SMALLEST) }
            }
        }
    }

    /// Whether a result is right.
    pub fn allows(&self, result: T) -> bool {
        match self {
            Golden::Exactly(value) => result == *value,
            Golden::Near { value, bound } => (result.number() - value).abs() <= *bound,
        }
    }
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

/// Runs the calls of a check; false when there is no result to look at.
pub type Launch<'l> = &'l dyn Fn(&World, Vec<Call<'_>>) -> bool;

/// A launch that goes well.
pub fn plainly(world: &World, calls: Vec<Call<'_>>) -> bool {
    world.launch(calls).unwrap();
    true
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
    a.into_iter().copied().zip(b.into_iter().copied()).all(|(a, b)| a.same(b))
}
