//! Window memory, shared between the threads that run ranks. The one module with `unsafe`.
//!
//! # Why this is sound
//!
//! The memory of a window is reached in three ways only:
//!
//! 1. Through `&mut`, or as a [`HostBuffer`] that it was made into, between launches: nobody else has it. The memory itself is a [`Block`], which is moved
//!    from the one to the other.
//! 2. Through a [`ReadGrant`], [`RowsGrant`], [`WriteGrant`] or [`AddGrant`]. Making one takes a [`Passed`], and only the checks can make that: they give it
//!    out after they have recorded the access and found every recorded access of another rank that conflicts with it to be ordered before it.
//!    Both happen under the lock of the rank's window memory, so of two conflicting accesses one is recorded first, and the other is either
//!    ordered after it or refused. "Ordered" means that the first rank made a notify after its access and the second passed a
//!    wait because of it (or through other ranks); both go through the lock of the cell's memory, or the note of the one through its channel, which makes the one
//!    happen before the other for the hardware, too. A grant borrows the clock of its rank, and a notify needs that clock
//!    mutably: so a rank has let go of every grant when it makes the notify that orders others after it. A rank that read may get the
//!    grant once more ([`Held`](crate::check::Held)), as long as it has not made a notify since: its access is still recorded, and nobody is ordered after it.
//! 3. As a signal cell ([`SharedBuffer::cell`]): atomically, also with a `Passed`. For the checks a notify is a write and a wait or read of a
//!    cell is a read, which conflict with the accesses of 2. as above, and not with one another.
//!
//! A notify may leave a note in place of its record and its change of the cell (`check/tray.rs`): only in memory with which the kernels of the launch do nothing but add to cells and
//! wait for them, so that no grant is made beside a note. Whoever takes the lock makes up for that first, and sees by the note what happened before it.
//!
//! So while a grant lives no other rank writes what it reads, and no other rank touches what it writes, with one exception: adds do not conflict with
//! adds, so that several [`AddGrant`]s for the same bytes may live. An add holds the lock of the stripe of memory that it changes, for as long as it
//! reaches into it; and nobody but adds touches these bytes then.
//!
//! A launch without checks has no such grants to rely on: there one thread runs all ranks ([`Checks::None`](crate::check::Checks)), and the grants of a
//! rank are gone when the next rank runs, so nothing happens at the same time.
//!
//! The own rank may hold two grants for one memory (it moves a box within it). It is one thread that uses them one after the other, and a reference to
//! window memory leaves this module for the time of one loop only: to a stripe, to which other memory is added, to what is read, while the result goes to
//! other memory, or to what is changed, while nothing is read of the same bytes. So copies between windows go by pointers, which may overlap.
//!
//! The module also lends the work of a launch to threads that outlive it ([`lend`]), with an argument of its own.
//!
//! What is known of a memory, the ranks and the queue of those that are to run are guarded by a [`Lock`], which is an ordinary one while several threads run
//! ranks. As long as one thread runs all of them it need not be atomic: a flag tells the thread that it holds the lock already. The lock is told before another
//! thread is asked to join ([`Ranks::share`](crate::sched::Ranks::share)), by the one that ran the ranks until then and holds none of these locks; what it did
//! before is ordered by the lock of the offers, through which the other takes the work, and which several threads use from the start.
#![expect(unsafe_code, reason = "the argument stands above")]

use crate::check::Passed;
use crate::elementwise::FOLDED;
use crate::memory::Line;
use crate::region::{Piece, Rows, Runs, for_each_piece};
use crate::sched::{Crew, Shift};
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI32};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A lock that costs next to nothing while one thread runs all ranks.
///
/// Its first cache line, where it is aligned, has what the lock is taken with, and the first part of the value: two cores that take it in turns move one line. They read in
/// another one whether several threads do: had they to read it in that line, they would get it twice, once to read and once to change it.
#[repr(C)]
pub(crate) struct Lock<T> {
    /// What is held while several threads want it.
    mutex: Mutex<()>,
    value: UnsafeCell<T>,
    rest: [Line; 0],
    /// Whether several threads may want it.
    shared: AtomicBool,
    /// Whether it is held, while one thread runs all ranks.
    held: AtomicBool,
}

// SAFETY: a `&Lock<T>` gives out one `&mut T` at a time: while it is shared the mutex sees to that, before then the flag, of one thread: see the module's argument.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Where its value begins.
    #[cfg(test)]
    pub(crate) const BEFORE: usize = std::mem::offset_of!(Lock<T>, value);

    const fn used(value: T, shared: bool) -> Lock<T> {
        let (shared, held) = (AtomicBool::new(shared), AtomicBool::new(false));
        Lock { mutex: Mutex::new(()), value: UnsafeCell::new(value), rest: [], shared, held }
    }

    /// A lock that one thread uses.
    pub(crate) const fn new(value: T) -> Lock<T> {
        Lock::used(value, false)
    }

    /// A lock that several threads use.
    pub(crate) const fn shared(value: T) -> Lock<T> {
        Lock::used(value, true)
    }

    /// The value, when nobody else has the lock.
    pub(crate) const fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, without the lock.
    pub(crate) fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// The value, when nobody else has the lock, which one thread uses from now on.
    pub(crate) fn alone(&mut self) -> &mut T {
        *self.shared.get_mut() = false;
        self.get_mut()
    }

    /// From now on several threads use it. The only one that did so calls this.
    pub(crate) fn share(&self) {
        self.shared.store(true, Relaxed);
    }

    /// Takes the lock.
    #[inline(always)]
    pub(crate) fn lock(&self) -> Locked<'_, T> {
        if self.shared.load(Relaxed) {
            // Nothing panics while it holds the lock, and a value is never left half-changed.
            let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
            return Locked { lock: self, shared: Some(guard), value: PhantomData };
        }
        assert!(!self.held.load(Relaxed), "a lock is taken twice");
        self.held.store(true, Relaxed);
        Locked { lock: self, shared: None, value: PhantomData }
    }
}

/// A lock that is held.
pub(crate) struct Locked<'l, T> {
    lock: &'l Lock<T>,
    /// The mutex, when several threads use the lock.
    shared: Option<MutexGuard<'l, ()>>,
    /// As if it held the value itself: threads share it only where they may share that.
    value: PhantomData<&'l mut T>,
}

impl<T> Locked<'_, T> {
    /// Whether several threads may want the lock.
    #[inline(always)]
    pub(crate) const fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Lets go of the lock until somebody notifies `waker`, and takes it again. Only where several threads use it.
    pub(crate) fn wait(mut self, waker: &Condvar) -> Self {
        let guard = self.shared.take();
        assert!(guard.is_some(), "one thread alone waits for nobody");
        // Without its guard the lock is not held by this: see `drop`.
        self.shared = guard.map(|guard| waker.wait(guard).unwrap_or_else(PoisonError::into_inner));
        self
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held, by this alone.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Locked<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held, by this alone, which is borrowed mutably.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Locked<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.shared.is_none() {
            self.lock.held.store(false, Relaxed);
        }
    }
}

/// Bytes that one lock guards against other adds: a multiple of every element's size.
const STRIPE: usize = 16 << 10;
/// Locks of a memory: stripes share them in turn.
const LOCKS: usize = 8;

/// Memory from this many bytes on is asked of the system directly: pages, of which only those are taken that are touched.
const MAPPED: usize = 128 << 10;

/// Bytes that begin with a cache line: zeros at first.
struct Block {
    start: NonNull<u8>,
    bytes: usize,
    /// Whose the bytes are when they are whole pages; otherwise they are the allocator's, of [`Block::layout`].
    pages: Option<MmapMut>,
}

// SAFETY: a block has its bytes for itself, whichever thread it is on.
unsafe impl Send for Block {}
// SAFETY: of a `&Block` this module makes no reference to the bytes but by the module's argument.
unsafe impl Sync for Block {}

impl Block {
    const EMPTY: Block = Block { start: NonNull::<Line>::dangling().cast(), bytes: 0, pages: None };

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, align_of::<Line>()).ok()
    }

    /// `None` when there is not enough memory.
    fn new(bytes: usize) -> Option<Block> {
        if bytes == 0 {
            return Some(Block::EMPTY);
        }
        let layout = Block::layout(bytes)?;
        if bytes >= MAPPED {
            let mut pages = MmapMut::map_anon(bytes).ok()?;
            return Some(Block { start: NonNull::new(pages.as_mut_ptr())?, bytes, pages: Some(pages) });
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        Some(Block { start: NonNull::new(start)?, bytes, pages: None })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let (None, 1.., Some(layout)) = (&self.pages, self.bytes, Block::layout(self.bytes)) {
            // SAFETY: the allocator gave it, with this layout, and nobody has it any more.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

/// The memory of one rank in one window: zeros at first.
pub(crate) struct SharedBuffer {
    block: Block,
    adding: [Mutex<()>; LOCKS],
}

impl SharedBuffer {
    /// Zeroed memory; `None` when there is not enough. The pages of a large one are only taken when they are touched.
    pub(crate) fn new(bytes: usize) -> Option<SharedBuffer> {
        Some(SharedBuffer { block: Block::new(bytes)?, adding: Default::default() })
    }

    /// No memory.
    pub(crate) const fn empty() -> SharedBuffer {
        SharedBuffer { block: Block::EMPTY, adding: [const { Mutex::new(()) }; LOCKS] }
    }

    /// How many bytes it has.
    pub(crate) const fn bytes(&self) -> usize {
        self.block.bytes
    }

    /// The memory, when nobody else has it.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the block has so many bytes, all initialised, and is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.block.start.as_ptr(), self.block.bytes) }
    }

    /// A pointer to some bytes of the memory.
    fn pointer(&self, start: usize, length: usize) -> *mut u8 {
        assert!(start.checked_add(length).is_some_and(|end| end <= self.block.bytes), "a grant beyond the memory");
        // SAFETY: the offset lies within the allocation.
        unsafe { self.block.start.as_ptr().add(start) }
    }

    /// The box of elements of `size` bytes, to read.
    pub(crate) fn read_grant<'g>(&'g self, runs: &'g Runs, size: usize, _passed: Passed<'g>) -> ReadGrant<'g> {
        ReadGrant { buffer: self, runs, size }
    }

    /// The rows of elements of `size` bytes, to read.
    pub(crate) fn rows_grant<'g>(&'g self, rows: &'g Rows, size: usize, _passed: Passed<'g>) -> RowsGrant<'g> {
        RowsGrant { memory: Lender::Window(self), rows, size }
    }

    /// The box of elements of `size` bytes, to write.
    pub(crate) fn write_grant<'g>(&'g self, runs: &'g Runs, size: usize, _passed: Passed<'g>) -> WriteGrant<'g> {
        WriteGrant { buffer: self, runs, size }
    }

    /// The box of elements of `size` bytes, to add to.
    pub(crate) fn add_grant<'g>(&'g self, runs: &'g Runs, size: usize, _passed: Passed<'g>) -> AddGrant<'g> {
        AddGrant { buffer: self, runs, size }
    }

    /// A signal cell.
    pub(crate) fn cell<'g>(&'g self, index: usize, _passed: Passed<'g>) -> &'g AtomicI32 {
        let pointer = self.pointer(index * 4, 4).cast::<i32>();
        // SAFETY: the pointer is in bounds, aligned (the block is, and 4 divides the offset), and valid as long as the buffer.
        // Meanwhile nobody reaches these bytes but as a cell (3. above).
        unsafe { AtomicI32::from_ptr(pointer) }
    }
}

/// The same memory while only the host has it: ordinary bytes.
pub(crate) struct HostBuffer(Block);

impl HostBuffer {
    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the block has so many bytes, all initialised; who has this buffer changes them through `&mut` alone.
        unsafe { std::slice::from_raw_parts(self.0.start.as_ptr(), self.0.bytes) }
    }

    /// The bytes, to change.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the block has so many bytes, all initialised, and is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.0.start.as_ptr(), self.0.bytes) }
    }
}

impl From<SharedBuffer> for HostBuffer {
    fn from(buffer: SharedBuffer) -> HostBuffer {
        HostBuffer(buffer.block)
    }
}

impl From<HostBuffer> for SharedBuffer {
    fn from(buffer: HostBuffer) -> SharedBuffer {
        SharedBuffer { block: buffer.0, adding: Default::default() }
    }
}

/// The right to read a box now.
pub(crate) struct ReadGrant<'g> {
    buffer: &'g SharedBuffer,
    runs: &'g Runs,
    size: usize,
}

impl ReadGrant<'_> {
    /// Copies the box.
    pub(crate) fn copy_to(&self, out: &mut [u8]) {
        let length = self.runs.length() * self.size;
        if length == 0 {
            return;
        }
        for (start, out) in self.runs.starts().zip(out.chunks_exact_mut(length)) {
            self.copy(start, out);
        }
    }

    /// Copies the box into one of as many elements in other memory.
    pub(crate) fn copy_to_box(&self, out: &mut [u8], runs: &Runs) {
        for_each_piece(self.runs, runs, |Piece { left, right, length }| {
            self.copy(left, &mut out[right * self.size..][..length * self.size]);
        });
    }

    /// Copies elements of the box that stand side by side.
    fn copy(&self, start: usize, out: &mut [u8]) {
        let pointer = self.buffer.pointer(start * self.size, out.len());
        // SAFETY: in bounds; nobody writes these bytes meanwhile (2. above); `out` is no window memory.
        unsafe { std::ptr::copy_nonoverlapping(pointer, out.as_mut_ptr(), out.len()) };
    }
}

/// The right to read rows now, of a window or of other memory.
#[derive(Clone, Copy)]
pub(crate) struct RowsGrant<'g> {
    memory: Lender<'g>,
    rows: &'g Rows,
    size: usize,
}

/// Whose memory rows lie in.
#[derive(Clone, Copy)]
enum Lender<'g> {
    Window(&'g SharedBuffer),
    Other(&'g [u8]),
}

impl<'g> RowsGrant<'g> {
    /// No rows.
    pub(crate) const NONE: RowsGrant<'static> =
        RowsGrant { memory: Lender::Other(&[]), rows: &const { Rows::first(0) }, size: 1 };

    /// Rows of elements of `size` bytes in memory that is no window's.
    pub(crate) const fn of_bytes(bytes: &'g [u8], rows: &'g Rows, size: usize) -> RowsGrant<'g> {
        RowsGrant { memory: Lender::Other(bytes), rows, size }
    }

    /// How many elements stand side by side, from this one on.
    pub(crate) fn rest(&self, element: usize) -> usize {
        self.rows.locate(element).1
    }

    /// Where so many elements from this one on stand, which are side by side.
    fn locate(&self, element: usize, count: usize) -> Range<usize> {
        let (start, rest) = self.rows.locate(element);
        assert!(count <= rest, "elements beyond the grant's");
        start * self.size..(start + count) * self.size
    }

    /// Lends so many elements from this one on, which stand side by side, of several boxes: for one loop over them, in which the rank does nothing else.
    #[inline]
    pub(crate) fn together<R>(
        grants: &[RowsGrant<'_>],
        (element, count): (usize, usize),
        f: impl FnOnce(&[&[u8]]) -> R,
    ) -> R {
        let mut lent: [&[u8]; FOLDED] = [&[]; FOLDED];
        for (lent, grant) in lent[..grants.len()].iter_mut().zip(grants) {
            let bytes = grant.locate(element, count);
            *lent = match grant.memory {
                Lender::Other(memory) => &memory[bytes],
                Lender::Window(buffer) => {
                    let pointer = buffer.pointer(bytes.start, bytes.len());
                    // SAFETY: in bounds and initialised; nobody writes these bytes meanwhile (2. above): the loop has no grant to write, or one for
                    // other bytes (`WriteGrant::change`).
                    unsafe { std::slice::from_raw_parts(pointer, bytes.len()) }
                }
            };
        }
        f(&lent[..grants.len()])
    }

    /// Copies the rows into a box of as many elements in other memory.
    pub(crate) fn copy_to_box(&self, out: &mut [u8], runs: &Runs) {
        let rows = &self.rows.runs();
        match self.memory {
            Lender::Window(buffer) => ReadGrant { buffer, runs: rows, size: self.size }.copy_to_box(out, runs),
            Lender::Other(bytes) => {
                for_each_piece(rows, runs, |Piece { left, right, length }| {
                    let [from, to] = [left, right].map(|start| start * self.size..(start + length) * self.size);
                    out[to].copy_from_slice(&bytes[from]);
                });
            }
        }
    }
}

/// The right to write a box now.
pub(crate) struct WriteGrant<'g> {
    buffer: &'g SharedBuffer,
    runs: &'g Runs,
    size: usize,
}

impl WriteGrant<'_> {
    /// The box.
    pub(crate) const fn runs(&self) -> &Runs {
        self.runs
    }

    /// Whether the box has so many elements side by side, from this position in memory on.
    fn holds(&self, position: usize, count: usize) -> bool {
        self.runs.starts().any(|start| start <= position && position + count <= start + self.runs.length())
    }

    /// Replaces elements of the box that stand side by side, from this position in memory on.
    pub(crate) fn copy_from_strip(&self, start: usize, data: &[u8]) {
        debug_assert!(self.holds(start, data.len() / self.size), "elements beyond the grant's");
        self.copy(start, data);
    }

    /// Replaces the box.
    pub(crate) fn copy_from(&self, data: &[u8]) {
        let length = self.runs.length() * self.size;
        if length == 0 {
            return;
        }
        for (start, data) in self.runs.starts().zip(data.chunks_exact(length)) {
            self.copy(start, data);
        }
    }

    /// Replaces the box by one of as many elements in other memory.
    pub(crate) fn copy_from_box(&self, data: &[u8], runs: &Runs) {
        for_each_piece(self.runs, runs, |Piece { left, right, length }| {
            self.copy(left, &data[right * self.size..][..length * self.size]);
        });
    }

    /// Replaces the box by rows of as many elements. Where both have bytes in common, what is copied of these is not told.
    pub(crate) fn copy_from_rows(&self, source: &RowsGrant<'_>) {
        let RowsGrant { memory, rows, size } = *source;
        match memory {
            Lender::Window(buffer) => self.copy_from_window(&ReadGrant { buffer, runs: &rows.runs(), size }),
            Lender::Other(bytes) => self.copy_from_box(bytes, &rows.runs()),
        }
    }

    /// Whether elements of rows, from this one on, stand where those of the box do from this position in memory on.
    pub(crate) fn is_at(&self, position: usize, rows: &RowsGrant<'_>, element: usize) -> bool {
        matches!(rows.memory, Lender::Window(buffer) if std::ptr::eq(buffer, self.buffer))
            && rows.locate(element, 0).start == position * self.size
    }

    /// Lends so many elements of the box that stand side by side, from this position in memory on, to be changed in one loop that reads as many elements of
    /// other boxes, from `element` on. Where these have any of the bytes in common it does nothing, and gives false.
    pub(crate) fn change(
        &self,
        (position, count): (usize, usize),
        (sources, element): (&[RowsGrant<'_>], usize),
        f: impl FnOnce(&mut [u8], &[&[u8]]),
    ) -> bool {
        debug_assert!(self.holds(position, count), "elements beyond the grant's");
        let changed = position * self.size..(position + count) * self.size;
        let meets = |source: &RowsGrant<'_>| match source.memory {
            Lender::Other(_) => false,
            Lender::Window(buffer) => {
                let read = source.locate(element, count);
                std::ptr::eq(buffer, self.buffer) && read.start < changed.end && changed.start < read.end
            }
        };
        if sources.iter().any(meets) {
            return false;
        }
        let pointer = self.buffer.pointer(changed.start, changed.len());
        RowsGrant::together(sources, (element, count), |sources| {
            // SAFETY: in bounds and initialised; nobody else touches these bytes meanwhile (2. above), and of what the loop reads none is among them.
            f(unsafe { std::slice::from_raw_parts_mut(pointer, changed.len()) }, sources);
        });
        true
    }

    /// Replaces the box by one of as many elements of a window. Where both have bytes in common, what is copied of these is not told.
    pub(crate) fn copy_from_window(&self, source: &ReadGrant<'_>) {
        for_each_piece(self.runs, source.runs, |Piece { left, right, length }| {
            let length = length * self.size;
            let from = source.buffer.pointer(right * self.size, length);
            let to = self.buffer.pointer(left * self.size, length);
            // SAFETY: in bounds; no other rank writes the bytes that are read, or touches those that are written (2. above); they may overlap.
            unsafe { std::ptr::copy(from, to, length) };
        });
    }

    /// Fills the box with zeros.
    pub(crate) fn clear(&self) {
        let length = self.runs.length() * self.size;
        for start in self.runs.starts() {
            let pointer = self.buffer.pointer(start * self.size, length);
            // SAFETY: in bounds; nobody else touches these bytes meanwhile (2. above).
            unsafe { std::ptr::write_bytes(pointer, 0, length) };
        }
    }

    /// Replaces elements of the box that stand side by side.
    fn copy(&self, start: usize, data: &[u8]) {
        let pointer = self.buffer.pointer(start * self.size, data.len());
        // SAFETY: in bounds; nobody else touches these bytes meanwhile (2. above); `data` is no window memory.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, data.len()) };
    }
}

/// The right to add to a box now, at the same time as others that have it.
pub(crate) struct AddGrant<'g> {
    buffer: &'g SharedBuffer,
    runs: &'g Runs,
    size: usize,
}

impl AddGrant<'_> {
    /// Adds a box of as many elements in other memory. `add` adds the elements on its right to those on its left.
    pub(crate) fn add_from_box(&self, data: &[u8], runs: &Runs, add: impl Fn(&mut [u8], &[u8])) {
        for_each_piece(self.runs, runs, |Piece { left, right, length }| {
            self.add(left, &data[right * self.size..][..length * self.size], &add);
        });
    }

    /// Adds a box of as many elements of a window. Where both have bytes in common, what is added to these is not told.
    pub(crate) fn add_from_window(&self, source: &ReadGrant<'_>, add: impl Fn(&mut [u8], &[u8])) {
        let mut buffer = [0_u64; 512];
        let buffer: &mut [u8] = bytemuck::cast_slice_mut(&mut buffer);
        let most = buffer.len() / self.size;
        for_each_piece(self.runs, source.runs, |Piece { left, right, length }| {
            for at in (0..length).step_by(most) {
                let part = &mut buffer[..most.min(length - at) * self.size];
                source.copy(right + at, part);
                self.add(left + at, part, &add);
            }
        });
    }

    /// Adds to elements of the box that stand side by side.
    fn add(&self, start: usize, mut data: &[u8], add: &impl Fn(&mut [u8], &[u8])) {
        let mut at = start * self.size;
        while !data.is_empty() {
            let (now, later) = data.split_at(data.len().min(STRIPE - at % STRIPE));
            // An addition does not panic, and a sum is never left half-made.
            let adding = self.buffer.adding[at / STRIPE % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
            let pointer = self.buffer.pointer(at, now.len());
            // SAFETY: in bounds; meanwhile only adds touch these bytes (2. above), and of these only the one with the stripe's lock; `now` is no
            // window memory.
            add(unsafe { std::slice::from_raw_parts_mut(pointer, now.len()) }, now);
            drop(adding);
            (at, data) = (at + now.len(), later);
        }
    }
}

/// What the workers of a crew do for a launch. It is lent: see [`lend`].
#[derive(Clone, Copy)]
pub(crate) struct Job(&'static (dyn Fn() + Sync));

impl Job {
    /// Does it.
    pub(crate) fn run(self) {
        (self.0)();
    }
}

/// Lends work to the workers of a crew while `lead` runs on this thread, and may ask them to join. Gives how many did, when all have left again.
pub(crate) fn lend(crew: &Crew, work: &(dyn Fn() + Sync), lead: impl FnOnce(&Shift<'_>)) -> usize {
    // SAFETY: the lifetime is longer than it is, but nobody calls the work after this function, which does not return or unwind before the shift has
    // ended or was dropped: `lead` cannot take it away. Then the offer is withdrawn, so that no worker can join any more, and all that had joined have
    // left: a worker calls the work only in between (`Offers::work`), and neither keeps the job nor does the shift give it to anybody else.
    let job = Job(unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) });
    let shift = Shift::new(crew, job);
    lead(&shift);
    shift.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_sees_zeros_and_what_it_wrote() {
        let mut buffer = SharedBuffer::new(13).expect("memory");
        assert_eq!(buffer.bytes_mut(), [0; 13]);
        buffer.bytes_mut()[12] = 7;
        assert_eq!(buffer.bytes_mut()[12], 7);
        let mut lent = HostBuffer::from(buffer);
        assert_eq!((lent.bytes().len(), lent.bytes()[12]), (13, 7));
        lent.bytes_mut()[0] = 9;
        assert_eq!(SharedBuffer::from(lent).bytes_mut()[0], 9);
        assert_eq!(HostBuffer::from(SharedBuffer::empty()).bytes(), [0; 0]);
    }
}
