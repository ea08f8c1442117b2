//! Loops over the elements of tiles: of one type, simple enough for the compiler to vectorise, compiled for several instruction sets of which the machine's
//! best is chosen when they run. None of them changes a result: each element is rounded as [`num`](crate::num) says, and nothing is contracted.
//!
//! Elements come as bytes, aligned for their type.

use crate::num::{Element, Wide, with_element};
use multiversion::multiversion;
use pl_core::dtype::DType;

/// An op of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// `pl::add`
    Add,
    /// `pl::sub`
    Sub,
    /// `pl::mul`
    Mul,
    /// `pl::div`
    Div,
    /// `pl::maximum`
    Maximum,
    /// `pl::minimum`
    Minimum,
}

impl Binary {
    /// Whether an integer zero on the right side is an error.
    pub(crate) const fn divides(self) -> bool {
        matches!(self, Binary::Div)
    }
}

/// An op of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    /// `pl::neg`
    Neg,
}

/// How many sources one loop folds: what it has computed stays in registers.
pub(crate) const FOLDED: usize = 4;

/// What one loop does.
enum Loop<'l> {
    /// `out = left op right`
    Apart(Binary, &'l mut [u8], &'l [u8], &'l [u8]),
    /// `out = out op right`
    Into(Binary, &'l mut [u8], &'l [u8]),
    /// `out = ((first op second) op third) op fourth`
    Fold(Binary, &'l mut [u8], [&'l [u8]; FOLDED]),
    /// `out = out op right`, a scalar as a register holds it.
    Scalar(Binary, &'l mut [u8], u64),
    /// `out = op out`
    Unary(Unary, &'l mut [u8]),
    /// `out = input`, which is of another type.
    Cast(DType, &'l mut [u8], &'l [u8]),
}

/// Runs an expression with the function `$f` standing for an op.
macro_rules! with_op {
    ($op:expr, $t:ident, $f:ident => $body:expr) => {
        match $op {
            Binary::Add => with_op!(@ $t, $f, add, $body),
            Binary::Sub => with_op!(@ $t, $f, sub, $body),
            Binary::Mul => with_op!(@ $t, $f, mul, $body),
            Binary::Div => with_op!(@ $t, $f, div, $body),
            Binary::Maximum => with_op!(@ $t, $f, maximum, $body),
            Binary::Minimum => with_op!(@ $t, $f, minimum, $body),
        }
    };
    (@ $t:ident, $f:ident, $method:ident, $body:expr) => {{
        let $f = |a: $t, b: $t| Element::$method(a, b);
        $body
    }};
}

/// Runs a loop; `dtype` is the type of the elements that it gives.
#[multiversion(targets(
    "x86_64+avx+avx2+bmi1+bmi2+f16c+fma+lzcnt+movbe+popcnt+avx512f+avx512bw+avx512cd+avx512dq+avx512vl",
    "x86_64+avx+avx2+bmi1+bmi2+f16c+fma+lzcnt+movbe+popcnt",
    "aarch64+neon",
))]
fn run(dtype: DType, work: Loop<'_>) {
    with_element!(dtype, T => match work {
        Loop::Apart(op, out, left, right) => {
            let (out, left, right) = (elements_mut::<T>(out), elements::<T>(left), elements::<T>(right));
            with_op!(op, T, apply => {
                for ((out, left), right) in out.iter_mut().zip(left).zip(right) {
                    *out = apply(*left, *right);
                }
            });
        }
        Loop::Into(op, out, right) => {
            let (out, right) = (elements_mut::<T>(out), elements::<T>(right));
            with_op!(op, T, apply => {
                for (out, right) in out.iter_mut().zip(right) {
                    *out = apply(*out, *right);
                }
            });
        }
        Loop::Fold(op, out, sources) => {
            let out = elements_mut::<T>(out);
            let [first, second, third, fourth] = sources.map(|source| &elements::<T>(source)[..out.len()]);
            with_op!(op, T, apply => {
                for (at, out) in out.iter_mut().enumerate() {
                    *out = apply(apply(apply(first[at], second[at]), third[at]), fourth[at]);
                }
            });
        }
        Loop::Scalar(op, out, right) => {
            let (out, right) = (elements_mut::<T>(out), T::from_register(right));
            with_op!(op, T, apply => {
                for out in out {
                    *out = apply(*out, right);
                }
            });
        }
        Loop::Unary(Unary::Neg, out) => {
            for out in elements_mut::<T>(out) {
                *out = out.neg();
            }
        }
        Loop::Cast(from, out, input) => {
            let out = elements_mut::<T>(out);
            with_element!(from, A => {
                for (out, input) in out.iter_mut().zip(elements::<A>(input)) {
                    *out = input.widen().narrow::<T>();
                }
            });
        }
    });
}

#[inline(always)]
fn elements<T: Element>(bytes: &[u8]) -> &[T] {
    bytemuck::cast_slice(bytes)
}

#[inline(always)]
fn elements_mut<T: Element>(bytes: &mut [u8]) -> &mut [T] {
    bytemuck::cast_slice_mut(bytes)
}

/// Whether bytes stand where elements of a type may.
pub(crate) fn is_aligned(dtype: DType, bytes: &[u8]) -> bool {
    bytes.as_ptr().addr().is_multiple_of(dtype.bytes())
}

/// `out = left op right`; all of the same length.
pub(crate) fn apart(op: Binary, dtype: DType, out: &mut [u8], left: &[u8], right: &[u8]) {
    run(dtype, Loop::Apart(op, out, left, right));
}

/// `out = ((first op second) op third) op fourth`; all of the same length.
pub(crate) fn fold(op: Binary, dtype: DType, out: &mut [u8], sources: [&[u8]; FOLDED]) {
    run(dtype, Loop::Fold(op, out, sources));
}

/// `out = out op right`; both of the same length.
pub(crate) fn into(op: Binary, dtype: DType, out: &mut [u8], right: &[u8]) {
    run(dtype, Loop::Into(op, out, right));
}

/// `out = out op right`, a scalar as a register holds it.
pub(crate) fn scalar(op: Binary, dtype: DType, out: &mut [u8], right: u64) {
    run(dtype, Loop::Scalar(op, out, right));
}

/// `out = op out`
pub(crate) fn unary(op: Unary, dtype: DType, out: &mut [u8]) {
    run(dtype, Loop::Unary(op, out));
}

/// `out = input` as another type.
pub(crate) fn cast(from: DType, input: &[u8], to: DType, out: &mut [u8]) {
    run(to, Loop::Cast(from, out, input));
}

/// Every element becomes the scalar.
pub(crate) fn full(dtype: DType, value: u64, out: &mut [u8]) {
    with_element!(dtype, T => elements_mut::<T>(out).fill(T::from_register(value)));
}

/// The first element of a divisor that is an integer zero.
pub(crate) fn find_zero(dtype: DType, divisor: &[u8]) -> Option<usize> {
    with_element!(dtype, T => elements::<T>(divisor).iter().position(|x| x.is_integer_zero()))
}

/// Whether a scalar is an integer zero.
pub(crate) fn is_zero(dtype: DType, scalar: u64) -> bool {
    with_element!(dtype, T => T::from_register(scalar).is_integer_zero())
}

/// `sum += data`; both of the same length, `data` wherever it stands.
pub(crate) fn accumulate(dtype: DType, sum: &mut [u8], data: &[u8]) {
    if is_aligned(dtype, data) {
        return into(Binary::Add, dtype, sum, data);
    }
    with_element!(dtype, T => {
        for (sum, data) in elements_mut::<T>(sum).iter_mut().zip(data.chunks_exact(size_of::<T>())) {
            *sum = Element::add(*sum, bytemuck::pod_read_unaligned(data));
        }
    });
}
