//! A window: the same memory on every rank of its domain.

use crate::check::{Checks, Late, Memory, Saved};
use pl_core::dtype::DType;
use pl_core::runtime::{Contents, WindowId};
use std::sync::Arc;

/// A window.
pub(crate) struct Window {
    /// Its id.
    pub(crate) id: WindowId,
    /// Its domain: the ranks that have it, by their number in the world.
    pub(crate) domain: Arc<[usize]>,
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
    pub(crate) fn new(
        id: WindowId,
        domain: Arc<[usize]>,
        dtype: DType,
        shape: &[usize],
        contents: Contents,
    ) -> Option<Window> {
        let elements = shape.iter().product();
        let data = contents == Contents::Zeros;
        let memories = domain.iter().map(|_| Memory::new(elements, dtype.bytes(), data)).collect::<Option<_>>()?;
        Some(Window { id, domain, dtype, shape: shape.into(), elements, poisoned: false, memories })
    }

    /// The memory of a rank of the domain.
    pub(crate) fn memory(&self, rank: usize) -> &Memory {
        &self.memories[rank]
    }

    /// The same, where there may be no such rank.
    pub(crate) fn find(&self, rank: usize) -> Option<&Memory> {
        self.memories.get(rank)
    }

    /// The memory of a rank of the domain, between launches.
    pub(crate) fn memory_mut(&mut self, rank: usize) -> Option<&mut Memory> {
        self.memories.get_mut(rank)
    }

    /// Takes all memory back from views that are gone; a rank of which there still is one.
    pub(crate) fn reclaim(&mut self) -> Option<usize> {
        self.memories.iter_mut().position(|memory| !memory.reclaim())
    }

    /// Makes it as new; a rank of which there is a view.
    pub(crate) fn reset(&mut self) -> Option<usize> {
        let viewed = self.reclaim().or_else(|| self.memories.iter_mut().position(|memory| !memory.reset()));
        self.poisoned &= viewed.is_some();
        viewed
    }

    /// What it holds, rank by rank; only when there are no views.
    pub(crate) fn save(&mut self) -> Vec<Saved> {
        self.memories.iter_mut().filter_map(Memory::save).collect()
    }

    /// Makes it hold that again, and be no longer poisoned. A rank of which there is a view.
    pub(crate) fn restore(&mut self, saved: &[Saved]) -> Option<usize> {
        self.poisoned = false;
        self.memories.iter_mut().zip(saved).position(|(memory, saved)| !memory.restore(saved))
    }

    /// Starts a launch; `calls` are the calls of the ranks of the world.
    pub(crate) fn start(&mut self, launch: u32, calls: &[Option<u32>], checks: Checks) {
        for (memory, rank) in self.memories.iter_mut().zip(&*self.domain) {
            memory.start(launch, calls.get(*rank).copied().flatten().map(|call| call as usize), checks);
        }
    }

    /// From now on several threads use it, until the launch is over. Only one does when this is called. `noted` tells how many ranks take part, where those are few that only
    /// add to its cells and wait for them.
    pub(crate) fn share(&self, noted: Option<usize>) {
        let noted = noted.filter(|_| self.dtype == DType::I32);
        self.memories.iter().for_each(|memory| memory.share(noted));
    }

    /// The launch is over, in which several threads used it. Calls `found` for what was found out of notifies late: the rank of the domain, its cell, and what.
    pub(crate) fn settle(&self, mut found: impl FnMut(usize, usize, Late)) {
        for (rank, memory) in self.memories.iter().enumerate() {
            memory.settle().into_iter().for_each(|(cell, late)| found(rank, cell, late));
        }
    }

    /// A rank of the domain as a report names it: its number in the world, and in the domain where that is another one.
    pub(crate) fn owner(&self, rank: usize) -> (Option<usize>, Option<usize>) {
        let owner = self.domain.get(rank).copied();
        (owner, (owner != Some(rank)).then_some(rank))
    }
}
