//! What scalars have beside Rust's operators.

use super::Element;

/// The lesser of two scalars. Written `pl::min(a, b)`; on tiles it is [`minimum`](super::minimum).
///
/// ```
/// #[pl::function(InCore, dynamic(S))]
/// fn ragged(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) {
///     for at in pl::range(0, S, 64) {
///         let len = pl::min(64, S - at);
///         pl::store(pl::load(x, [0, at], [1, len]), [0, at], y);
///     }
/// }
/// ```
pub fn min<S: PartialOrd>(a: S, b: S) -> S {
    if b < a { b } else { a }
}

/// The greater of two scalars. Written `pl::max(a, b)`; on tiles it is [`maximum`](super::maximum).
pub fn max<S: PartialOrd>(a: S, b: S) -> S {
    if a < b { b } else { a }
}

/// The indices of a loop. In a kernel it is written `pl::range(end)`, `pl::range(start, end)` or `pl::range(start, end, step)`, in the head of a
/// `for`; a plain `start..end` does as well. A step of zero is an error.
///
/// ```
/// #[pl::function(InCore, dynamic(N))]
/// fn copy(x: pl::Tensor<i32, { [N, 8] }>, y: pl::Out<pl::Tensor<i32, { [N, 8] }>>) {
///     for row in pl::range(N) {
///         pl::store(pl::load(x, [row, 0], [1, 8]), [row, 0], y);
///     }
/// }
/// ```
pub fn range(start: usize, end: usize, step: usize) -> impl Iterator<Item = usize> {
    (start..end).step_by(step.max(1))
}

/// A literal of an element type: `pl::lit::<T>(1.5)`, for where `T` is a type parameter. Elsewhere a bare literal does.
///
/// ```
/// #[pl::function(InCore)]
/// fn scale<T: pl::Element>(x: pl::InOut<pl::Tensor<T, { [1, 8] }>>) {
///     pl::store(pl::load(x, [0, 0], [1, 8]) * pl::lit::<T>(2), [0, 0], x);
/// }
/// ```
pub fn lit<T: Element>(value: impl Into<f64>) -> T {
    T::lit(value.into())
}
