//! The windows of an engine. A launch takes those that it uses out of the table, and puts them back at its end: so nobody else reaches them meanwhile,
//! and nothing is locked while it runs.

use crate::check::Saved;
use crate::lineup::{InUse, Lineup, Lineups};
use crate::shared::HostBuffer;
use crate::window::Window;
use pl_core::dtype::DType;
use pl_core::runtime::{Contents, EngineError, View, ViewMut, WindowId, WindowUser};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::mem::replace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The windows that exist.
#[derive(Default)]
pub(crate) struct Windows(Mutex<Table>);

#[derive(Default)]
pub(crate) struct Table {
    entries: BTreeMap<WindowId, Entry>,
    /// The id of the last window.
    last: u64,
    /// The number of the last launch.
    launch: u32,
    /// Who took part in the last launches.
    pub(crate) lineups: Lineups,
}

/// What became of a window.
enum Entry {
    /// It is here.
    Here(Window),
    /// A launch has it.
    Taken {
        /// Which of the windows of that it is.
        user: (Arc<Lineup>, usize),
        /// Nobody needs it after that.
        freed: bool,
    },
}

/// The error for a window that a launch has.
fn in_use(window: WindowId, user: &(Arc<Lineup>, usize)) -> EngineError {
    let InUse { plan, memory, .. } = &user.0.windows[user.1];
    let memory = plan.memories[*memory as usize].name.clone();
    EngineError::InUse { window, user: WindowUser::Launch { memory, kernel: plan.kernel.clone() } }
}

/// An error of a caller.
pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> EngineError {
    EngineError::Usage { message: message.into(), help: help.into() }
}

fn gone(window: WindowId) -> EngineError {
    EngineError::Window { window, problem: "it does not exist in this world, or was freed".into() }
}

fn no_memory(dtype: DType, shape: &[usize], ranks: usize) -> EngineError {
    usage(
        format!("no memory for a window of `{dtype}` {shape:?} on {ranks} ranks"),
        "smaller windows or fewer ranks need less",
    )
}

fn viewed(window: WindowId, rank: usize) -> EngineError {
    EngineError::InUse { window, user: WindowUser::View { rank } }
}

impl Windows {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn allocate(
        &self,
        domain: Arc<[usize]>,
        dtype: DType,
        shape: &[usize],
        contents: Contents,
    ) -> Result<WindowId, EngineError> {
        let elements = shape.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent));
        if elements.is_none_or(|n| u32::try_from(n).is_err()) {
            return Err(usage(
                format!("a window of shape {shape:?} has too many elements"),
                format!("a window has less than {} elements per rank", 1_u64 << 32),
            ));
        }
        let mut table = self.lock();
        table.last += 1;
        let id = WindowId(table.last);
        let ranks = domain.len();
        let window = Window::new(id, domain, dtype, shape, contents).ok_or_else(|| no_memory(dtype, shape, ranks))?;
        table.entries.insert(id, Entry::Here(window));
        Ok(id)
    }

    pub(crate) fn free(&self, window: WindowId) {
        let mut table = self.lock();
        table.lineups.forget(window);
        match table.entries.get_mut(&window) {
            Some(Entry::Taken { freed, .. }) => *freed = true,
            _ => drop(table.entries.remove(&window)),
        }
    }

    pub(crate) fn reset(&self, window: WindowId) -> Result<(), EngineError> {
        let mut table = self.lock();
        let viewed_rank = table.get_mut(window)?.reset();
        viewed_rank.map_or(Ok(()), |rank| Err(viewed(window, rank)))
    }

    pub(crate) fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), EngineError> {
        let mut table = self.lock();
        let memory = host_memory(table.get_mut(window)?, rank, Some(out.len()))?;
        if memory.copy_to(out) { Ok(()) } else { Err(viewed(window, rank)) }
    }

    pub(crate) fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), EngineError> {
        let mut table = self.lock();
        let memory = host_memory(table.get_mut(window)?, rank, Some(bytes.len()))?;
        memory.bytes_mut().ok_or_else(|| viewed(window, rank))?.copy_from_slice(bytes);
        memory.set_data();
        Ok(())
    }

    pub(crate) fn view(&self, window: WindowId, rank: usize) -> Result<Box<dyn View + '_>, EngineError> {
        let mut table = self.lock();
        let lent = host_memory(table.get_mut(window)?, rank, None)?.lend();
        Ok(Box::new(Lent(lent.ok_or_else(|| viewed(window, rank))?)))
    }

    pub(crate) fn view_mut(&self, window: WindowId, rank: usize) -> Result<Box<dyn ViewMut + '_>, EngineError> {
        let mut table = self.lock();
        let memory = host_memory(table.get_mut(window)?, rank, None)?;
        let buffer = memory.take().ok_or_else(|| viewed(window, rank))?;
        memory.set_data();
        Ok(Box::new(LentMut { windows: self, window, rank, buffer: Some(buffer) }))
    }
}

impl Table {
    /// A window that nobody has taken.
    pub(crate) fn get(&self, window: WindowId) -> Result<&Window, EngineError> {
        match self.entries.get(&window) {
            Some(Entry::Here(found)) => Ok(found),
            Some(Entry::Taken { user, .. }) => Err(in_use(window, user)),
            None => Err(gone(window)),
        }
    }

    /// The id that the next window will have.
    pub(crate) fn next(&self) -> WindowId {
        WindowId(self.last + 1)
    }

    /// Makes a window hold again what it held, unless it is gone; whether it is not.
    pub(crate) fn restore(&mut self, window: WindowId, saved: &[Saved]) -> Result<bool, EngineError> {
        if !self.entries.contains_key(&window) {
            return Ok(false);
        }
        let found = self.get_mut(window)?;
        match found.restore(saved) {
            Some(rank) => Err(viewed(window, rank)),
            None => Ok(true),
        }
    }

    fn get_mut(&mut self, window: WindowId) -> Result<&mut Window, EngineError> {
        match self.entries.get_mut(&window) {
            Some(Entry::Here(found)) => Ok(found),
            Some(Entry::Taken { user, .. }) => Err(in_use(window, user)),
            None => Err(gone(window)),
        }
    }

    /// What keeps a launch from taking its windows: one is gone or in use, one was used by a launch that failed, or there is a view of one; of several that which the calls name
    /// first.
    #[cold]
    fn check_free(&mut self, lineup: &Lineup) -> Result<(), EngineError> {
        let mut named: Vec<&InUse> = lineup.windows.iter().collect();
        named.sort_by_key(|used| (used.first, used.memory));
        for InUse { id, .. } in &named {
            self.get(*id)?;
        }
        for InUse { id, .. } in &named {
            if self.get(*id)?.poisoned {
                return Err(EngineError::Poisoned(*id));
            }
        }
        for InUse { id, .. } in &named {
            if let Some(rank) = self.get_mut(*id)?.reclaim() {
                return Err(viewed(*id, rank));
            }
        }
        Ok(())
    }

    /// Takes the windows of a launch, all or none. Gives them with the number of the launch. Refused are those that somebody has, or that are poisoned.
    pub(crate) fn take<'w>(
        &mut self,
        windows: &'w Windows,
        lineup: &Arc<Lineup>,
    ) -> Result<(Used<'w>, u32), EngineError> {
        let mut are_free = true;
        for InUse { id, .. } in &lineup.windows {
            are_free &= match self.entries.get_mut(id) {
                Some(Entry::Here(window)) => !window.poisoned && window.reclaim().is_none(),
                _ => false,
            };
        }
        if !are_free {
            self.check_free(lineup)?;
        }
        let mut taken = SmallVec::with_capacity(lineup.windows.len());
        for (at, InUse { id, .. }) in lineup.windows.iter().enumerate() {
            let Some(entry) = self.entries.get_mut(id) else { continue };
            if let Entry::Here(window) = replace(entry, Entry::Taken { user: (Arc::clone(lineup), at), freed: false }) {
                taken.push(window);
            }
        }
        self.launch = self.launch.wrapping_add(1);
        Ok((Used { windows, taken, poisoned: false }, self.launch))
    }
}

/// The windows that a launch uses; dropped, it puts them back.
pub(crate) struct Used<'w> {
    windows: &'w Windows,
    /// In the order of the lineup's.
    taken: SmallVec<[Window; 4]>,
    /// Whether what they hold cannot be relied on.
    pub(crate) poisoned: bool,
}

impl Used<'_> {
    /// The window with this number in the lineup.
    pub(crate) fn get(&self, number: usize) -> &Window {
        &self.taken[number]
    }

    pub(crate) fn get_mut(&mut self, window: WindowId) -> Option<&mut Window> {
        let at = self.taken.binary_search_by_key(&window, |window| window.id).ok()?;
        self.taken.get_mut(at)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Window> {
        self.taken.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Window> {
        self.taken.iter_mut()
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        let mut table = self.windows.lock();
        for mut window in self.taken.drain(..) {
            window.poisoned |= self.poisoned;
            match table.entries.get_mut(&window.id) {
                Some(Entry::Taken { freed: true, .. }) => drop(table.entries.remove(&window.id)),
                Some(entry) => *entry = Entry::Here(window),
                None => {}
            }
        }
    }
}

fn host_memory(
    window: &mut Window,
    rank: usize,
    bytes: Option<usize>,
) -> Result<&mut crate::check::Memory, EngineError> {
    let (id, expected) = (window.id, window.elements * window.dtype.bytes());
    let Some(memory) = window.memory_mut(rank) else {
        return Err(EngineError::Window { window: id, problem: format!("it has no rank {rank}") });
    };
    match bytes.filter(|bytes| *bytes != expected) {
        Some(bytes) => {
            Err(EngineError::Window { window: id, problem: format!("it has {expected} bytes per rank, not {bytes}") })
        }
        None => Ok(memory),
    }
}

/// Memory that the host looks at.
struct Lent(Arc<HostBuffer>);

impl View for Lent {
    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Memory that the host changes; dropped, it goes back.
struct LentMut<'w> {
    windows: &'w Windows,
    window: WindowId,
    rank: usize,
    /// Always there until it is dropped.
    buffer: Option<HostBuffer>,
}

impl View for LentMut<'_> {
    fn bytes(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], HostBuffer::bytes)
    }
}

impl ViewMut for LentMut<'_> {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.as_mut().map_or(&mut [], HostBuffer::bytes_mut)
    }
}

impl Drop for LentMut<'_> {
    fn drop(&mut self) {
        let mut table = self.windows.lock();
        // A window that was freed meanwhile takes nothing back.
        if let (Ok(window), Some(buffer)) = (table.get_mut(self.window), self.buffer.take())
            && let Some(memory) = window.memory_mut(self.rank)
        {
            memory.put_back(buffer);
        }
    }
}
