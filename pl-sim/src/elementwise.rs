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

/// The most sources that one loop folds.
pub(crate) const FOLDED: usize = 8;

/// Elements of which a loop keeps the results in vector registers while it goes from source to source.
const BLOCK: usize = 32;

/// What one loop does.
enum Loop<'l> {
    /// `out = ((first op second) op third) …`; begins with `out` itself when that is said.
    Fold(Binary, &'l mut [u8], bool, &'l [&'l [u8]]),
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
        Loop::Fold(op, out, onto, sources) => {
            with_op!(op, T, apply => fold_elements::<T>(elements_mut(out), onto, sources, apply));
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
fn fold_elements<T: Element>(out: &mut [T], onto: bool, sources: &[&[u8]], apply: impl Fn(T, T) -> T) {
    let mut typed: [&[T]; FOLDED] = [&[]; FOLDED];
    for (typed, source) in typed.iter_mut().zip(sources) {
        *typed = &elements(source)[..out.len()];
    }
    let (first, others) = typed[..sources.len()].split_at(usize::from(!onto));
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let whole = blocks.len() * BLOCK;
    let block_of = |source: &[T], at: usize| source.as_chunks::<BLOCK>().0[at];
    for (at, out) in blocks.iter_mut().enumerate() {
        let mut results = first.first().map_or(*out, |first| block_of(first, at));
        for source in others {
            for (result, element) in results.iter_mut().zip(block_of(source, at)) {
                *result = apply(*result, element);
            }
        }
        *out = results;
    }
    if let [first] = first {
        rest.copy_from_slice(&first[whole..]);
    }
    for source in others {
        for (out, element) in rest.iter_mut().zip(&source[whole..]) {
            *out = apply(*out, *element);
        }
    }
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

/// `out = ((first op second) op third) …`, which begins with `out` itself when `onto` says so; all of the same length, at most [`FOLDED`] sources.
pub(crate) fn fold(op: Binary, dtype: DType, out: &mut [u8], onto: bool, sources: &[&[u8]]) {
    run(dtype, Loop::Fold(op, out, onto, sources));
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
        return fold(Binary::Add, dtype, sum, true, &[data]);
    }
    with_element!(dtype, T => {
        for (sum, data) in elements_mut::<T>(sum).iter_mut().zip(data.chunks_exact(size_of::<T>())) {
            *sum = Element::add(*sum, bytemuck::pod_read_unaligned(data));
        }
    });
}
