//! The types of a kernel's values.

use super::{Element, TileOrScalar, ops};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

macro_rules! handle {
    ($(#[$attr:meta])* $name:ident) => {
        $(#[$attr])*
        pub struct $name<T>(PhantomData<T>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Element> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "<{}>"), T::DTYPE)
            }
        }
    };
}

handle! {
    /// A tile: a small array in a device's on-chip memory, `pl::Tile<f32, { [1, SIZE] }>`.
    ///
    /// Ops make tiles and take them; a tile is a value, and copying its handle copies nothing. `a + b`, `a - b`, `a * b` and `a / b` are
    /// [`add`](super::add), [`sub`](super::sub), [`mul`](super::mul) and [`div`](super::div), `-a` is [`neg`](super::neg). The tile
    /// stands on the left of a scalar.
    ///
    /// The type is written in the signatures of `Inline` functions, and to annotate the result of a call. An extent may be `_` where only a
    /// run knows it.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(Inline, dynamic(S))]
    /// fn halve(t: pl::Tile<f32, { [1, S] }>) -> pl::Tile<f32, { [1, S] }> {
    ///     t * 0.5
    /// }
    ///
    /// #[pl::function(InCore)]
    /// fn average(a: pl::Tensor<f32, { [1, 64] }>, b: pl::Tensor<f32, { [1, 64] }>, y: pl::Out<pl::Tensor<f32, { [1, 64] }>>) {
    ///     let sum = pl::load(a, [0, 0], [1, 64]) + pl::load(b, [0, 0], [1, 64]);
    ///     let mean: pl::Tile<f32, { [1, 64] }> = halve(sum);
    ///     pl::store(mean, [0, 0], y);
    /// }
    /// # use pld as _;
    /// ```
    #[must_use = "a tile is the result of an op that does nothing else"]
    Tile
}

handle! {
    /// A tensor in the global memory of one rank, `pl::Tensor<f32, { [rows, cols] }>`: an argument that the host lends.
    ///
    /// A parameter of this type is only read; [`Out`] and [`InOut`] are written. On the host it is an `ndarray` view of the same element type
    /// and rank.
    Tensor
}

handle! {
    /// A symmetric window, `pld::DistributedTensor<f32, { [rows, cols] }>`: every rank of the domain has its own, of the same shape, and reaches
    /// those of its peers.
    ///
    /// On the host it is a [`Window`](crate::Window). A window of `i32` is also a signal, see [`distributed::system`](super::distributed::system).
    DistributedTensor
}

impl<T> Tile<T> {
    pub(super) const fn new() -> Self {
        Tile(PhantomData)
    }
}

/// Marks a tensor or window parameter that the kernel writes. Its contents are not data before: what was not stored cannot be loaded. After the launch the
/// elements of a tensor that were not stored hold what the host had there.
///
/// A kernel must store to it somewhere, and may return it rebound: `pl::store(tile, [0, 0], y)` is `y` again.
pub type Out<T> = T;

/// Marks a tensor or window parameter that the kernel reads and writes.
pub type InOut<T> = T;

/// A communication context: the domain of a window. [`get_comm_ctx`](super::distributed::get_comm_ctx) gives it.
#[derive(Clone, Copy, Debug)]
pub struct Context(());

impl Context {
    pub(super) const fn new() -> Context {
        Context(())
    }
}

/// The memory of a window to be, on every rank. [`alloc_window_buffer`](super::distributed::alloc_window_buffer) gives it, in `Host` functions.
#[derive(Clone, Copy, Debug)]
pub struct Buffer(());

impl Buffer {
    pub(super) const fn new() -> Buffer {
        Buffer(())
    }
}

impl<T> DistributedTensor<T> {
    pub(super) const fn new() -> Self {
        DistributedTensor(PhantomData)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident, $assign_trait:ident $assign_method:ident = $op:path;)*) => {$(
        impl<T: Element, R: TileOrScalar<T>> $trait<R> for Tile<T> {
            type Output = Tile<T>;
            fn $method(self, rhs: R) -> Tile<T> {
                $op(self, rhs)
            }
        }

        impl<T: Element, R: TileOrScalar<T>> $assign_trait<R> for Tile<T> {
            fn $assign_method(&mut self, rhs: R) {
                *self = $op(*self, rhs);
            }
        }
    )*};
}

operators! {
    Add add, AddAssign add_assign = ops::add;
    Sub sub, SubAssign sub_assign = ops::sub;
    Mul mul, MulAssign mul_assign = ops::mul;
    Div div, DivAssign div_assign = ops::div;
}

impl<T: Element> Neg for Tile<T> {
    type Output = Tile<T>;
    fn neg(self) -> Tile<T> {
        ops::neg(self)
    }
}
