//! What the locals of a `Host` function hold.

use crate::host::call::WindowRef;
use crate::host::{Error, Window, World};
use half::{bf16, f16};
use pl_core::dtype::DType;
use pl_sim::scalar::ScalarTy;
use std::ops::Range;

/// The value of a local.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A scalar, as a register holds it.
    Scalar(u64, ScalarTy),
    /// A tensor argument, or a part of it.
    Tensor(Tensor),
    /// A window: a number in the interpreter's list.
    Window(usize),
    /// A window buffer: a number in the interpreter's list.
    Buffer(usize),
}

/// A tensor argument, or a part of it.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    /// The parameter.
    pub(super) param: usize,
    /// Its bytes among those of the argument.
    pub(super) bytes: Range<usize>,
    pub(super) shape: Vec<usize>,
}

impl Tensor {
    /// The part at an index of the outermost axis; `None` past its end.
    pub(super) fn part(&self, index: u64) -> Option<Tensor> {
        let (count, shape) = self.shape.split_first()?;
        let index = usize::try_from(index).ok().filter(|index| index < count)?;
        let bytes = self.bytes.len() / count;
        let start = self.bytes.start + index * bytes;
        Some(Tensor { param: self.param, bytes: start..start + bytes, shape: shape.to_vec() })
    }
}

/// Memory for a window, on every rank.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) bytes: u64,
    /// The window that it is.
    pub(super) window: Option<usize>,
}

/// A window that the function uses.
pub(super) enum Made<'a> {
    /// An argument.
    Given(WindowRef<'a>, DType),
    /// One that the function made; freed with this.
    Own(Box<dyn Owned>),
}

/// A window of any element type.
pub(super) trait Owned {
    fn reference(&self) -> WindowRef<'_>;
    fn dtype(&self) -> DType;
}

impl<T: crate::Element> Owned for Window<T> {
    fn reference(&self) -> WindowRef<'_> {
        WindowRef::new(self)
    }

    fn dtype(&self) -> DType {
        T::DTYPE
    }
}

impl Made<'_> {
    pub(super) fn reference(&self) -> WindowRef<'_> {
        match self {
            Made::Given(window, _) => *window,
            Made::Own(window) => window.reference(),
        }
    }

    pub(super) fn dtype(&self) -> DType {
        match self {
            Made::Given(_, dtype) => *dtype,
            Made::Own(window) => window.dtype(),
        }
    }
}

/// Allocates a window of an element type that only the program knows.
pub(super) fn allocate(world: &World, dtype: DType, shape: Vec<usize>) -> Result<Box<dyn Owned>, Error> {
    fn of<T: crate::Element>(world: &World, shape: Vec<usize>) -> Result<Box<dyn Owned>, Error> {
        Ok(Box::new(world.window::<T>(shape)?))
    }
    match dtype {
        DType::F32 => of::<f32>(world, shape),
        DType::F16 => of::<f16>(world, shape),
        DType::BF16 => of::<bf16>(world, shape),
        DType::I8 => of::<i8>(world, shape),
        DType::I16 => of::<i16>(world, shape),
        DType::I32 => of::<i32>(world, shape),
        DType::I64 => of::<i64>(world, shape),
        DType::U8 => of::<u8>(world, shape),
        DType::U32 => of::<u32>(world, shape),
    }
}
