//! Windows: memory that every rank of a world has.

use super::Error;
use super::error::{count, there_are};
use super::world::Shared;
use crate::Element;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use pl_core::runtime::WindowId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A window: every rank of its world has one array of this shape, and a kernel reaches the array of any rank.
///
/// Windows outlive launches; dropping one frees its memory. It may be used only in the world that made it, and by its ranks: of a window that a
/// [subset](crate::World::subset) has made, rank r is the subset's.
///
/// ```
/// let world = pl::World::open("sim", &[0, 1])?;
/// let data = world.zeros::<f32>([2, 3])?;
/// assert_eq!(data.shape(), [2, 3]);
/// assert_eq!(data.to_array(1)?, pl::ndarray::ArrayD::<f32>::zeros(vec![2, 3]));
/// # Ok::<(), pl::Error>(())
/// ```
pub struct Window<T> {
    pub(super) shared: Arc<Shared>,
    pub(super) id: WindowId,
    /// Its ranks, as ranks of the world that was opened.
    pub(super) domain: Arc<[usize]>,
    shape: Vec<usize>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Window<T> {
    pub(super) fn new(shared: Arc<Shared>, id: WindowId, domain: Arc<[usize]>, shape: Vec<usize>) -> Window<T> {
        Window { shared, id, domain, shape, element: PhantomData }
    }

    /// What it is called where no kernel has a name for it: ``of `f32` [2, 3]``.
    pub(super) fn name(&self) -> String {
        format!("of `{}` {:?}", T::DTYPE.name(), self.shape)
    }

    /// The shape of each rank's array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Copies the array of `rank` out, whatever it holds: elements that nothing wrote are zero.
    ///
    /// # Errors
    /// A rank that the world does not have; a window that [is in use](Error::InUse).
    pub fn to_array(&self, rank: usize) -> Result<ArrayD<T>, Error> {
        self.check_rank(rank)?;
        let mut elements = vec![T::ZERO; self.shape.iter().product()];
        let bytes = bytemuck::cast_slice_mut(&mut elements);
        self.shared.engine.read(self.id, rank, bytes).map_err(|e| Error::of_window(e, &self.name()))?;
        ArrayD::from_shape_vec(IxDyn(&self.shape), elements).map_err(|e| Error::usage(e.to_string(), ""))
    }

    /// Replaces the array of `rank`. Its contents are data: kernels may load them.
    ///
    /// # Errors
    /// A rank that the world does not have, an array of another shape; a window that [is in use](Error::InUse).
    pub fn write<S, D>(&self, rank: usize, array: &ArrayBase<S, D>) -> Result<(), Error>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        self.check_rank(rank)?;
        if array.shape() != self.shape {
            return Err(Error::usage(
                format!("an array of shape {:?} does not fit a window of shape {:?}", array.shape(), self.shape),
                "a window's array has the shape that the window was made with",
            ));
        }
        let array = array.as_standard_layout();
        let elements = array.as_slice().unwrap_or_default();
        let bytes = bytemuck::cast_slice(elements);
        self.shared.engine.write(self.id, rank, bytes).map_err(|e| Error::of_window(e, &self.name()))
    }

    pub(super) fn check_rank(&self, rank: usize) -> Result<(), Error> {
        let ranks = self.domain.len();
        if rank < ranks {
            return Ok(());
        }
        Err(Error::usage(format!("there is no rank {rank} in a window of {}", count(ranks)), there_are(ranks)))
    }
}

impl<T> Drop for Window<T> {
    fn drop(&mut self) {
        self.shared.free(self.id);
    }
}

impl<T: Element> fmt::Debug for Window<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window<{}>{:?}", T::DTYPE, self.shape)
    }
}
