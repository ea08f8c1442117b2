//! Loops over whole tiles: element by element, of one type, simple enough for the compiler to vectorise.
//!
//! Tiles come as bytes; a buffer is aligned for every element type, so that the views below are free.

use crate::num::{Element, Wide, with_element};
use pl_core::dtype::DType;

/// An op of two elements.
pub(crate) trait Binary {
    /// Whether an integer zero on the right side is an error.
    const DIVIDES: bool = false;
    /// The result for one pair.
    fn apply<T: Element>(a: T, b: T) -> T;
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $method:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Binary for $name {
            #[inline(always)]
            fn apply<T: Element>(a: T, b: T) -> T {
                a.$method(b)
            }
        }
    )*};
}

binary! {
    /// `pl::add`
    Add add;
    /// `pl::sub`
    Sub sub;
    /// `pl::mul`
    Mul mul;
    /// `pl::maximum`
    Maximum maximum;
    /// `pl::minimum`
    Minimum minimum;
}

/// `pl::div`
pub(crate) struct Div;

impl Binary for Div {
    const DIVIDES: bool = true;

    #[inline(always)]
    fn apply<T: Element>(a: T, b: T) -> T {
        a.div(b)
    }
}

/// The right side of an op.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// A tile's bytes.
    Tile(&'a [u8]),
    /// A scalar, as a register holds it.
    Scalar(u64),
}

/// The left side and where the result goes.
pub(crate) enum Left<'a> {
    /// Two buffers.
    Apart(&'a [u8], &'a mut [u8]),
    /// The result replaces the left side.
    InPlace(&'a mut [u8]),
}

/// The first element of the divisor that is an integer zero.
pub(crate) fn find_zero(dtype: DType, divisor: Right<'_>) -> Option<usize> {
    with_element!(dtype, T => match divisor {
        Right::Tile(bytes) => bytemuck::cast_slice::<u8, T>(bytes).iter().position(|x| x.is_integer_zero()),
        Right::Scalar(bits) => T::from_register(bits).is_integer_zero().then_some(0),
    })
}

/// `out = left op right`; all of the same length.
pub(crate) fn binary<F: Binary>(dtype: DType, left: Left<'_>, right: Right<'_>) {
    with_element!(dtype, T => match (left, right) {
        (Left::Apart(a, out), Right::Tile(b)) => {
            let (a, b) = (bytemuck::cast_slice::<u8, T>(a), bytemuck::cast_slice::<u8, T>(b));
            for ((out, &a), &b) in bytemuck::cast_slice_mut::<u8, T>(out).iter_mut().zip(a).zip(b) {
                *out = F::apply(a, b);
            }
        }
        (Left::InPlace(a), Right::Tile(b)) => {
            let b = bytemuck::cast_slice::<u8, T>(b);
            for (a, &b) in bytemuck::cast_slice_mut::<u8, T>(a).iter_mut().zip(b) {
                *a = F::apply(*a, b);
            }
        }
        (Left::Apart(a, out), Right::Scalar(b)) => {
            let (a, b) = (bytemuck::cast_slice::<u8, T>(a), T::from_register(b));
            for (out, &a) in bytemuck::cast_slice_mut::<u8, T>(out).iter_mut().zip(a) {
                *out = F::apply(a, b);
            }
        }
        (Left::InPlace(a), Right::Scalar(b)) => {
            let b = T::from_register(b);
            for a in bytemuck::cast_slice_mut::<u8, T>(a) {
                *a = F::apply(*a, b);
            }
        }
    });
}

/// `out = -left`
pub(crate) fn neg(dtype: DType, left: Left<'_>) {
    with_element!(dtype, T => match left {
        Left::Apart(a, out) => {
            let a = bytemuck::cast_slice::<u8, T>(a);
            for (out, &a) in bytemuck::cast_slice_mut::<u8, T>(out).iter_mut().zip(a) {
                *out = a.neg();
            }
        }
        Left::InPlace(a) => {
            for a in bytemuck::cast_slice_mut::<u8, T>(a) {
                *a = a.neg();
            }
        }
    });
}

/// `out = input` as another type.
pub(crate) fn cast(from: DType, input: &[u8], to: DType, out: &mut [u8]) {
    with_element!(from, A => with_element!(to, B => {
        let input = bytemuck::cast_slice::<u8, A>(input);
        for (out, &a) in bytemuck::cast_slice_mut::<u8, B>(out).iter_mut().zip(input) {
            *out = a.widen().narrow::<B>();
        }
    }));
}

/// Every element becomes the scalar.
pub(crate) fn full(dtype: DType, value: u64, out: &mut [u8]) {
    with_element!(dtype, T => bytemuck::cast_slice_mut::<u8, T>(out).fill(T::from_register(value)));
}

/// `sum += data`; both of the same length, `data` wherever it stands.
pub(crate) fn accumulate(dtype: DType, sum: &mut [u8], data: &[u8]) {
    with_element!(dtype, T => {
        let sum = bytemuck::cast_slice_mut::<u8, T>(sum);
        for (sum, data) in sum.iter_mut().zip(data.chunks_exact(size_of::<T>())) {
            *sum = Element::add(*sum, bytemuck::pod_read_unaligned(data));
        }
    });
}
