//! Views of one rank's part of a window, without a copy.

use super::{Error, Window};
use crate::Element;
use ndarray::{ArrayView1, ArrayViewD, ArrayViewMut1, ArrayViewMutD, IxDyn};
use pl_core::runtime::{View, ViewMut};
use std::fmt;
use std::marker::PhantomData;

/// The array of one rank of a window, to look at: [`Window::rank`] gives it. It is the window's own memory, not a copy. While it lives, a launch that
/// uses the window is refused.
pub struct RankView<'w, T> {
    memory: Box<dyn View + 'w>,
    shape: &'w [usize],
    element: PhantomData<fn() -> T>,
}

/// The array of one rank of a window, to change: [`Window::rank_mut`] gives it. It is the window's own memory, not a copy.
pub struct RankViewMut<'w, T> {
    memory: Box<dyn ViewMut + 'w>,
    shape: &'w [usize],
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Window<T> {
    /// The array of `rank` where it is, whatever it holds: elements that nothing wrote are zero. Several views may live at the same time.
    ///
    /// ```
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let data = world.window_from(&pl::ndarray::arr2(&[[1.0_f32, 2.0], [3.0, 4.0]]))?;
    /// let (a, b) = (data.rank(0)?, data.rank(1)?);
    /// assert_eq!(a.view()[[1]] + b.view()[[0]], 5.0);
    /// assert_eq!((&a.view() + &b.view()).sum(), 10.0);
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// A rank that the world does not have; a window that [is in use](Error::InUse) by a running launch.
    pub fn rank(&self, rank: usize) -> Result<RankView<'_, T>, Error> {
        self.check_rank(rank)?;
        let memory = self.shared.engine.view(self.id, rank).map_err(|e| Error::of_window(e, &self.name()))?;
        Ok(RankView { memory, shape: self.shape(), element: PhantomData })
    }

    /// The array of `rank` where it is, to change. All of it is data from now on: kernels may load it.
    ///
    /// ```
    /// use pl::ndarray::{arr1, s};
    ///
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let mut data = world.window::<f32>([4])?;
    /// data.rank_mut(1)?.view_mut().slice_mut(s![1..3]).assign(&arr1(&[5.0, 6.0]));
    /// assert_eq!(data.to_array(1)?, arr1(&[0.0, 5.0, 6.0, 0.0]).into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Window::rank`].
    pub fn rank_mut(&mut self, rank: usize) -> Result<RankViewMut<'_, T>, Error> {
        self.check_rank(rank)?;
        let memory = self.shared.engine.view_mut(self.id, rank).map_err(|e| Error::of_window(e, &self.name()))?;
        Ok(RankViewMut { memory, shape: self.shape(), element: PhantomData })
    }
}

impl<T: Element> RankView<'_, T> {
    /// The array.
    pub fn view(&self) -> ArrayViewD<'_, T> {
        array(self.memory.bytes(), self.shape)
    }
}

impl<T: Element> RankViewMut<'_, T> {
    /// The array.
    pub fn view(&self) -> ArrayViewD<'_, T> {
        array(self.memory.bytes(), self.shape)
    }

    /// The array, to change.
    pub fn view_mut(&mut self) -> ArrayViewMutD<'_, T> {
        let elements = bytemuck::cast_slice_mut(self.memory.bytes_mut());
        if elements.len() != self.shape.iter().product::<usize>() {
            return ArrayViewMut1::from(elements).into_dyn();
        }
        let flat = ArrayViewMut1::from(elements);
        flat.into_shape_with_order(IxDyn(self.shape)).unwrap_or_else(|_| ArrayViewMut1::from(&mut []).into_dyn())
    }
}

/// Elements in C order as an array of that shape; an engine gives as many as the shape has.
fn array<'v, T: Element>(bytes: &'v [u8], shape: &[usize]) -> ArrayViewD<'v, T> {
    let flat = ArrayView1::from(bytemuck::cast_slice(bytes));
    flat.into_shape_with_order(IxDyn(shape)).unwrap_or_else(|_| flat.into_dyn())
}

impl<T: Element> fmt::Debug for RankView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl<T: Element> fmt::Debug for RankViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
