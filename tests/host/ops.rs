//! Every op on every element type against ndarray, on random shapes. The references compute with Rust's own numbers: integers in `i128`,
//! `f32` as it is, the 16-bit floats exactly in `f64` before they are rounded once.

use crate::support::world;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Zip};
use pl::{Element, World};

const ADD: usize = 0;
const SUB: usize = 1;
const MUL: usize = 2;
const DIV: usize = 3;
const MAXIMUM: usize = 4;
const MINIMUM: usize = 5;
const OPS: [&str; 6] = ["add", "sub", "mul", "div", "maximum", "minimum"];

#[pl::function(InCore, dynamic(R, C))]
fn tiles<T: pl::Element, const OP: usize>(
    a: pl::Tensor<T, { [R, C] }>,
    b: pl::Tensor<T, { [R, C] }>,
    y: pl::Out<pl::Tensor<T, { [R, C] }>>,
) {
    let a = pl::load(a, [0, 0], [R, C]);
    let b = pl::load(b, [0, 0], [R, C]);
    let result = if OP == ADD {
        a + b
    } else if OP == SUB {
        a - b
    } else if OP == MUL {
        a * b
    } else if OP == DIV {
        a / b
    } else if OP == MAXIMUM {
        pl::maximum(a, b)
    } else {
        pl::minimum(a, b)
    };
    pl::store(result, [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn with_scalar<T: pl::Element, const OP: usize>(
    a: pl::Tensor<T, { [R, C] }>,
    b: T,
    y: pl::Out<pl::Tensor<T, { [R, C] }>>,
) {
    let a = pl::load(a, [0, 0], [R, C]);
    let result = if OP == ADD {
        pl::add(a, b)
    } else if OP == SUB {
        pl::sub(a, b)
    } else if OP == MUL {
        pl::mul(a, b)
    } else if OP == DIV {
        pl::div(a, b)
    } else if OP == MAXIMUM {
        pl::maximum(a, b)
    } else {
        pl::minimum(a, b)
    };
    pl::store(result, [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn negated<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<T, { [R, C] }>>) {
    pl::store(pl::neg(pl::load(a, [0, 0], [R, C])), [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn filled<T: pl::Element>(value: T, y: pl::Out<pl::Tensor<T, { [R, C] }>>) {
    pl::store(pl::full::<T>([R, C], value), [0, 0], y);
}

#[pl::function(InCore, dynamic(R, C))]
fn converted<T: pl::Element, U: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<U, { [R, C] }>>) {
    pl::store(pl::cast::<U>(pl::load(a, [0, 0], [R, C])), [0, 0], y);
}

/// Element by element through the scalar ops.
#[pl::function(InCore, dynamic(R, C))]
fn transposed<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, y: pl::Out<pl::Tensor<T, { [C, R] }>>) {
    for r in 0..R {
        for c in 0..C {
            let value = pl::read(a, [r, c]);
            pl::write(y, [c, r], value);
        }
    }
}

/// A box of a tensor, moved to another place of another tensor.
#[pl::function(InCore, dynamic(R, C))]
fn shifted<T: pl::Element>(a: pl::Tensor<T, { [R, C] }>, r: usize, c: usize, y: pl::InOut<pl::Tensor<T, { [R, C] }>>) {
    let part = pl::load(a, [r, c], [R - r, C - c]);
    pl::store(part, [0, 0], y);
}

/// A number exactly: every value of every element type is one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exact {
    Int(i128),
    Float(f64),
}

/// What the references need of an element type.
trait Reference: Element {
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
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn array<T: Reference>(&mut self, shape: (usize, usize)) -> Array2<T> {
        Array2::from_shape_simple_fn(shape, || T::arbitrary(self.next()))
    }
}

#[track_caller]
fn assert_same<T: Reference>(what: &str, found: &Array2<T>, expected: &Array2<T>) {
    assert_eq!(found.dim(), expected.dim());
    for ((at, found), expected) in found.indexed_iter().zip(expected) {
        assert!(found.same(*expected), "{what} on {}, {at:?}: got {found}, expected {expected}", T::DTYPE);
    }
}

fn check_binary<T: Reference, const OP: usize>(world: &World, random: &mut Random, shape: (usize, usize)) {
    let a: Array2<T> = random.array(shape);
    let mut b: Array2<T> = random.array(shape);
    // An integer division by zero is an error, tested elsewhere.
    let integer = matches!(T::ONE.exact(), Exact::Int(_));
    if OP == DIV && integer {
        b.mapv_inplace(|b| if b == T::ZERO { T::ONE } else { b });
    }
    let mut y = Array2::from_elem(shape, T::ZERO);
    world.launch([tiles::<T, OP>(a.view(), b.view(), y.view_mut())]).unwrap();
    let expected = Zip::from(&a).and(&b).map_collect(|a, b| T::apply(OP, *a, *b));
    assert_same(OPS[OP], &y, &expected);

    let scalar = b[(0, 0)];
    world.launch([with_scalar::<T, OP>(a.view(), scalar, y.view_mut())]).unwrap();
    assert_same(&format!("{} with {scalar}", OPS[OP]), &y, &a.mapv(|a| T::apply(OP, a, scalar)));
}

fn check_cast<T: Reference, U: Reference>(world: &World, a: &Array2<T>) {
    let mut y = Array2::from_elem(a.dim(), U::ZERO);
    world.launch([converted::<T, U>(a.view(), y.view_mut())]).unwrap();
    assert_same(&format!("cast of {}", T::DTYPE), &y, &a.mapv(|a| U::nearest(a.exact())));
}

fn check_type<T: Reference>() {
    let world = world("sim", 1);
    let mut random = Random(T::DTYPE as u64);
    for round in 0..24 {
        let shape = if round == 0 { (1, 1) } else { (1 + random.below(7), 1 + random.below(300)) };
        check_binary::<T, ADD>(&world, &mut random, shape);
        check_binary::<T, SUB>(&world, &mut random, shape);
        check_binary::<T, MUL>(&world, &mut random, shape);
        check_binary::<T, DIV>(&world, &mut random, shape);
        check_binary::<T, MAXIMUM>(&world, &mut random, shape);
        check_binary::<T, MINIMUM>(&world, &mut random, shape);

        let a: Array2<T> = random.array(shape);
        check_cast::<T, f32>(&world, &a);
        check_cast::<T, f16>(&world, &a);
        check_cast::<T, bf16>(&world, &a);
        check_cast::<T, i8>(&world, &a);
        check_cast::<T, i16>(&world, &a);
        check_cast::<T, i32>(&world, &a);
        check_cast::<T, i64>(&world, &a);
        check_cast::<T, u8>(&world, &a);
        check_cast::<T, u32>(&world, &a);

        let mut y = Array2::from_elem(shape, T::ZERO);
        world.launch([filled::<T>(a[(0, 0)], y.view_mut())]).unwrap();
        assert_same("full", &y, &Array2::from_elem(shape, a[(0, 0)]));

        let mut turned = Array2::from_elem((shape.1, shape.0), T::ZERO);
        world.launch([transposed::<T>(a.view(), turned.view_mut())]).unwrap();
        assert_same("read and write", &turned, &a.t().to_owned());

        let (r, c) = (random.below(shape.0), random.below(shape.1));
        let mut y = a.clone();
        world.launch([shifted::<T>(a.view(), r, c, y.view_mut())]).unwrap();
        let expected = Array2::from_shape_fn(shape, |(i, j)| *a.get((i + r, j + c)).unwrap_or(&a[(i, j)]));
        assert_same("load and store of a box", &y, &expected);
    }
}

fn check_negation<T: Reference>() {
    let world = world("sim", 1);
    let a: Array2<T> = Random(3).array((5, 200));
    let mut y = Array2::from_elem(a.dim(), T::ZERO);
    world.launch([negated::<T>(a.view(), y.view_mut())]).unwrap();
    assert_same("neg", &y, &a.mapv(T::negate));
}

macro_rules! each_type {
    ($($name:ident $type:ty;)*) => {$(
        #[test]
        fn $name() {
            check_type::<$type>();
        }
    )*};
}

each_type! {
    on_f32 f32;
    on_f16 f16;
    on_bf16 bf16;
    on_i8 i8;
    on_i16 i16;
    on_i32 i32;
    on_i64 i64;
    on_u8 u8;
    on_u32 u32;
}

#[test]
fn negation() {
    check_negation::<f32>();
    check_negation::<f16>();
    check_negation::<bf16>();
    check_negation::<i8>();
    check_negation::<i16>();
    check_negation::<i32>();
    check_negation::<i64>();
}

#[test]
fn negation_of_an_unsigned_type_is_refused_at_bind() {
    let world = world("sim", 1);
    let a = Array2::<u8>::zeros((1, 4));
    let mut y = a.clone();
    let error = world.launch([negated::<u8>(a.view(), y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("`tile` of `pl::neg` has element type `u8`"), "{error}");
    assert!(error.contains("ops.rs:"), "{error}");
}

#[test]
fn an_integer_division_by_zero_names_its_place() {
    let world = world("sim", 1);
    let a = Array2::<i32>::ones((2, 3));
    let mut b = Array2::<i32>::ones((2, 3));
    b[(1, 2)] = 0;
    let mut y = a.clone();
    let error = world.launch([tiles::<i32, DIV>(a.view(), b.view(), y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("zero") && error.contains("ops.rs:"), "{error}");
    let error = world.launch([with_scalar::<i32, DIV>(a.view(), 0, y.view_mut())]).unwrap_err().to_string();
    assert!(error.contains("zero") && error.contains("ops.rs:"), "{error}");
}
