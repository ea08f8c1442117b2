//! What ops take for an argument where Rust has more than one type for it.

use super::distributed::DistributedTensor;
use super::{Element, Tensor, Tile};

/// A tensor or window of elements `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory of `{T}`",
    label = "expected a tensor or window of `{T}`",
    note = "`pl::Tensor` and `pld::DistributedTensor` are memory; convert a tile of other elements with `pl::cast::<{T}>(tile)`"
)]
pub trait Memory<T>: Copy + sealed::Memory {}

impl<T: Element> Memory<T> for Tensor<T> {}
impl<T: Element> Memory<T> for DistributedTensor<T> {}

/// The second operand of an element-wise op on tiles of `T`: a tile, or a scalar `T`. A bare literal is a `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a tile nor a scalar of `{T}`",
    label = "expected a tile or a scalar of `{T}`",
    note = "convert a tile with `pl::cast::<{T}>(tile)`, a scalar with `as {T}`"
)]
pub trait TileOrScalar<T>: Copy {}

impl<T: Element> TileOrScalar<T> for Tile<T> {}
#[diagnostic::do_not_recommend]
impl<T: Element> TileOrScalar<T> for T {}
#[diagnostic::do_not_recommend]
impl<T: Element> TileOrScalar<T> for Literal {}

/// A scalar of the element type `T`. A bare literal is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of `{T}`",
    label = "expected a scalar of `{T}`",
    note = "convert it with `as {T}`, or `pl::lit::<{T}>(…)` of a literal"
)]
pub trait ElementValue<T>: Copy {}

#[diagnostic::do_not_recommend]
impl<T: Element> ElementValue<T> for T {}
#[diagnostic::do_not_recommend]
impl<T: Element> ElementValue<T> for Literal {}

/// A scalar that `as` makes a `T` of: numbers of each other, and of a `bool` an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cast to `{T}`",
    label = "cannot be cast to `{T}`",
    note = "numbers are cast to each other, and a `bool` to integers"
)]
pub trait CastTo<T> {}

/// A scalar that is a number.
trait Number {}

impl<T: Element> Number for T {}
impl Number for usize {}

#[diagnostic::do_not_recommend]
impl<S: Number, T: Number> CastTo<T> for S {}

macro_rules! casts_of_bool {
    ($($type:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl CastTo<$type> for bool {}
    )*};
}

casts_of_bool!(i8 i16 i32 i64 u8 u32 usize bool);

/// A literal without a type, beside a tile or memory whose element type it takes.
#[derive(Clone, Copy, Debug)]
pub struct Literal;

mod sealed {
    pub trait Memory {}
    impl<T> Memory for super::Tensor<T> {}
    impl<T> Memory for super::DistributedTensor<T> {}
}
