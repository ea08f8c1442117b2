//! A window: the same memory on every rank.

use crate::check::Memory;
use pl_core::dtype::DType;
use pl_core::runtime::{Contents, WindowId};

/// A window.
pub(crate) struct Window {
    /// Its id.
    pub(crate) id: WindowId,
    /// Its element type.
    pub(crate) dtype: DType,
    /// Its extents.
    pub(crate) shape: Box<[usize]>,
    /// Elements per rank.
    pub(crate) elements: usize,
    /// Whether a failed launch used it.
    pub(crate) poisoned: bool,
    memories: Box<[Memory]>,
}

impl Window {
    /// A new window; `None` when there is not enough memory.
    pub(crate) fn new(id: WindowId, ranks: usize, dtype: DType, shape: &[usize], contents: Contents) -> Option<Window> {
        let elements = shape.iter().product();
        let data = contents == Contents::Zeros;
        let memories =
            (0..ranks).map(|rank| Memory::new(rank, elements, dtype.bytes(), data)).collect::<Option<_>>()?;
        Some(Window { id, dtype, shape: shape.into(), elements, poisoned: false, memories })
    }

    /// The memory of a rank.
    pub(crate) fn memory(&self, rank: usize) -> &Memory {
        &self.memories[rank]
    }

    /// The memory of a rank, between launches.
    pub(crate) fn memory_mut(&mut self, rank: usize) -> Option<&mut Memory> {
        self.memories.get_mut(rank)
    }

    /// Starts a launch.
    pub(crate) fn start(&mut self, launch: u32) {
        for memory in &mut self.memories {
            memory.start(launch);
        }
    }
}
