//! `pl::*`: ops on the own memory and on tiles.
#![expect(unused_variables, reason = "the parameters are the reference; a kernel runs on devices")]

use super::distributed::DistributedTensor;
use super::{Element, ElementValue, Memory, Tensor, Tile, TileOrScalar};

/// Copies a box of the own global or window memory into a tile.
///
/// - `src`: a tensor or window. Not an `Out` parameter that nothing has stored to.
/// - `offsets`, `shape`: the box, one entry per axis of `src`. It must lie within `src`; a box with a zero extent is empty.
///
/// The tile has the element type of `src` and the extents `shape`, which may be any index expression. A load of window elements that nothing
/// wrote is an error of the run, as is a load that races with a peer's store. Follows `pl.load` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn copy(x: pl::Tensor<f32, { [4, 64] }>, y: pl::Out<pl::Tensor<f32, { [4, 64] }>>) {
///     for row in 0..4 {
///         let tile = pl::load(x, offsets = [row, 0], shape = [1, 64]);
///         pl::store(tile, [row, 0], y);
///     }
/// }
/// ```
pub fn load<T: Element, const R: usize>(src: impl Memory<T>, offsets: [usize; R], shape: [usize; R]) -> Tile<T> {
    Tile::new()
}

/// Writes a tile into the own global (`Out`, `InOut`) or window memory.
///
/// - `tile`: of the element type of `dst`.
/// - `offsets`: where the tile's first element goes, one entry per axis of `dst`. The tile must fit.
/// - `dst`: an `Out` or `InOut` parameter.
///
/// Gives `dst` back, to rebind its name (`data = pl::store(…, data)`) or to return it; the store takes effect whether that is used or not.
/// Follows `pl.store` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn zero(y: pl::Out<pl::Tensor<i32, { [1, 8] }>>) -> pl::Tensor<i32, { [1, 8] }> {
///     pl::store(pl::full::<i32>([1, 8], 0), [0, 0], y)
/// }
/// ```
pub fn store<T: Element, const R: usize, M: Memory<T>>(tile: Tile<T>, offsets: [usize; R], dst: M) -> M {
    dst
}

/// Reads one element of the own global or window memory.
///
/// Of a window it orders nothing: what a peer did before it changed the cell has not happened for the reader. Wait for a signal
/// with [`distributed::system::wait`](super::distributed::system::wait). An i32
/// cell that nothing wrote, or that was [discarded](discard), reads as 0: cells count from zero. Of other elements nothing may be read before it was
/// written. Follows `pl.read` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn pick(at: pl::Tensor<i32, { [1] }>, x: pl::Tensor<f32, { [64] }>, y: pl::Out<pl::Tensor<f32, { [1] }>>) {
///     let index = pl::read(at, [0]) as usize;
///     pl::store(pl::load(x, [index], [1]), [0], y);
/// }
/// ```
pub fn read<T: Element, const R: usize>(src: impl Memory<T>, indices: [usize; R]) -> T {
    T::ZERO
}

/// Writes one element of the own global (`Out`, `InOut`) or window memory; gives the memory back, as [`store`] does.
///
/// On a window this is an ordinary access, also on a cell that is a signal elsewhere. Follows `pl.write` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn count(n: i32, y: pl::Out<pl::Tensor<i32, { [1] }>>) {
///     pl::write(y, [0], n + 1);
/// }
/// ```
pub fn write<T: Element, const R: usize, M: Memory<T>>(dst: M, indices: [usize; R], value: impl ElementValue<T>) -> M {
    dst
}

/// What the element-wise ops of two operands share.
macro_rules! elementwise {
    ($(#[doc = $doc:literal])* $name:ident, $operator:literal) => {
        $(#[doc = $doc])*
        ///
        /// - `lhs`: a tile.
        /// - `rhs`: a tile of the same element type and shape, or a scalar of the element type. A bare literal takes that type.
        ///
        /// The result is a tile like `lhs`. Each element is computed in the element type: f16 and bf16 round after each op.
        #[doc = concat!("Follows `pl.", stringify!($name), "` of PyPTO. ", $operator)]
        ///
        /// ```
        /// #[pl::function(InCore)]
        /// fn kernel(x: pl::InOut<pl::Tensor<f32, { [1, 64] }>>) {
        ///     let tile = pl::load(x, [0, 0], [1, 64]);
        #[doc = concat!("    let both = pl::", stringify!($name), "(tile, tile);")]
        #[doc = concat!("    pl::store(pl::", stringify!($name), "(both, 2.0), [0, 0], x);")]
        /// }
        /// ```
        pub fn $name<T: Element>(lhs: Tile<T>, rhs: impl TileOrScalar<T>) -> Tile<T> {
            lhs
        }
    };
}

elementwise! {
    /// Adds element by element; integers wrap.
    add, "Also written `lhs + rhs`."
}

elementwise! {
    /// Subtracts element by element; integers wrap.
    sub, "Also written `lhs - rhs`."
}

elementwise! {
    /// Multiplies element by element; integers wrap.
    mul, "Also written `lhs * rhs`."
}

elementwise! {
    /// Divides element by element. Floats follow IEEE; a division of integers by zero is an error of the run.
    div, "Also written `lhs / rhs`."
}

elementwise! {
    /// The greater of two elements. NaN propagates, and -0 is less than +0.
    maximum, "For scalars there is [`max`](super::max)."
}

elementwise! {
    /// The lesser of two elements. NaN propagates, and -0 is less than +0.
    minimum, "For scalars there is [`min`](super::min)."
}

/// Negates element by element; integers wrap. Also written `-tile`.
///
/// - `tile`: of a signed element type.
///
/// Follows `pl.neg` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn negate(x: pl::InOut<pl::Tensor<i8, { [1, 8] }>>) {
///     pl::store(pl::neg(pl::load(x, [0, 0], [1, 8])), [0, 0], x);
/// }
/// ```
pub fn neg<T: Element>(tile: Tile<T>) -> Tile<T> {
    tile
}

/// Converts the elements to the type argument: to nearest, ties to even; integers saturate, and NaN becomes 0.
///
/// Scalars are converted with `as`. Follows `pl.cast` of PyPTO.
///
/// ```
/// use pl::half::f16;
///
/// #[pl::function(InCore)]
/// fn narrow(x: pl::Tensor<f32, { [1, 8] }>, y: pl::Out<pl::Tensor<f16, { [1, 8] }>>) {
///     pl::store(pl::cast::<f16>(pl::load(x, [0, 0], [1, 8])), [0, 0], y);
/// }
/// ```
pub fn cast<U: Element>(tile: Tile<impl Element>) -> Tile<U> {
    Tile::new()
}

/// A tile with the same value in every element: `pl::full::<f32>([1, SIZE], 0.0)`.
///
/// - `shape`: the tile's extents, any index expressions.
/// - `value`: a scalar of the type argument.
///
/// Follows `pl.full` of PyPTO.
///
/// ```
/// #[pl::function(InCore)]
/// fn ones<T: pl::Element>(y: pl::Out<pl::Tensor<T, { [1, 8] }>>) {
///     pl::store(pl::full::<T>([1, 8], T::ONE), [0, 0], y);
/// }
/// ```
pub fn full<T: Element, const R: usize>(shape: [usize; R], value: impl ElementValue<T>) -> Tile<T> {
    Tile::new()
}

/// The same memory under another shape.
///
/// - `memory`: a tensor or window.
/// - `shape`: its new extents, of as many elements in all, made of constants, dims and the number of ranks. Elements keep their order: the last axis
///   is the one that runs fastest (C order).
///
/// Nothing is copied: what is stored through one name is seen through the other. Follows `pl.reshape` of PyPTO.
///
/// ```
/// #[pl::function(InCore, dynamic(M, N))]
/// fn halve(x: pl::InOut<pl::Tensor<f32, { [M, N] }>>) {
///     let flat = pl::reshape(x, [1, M * N]);
///     pl::store(pl::load(flat, [0, 0], [1, M * N]) * 0.5, [0, 0], flat);
/// }
/// ```
#[must_use = "it changes nothing: use the memory that it gives"]
pub fn reshape<T: Element, const R: usize, M: Memory<T>>(memory: M, shape: [usize; R]) -> M {
    memory
}

/// The contents of a box of the own window are no data any more: to read them before they are written again is an error.
/// Cells of an i32 window are zero then, as in a window that is new: [`read`] of one gives 0.
///
/// - `dst`: a window.
/// - `offsets`, `shape`: the box, one entry per axis of `dst`.
///
/// For races it counts as a write. It is what [`all_to_all_v`](super::distributed::tensor::all_to_all_v) does with the rows that nobody sent, so
/// that the data of an earlier call are not taken for them. PyPTO has no such op.
///
/// ```
/// use pl::distributed as pld;
///
/// #[pl::function(InCore)]
/// fn forget(data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
///     pl::discard(data, offsets = [1, 0], shape = [3, 64]);
/// }
/// ```
pub fn discard<T: Element, const R: usize>(dst: DistributedTensor<T>, offsets: [usize; R], shape: [usize; R]) {}

/// The part of a tensor at an index of its outermost axis, in `Host` functions. Written `x[r]` for short.
///
/// - `src`: a tensor of two axes or more.
/// - `index`: which part.
///
/// The part is a tensor with the axes that are left; it is lent to the call that it is passed to, and written there if `src` is `Out` or `InOut`. See
/// [`world_size`](super::distributed::world_size) for an example.
#[must_use = "it changes nothing: pass the part to a call"]
pub fn part<T: Element>(src: Tensor<T>, index: usize) -> Tensor<T> {
    src
}
