//! The checks of accesses to window memory: made before the access, under the lock of the memory that it reaches.
//!
//! Two accesses conflict when different ranks make them, they share an element, and one of them changes it. Notifies, waits and `pl::read`s of
//! cells do not conflict with one another, and neither do transfers that add. An access is refused when it conflicts with an earlier one that is not
//! ordered before it ([`clock`]), when it reads elements that are not data ([`init`]), or when a cell cannot hold a deposit.
//! What passes is recorded ([`log`], [`cells`]) and gets a grant for the memory ([`crate::shared`]). In a launch without checks all accesses pass,
//! unrecorded; of the cells it is still noted who notified them, for the reports about ranks that are stuck.

mod awaited;
pub(crate) mod cell;
pub(crate) mod cells;
mod channel;
pub(crate) mod clock;
pub(crate) mod init;
pub(crate) mod log;
mod signals;
mod tray;

use crate::memory::{self, Line};
use crate::region::{Rows, Runs};
use crate::shared::{AddGrant, HostBuffer, Lock, Locked, ReadGrant, RowsGrant, SharedBuffer, WriteGrant};
pub(crate) use awaited::Awaited;
use awaited::Parked;
use cell::Odd;
use cells::Cells;
use clock::{Clock, Stamp};
use init::{Init, Missing};
use log::{Access, Conflict, Log};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tray::Tray;

/// What was checked may now happen, or what one thread alone does; only this module makes one.
pub(crate) struct Passed<'g>(PhantomData<&'g Clock>);

/// Why an access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It conflicts with an access that is not ordered before it.
    Race(Conflict),
    /// It reads elements that are not data.
    Missing(Missing),
    /// The cell cannot take the deposit.
    Overflow {
        /// What it holds.
        value: i32,
        /// What was to be added.
        add: i32,
    },
}

impl From<Conflict> for Refused {
    fn from(conflict: Conflict) -> Refused {
        Refused::Race(conflict)
    }
}

/// The memory of one rank in one window, and what is known of the accesses to it.
///
/// A notify between ranks on two cores takes the cache lines that it changes from the one to the other. So what each notify needs stands in one
/// line, at the start, and what stays as it is during a launch apart from it, in lines that all cores have.
#[repr(C)]
pub(crate) struct Memory {
    history: Lock<History>,
    rest: [Line; 0],
    /// Whether accesses are checked. Where they are not, one thread runs all ranks.
    checked: bool,
    /// Whether the host wrote it since the last launch.
    preset: bool,
    /// The launch that is going on, or was last.
    launch: u32,
    /// The number of its rank's call in this launch; one that no call has where the rank takes no part.
    owner: usize,
    tray: Tray,
    buffer: SharedBuffer,
    /// Bytes of an element.
    size: usize,
    /// What the host has of it.
    lent: Lent,
}

/// What the host has of a rank's memory between launches. Then `buffer` is empty.
enum Lent {
    /// Nothing.
    No,
    /// It looks at it, or did.
    Read(Arc<HostBuffer>),
    /// It changes it.
    Changed,
}

/// That a rank may read a box later than it was checked: until its next notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Where the memory stands, and the launch.
    memory: usize,
    launch: u32,
    /// The rank, and how many notifies it had made.
    rank: u32,
    notifies: u64,
    rows: Rows,
}

impl Held {
    /// The box.
    pub(crate) const fn rows(&self) -> &Rows {
        &self.rows
    }
}

/// What one rank's memory held at some time.
pub(crate) struct Saved {
    bytes: Box<[u8]>,
    init: Init,
    preset: bool,
}

/// What is checked of a window in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Nothing but bounds; one thread runs all ranks.
    None,
    /// Every access.
    Accesses,
    /// Every access, and that it is all zero again where collectives, whose signal it is, have used it.
    Signal,
}

/// What is known of the accesses to one rank's memory.
#[repr(C)]
struct History {
    /// What the owner is parked on.
    parked: Parked,
    /// Whether a note satisfied the owner's wait, and nobody was told yet.
    woken: bool,
    cells: Cells,
    log: Log,
    init: Init,
    /// What was found out of notifies when their notes were recorded, with the cells.
    late: Vec<(usize, Late)>,
}

/// What a notify does to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deposit {
    /// Adds.
    Add(i32),
    /// Sets.
    Set(i32),
}

/// What a notify brought about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notified {
    /// Whether it satisfied the owner's wait.
    pub(crate) wakes: bool,
    /// What is odd about it.
    pub(crate) odd: Option<Box<Odd>>,
}

/// What is found out of a notify when its note is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// A wait, this instruction of the owner, had passed by what an earlier launch left in the cell.
    StaleWait(u32, Stamp),
    /// The cell cannot take the deposit.
    Overflow {
        /// Who notified it.
        by: Stamp,
        /// What it holds.
        value: i32,
        /// What was to be added.
        add: i32,
    },
}

/// A cell of a collective's signal that does not hold what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leftover {
    /// The cell.
    pub(crate) index: usize,
    /// What it holds.
    pub(crate) value: i32,
    /// What builtins deposited there.
    pub(crate) credit: i32,
}

/// What a wait found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// It is satisfied.
    Passed {
        /// The last notify that it learnt from.
        from: Option<Stamp>,
        /// The value at the start of the launch, when that satisfied it.
        stale: Option<i32>,
        /// What is odd about it.
        odd: Option<Box<Odd>>,
    },
    /// The owner is parked on the cell.
    Parked,
}

#[cfg(test)]
impl History {
    /// How many of its bytes each notify needs.
    const HOT: usize = std::mem::offset_of!(History, cells) + Cells::HOT;
}

impl Memory {
    /// A rank's memory: zeros. `None` when there is not enough.
    pub(crate) fn new(elements: usize, size: usize, data: bool) -> Option<Memory> {
        let init = if data { Init::all() } else { Init::none(elements) };
        let history = History {
            parked: Parked::default(),
            woken: false,
            cells: Cells::new(elements),
            log: Log::default(),
            init,
            late: Vec::new(),
        };
        let buffer = SharedBuffer::new(elements.checked_mul(size)?)?;
        Some(Memory {
            history: Lock::new(history),
            rest: [],
            buffer,
            tray: Tray::default(),
            owner: usize::MAX,
            size,
            preset: false,
            checked: true,
            launch: 0,
            lent: Lent::No,
        })
    }

    fn lock(&self) -> Locked<'_, History> {
        let mut history = self.history.lock();
        self.current(&mut history);
        history
    }

    /// What the lock guards, with the notes that were left. What is done all the time takes the lock so: a lock that is held costs a stall wherever it is moved.
    #[inline(always)]
    fn current<'h>(&self, locked: &'h mut Locked<'_, History>) -> &'h mut History {
        if locked.is_shared() && self.tray.is_used() && self.tray.has_notes() {
            self.record_notes(locked);
        }
        locked
    }

    /// Records the notifies of which notes were left.
    #[cold]
    #[inline(never)]
    fn record_notes(&self, history: &mut History) {
        let History { parked, woken, cells, init, late, .. } = history;
        self.tray.take(|note| {
            let index = note.index as usize;
            let cell = self.buffer.cell(index, Passed(PhantomData));
            let value = cell.load(Relaxed);
            // It can be too much only where a notify that adds a lot came before those that knew of it.
            let Some(new) = value.checked_add(note.add) else {
                late.push((index, Late::Overflow { by: note.stamp, value, add: note.add }));
                return;
            };
            let wait = cells.noted(&note, (value, new));
            late.extend(wait.map(|wait| (index, Late::StaleWait(wait, note.stamp))));
            init.fill_one(index);
            cell.store(new, Relaxed);
            *woken |= parked.notified(index, new);
            if !tray::fits(new) {
                self.tray.close();
            }
        });
    }

    /// From now on several threads use it, until the launch is over. Only one does when this is called. `noted` tells how many ranks take part, where those are few that only
    /// add to its cells and wait for them: then notes may be left for a rank that takes part.
    pub(crate) fn share(&self, noted: Option<usize>) {
        self.history.share();
        let cells = self.buffer.bytes() / self.size;
        let Some(ranks) = noted.filter(|_| self.checked && self.call().is_some() && cells <= tray::MOST_CELLS) else {
            return;
        };
        let value = |index| self.buffer.cell(index, Passed(PhantomData)).load(Relaxed);
        if (0..cells).all(|index| tray::fits(value(index))) {
            self.tray.open(ranks);
        }
    }

    /// The launch is over, in which several threads used it: records what is left to record. What was found out of notifies that left notes, with the cells.
    pub(crate) fn settle(&self) -> Vec<(usize, Late)> {
        std::mem::take(&mut self.lock().late)
    }

    /// Whether notes satisfied the wait on which the owner is parked: then whoever asks is to wake it.
    pub(crate) fn collect(&self) -> bool {
        std::mem::take(&mut self.lock().woken)
    }

    /// Starts a launch, which is ordered after everything before it. `call` is the number of the rank's call.
    pub(crate) fn start(&mut self, launch: u32, call: Option<usize>, checks: Checks) {
        self.owner = call.unwrap_or(usize::MAX);
        self.checked = checks != Checks::None;
        self.launch = launch;
        let preset = std::mem::take(&mut self.preset);
        let signal = checks == Checks::Signal;
        let held = signal.then(|| self.buffer.bytes_mut().chunks_exact(4).filter(|cell| **cell != [0; 4]).count());
        let history = self.history.alone();
        history.log.clear();
        history.cells.start(call, preset, held);
        if !self.checked {
            // Nobody notes what is written.
            history.init = Init::all();
        }
        history.parked = Parked::default();
        history.woken = false;
        history.late.clear();
        self.tray.put_away();
    }

    /// Whether accesses are checked.
    #[inline]
    pub(crate) const fn is_checked(&self) -> bool {
        self.checked
    }

    /// The number of its rank's call in this launch; `None` where the rank takes no part.
    #[inline]
    pub(crate) fn call(&self) -> Option<usize> {
        (self.owner != usize::MAX).then_some(self.owner)
    }

    /// Makes it as new, between launches, in the memory that it has; false while there is a view. What is no data holds zeros already.
    pub(crate) fn reset(&mut self) -> bool {
        if !self.reclaim() {
            return false;
        }
        let (size, bytes) = (self.size, self.buffer.bytes_mut());
        let init = &mut self.history.get_mut().init;
        init.reset(bytes.len() / size, |from, to| memory::clear(&mut bytes[from * size..to * size]));
        self.preset = false;
        true
    }

    /// Takes the memory back from views that are gone; whether there are none.
    pub(crate) fn reclaim(&mut self) -> bool {
        match std::mem::replace(&mut self.lent, Lent::No) {
            Lent::No => return true,
            Lent::Changed => self.lent = Lent::Changed,
            Lent::Read(lent) => match Arc::try_unwrap(lent) {
                Ok(lent) => {
                    self.buffer = lent.into();
                    return true;
                }
                Err(lent) => self.lent = Lent::Read(lent),
            },
        }
        false
    }

    /// Copies the memory out, between launches; false while the host changes it.
    pub(crate) fn copy_to(&mut self, out: &mut [u8]) -> bool {
        match &self.lent {
            Lent::No => out.copy_from_slice(self.buffer.bytes_mut()),
            Lent::Read(lent) => out.copy_from_slice(lent.bytes()),
            Lent::Changed => return false,
        }
        true
    }

    /// The memory's bytes, between launches; `None` while there is a view.
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        self.reclaim().then(|| self.buffer.bytes_mut())
    }

    /// Lends the memory to read, between launches; `None` while the host changes it.
    pub(crate) fn lend(&mut self) -> Option<Arc<HostBuffer>> {
        if let Lent::Read(lent) = &self.lent {
            return Some(lent.clone());
        }
        let lent = Arc::new(self.take()?);
        self.lent = Lent::Read(lent.clone());
        Some(lent)
    }

    /// Hands the memory out to be changed, between launches, until it is put back; `None` while there is a view.
    pub(crate) fn take(&mut self) -> Option<HostBuffer> {
        if !self.reclaim() {
            return None;
        }
        self.lent = Lent::Changed;
        Some(std::mem::replace(&mut self.buffer, SharedBuffer::empty()).into())
    }

    /// Takes back what [`Memory::take`] gave.
    pub(crate) fn put_back(&mut self, buffer: HostBuffer) {
        self.buffer = buffer.into();
        self.lent = Lent::No;
    }

    /// What it holds, between launches; `None` while there is a view.
    pub(crate) fn save(&mut self) -> Option<Saved> {
        let init = self.history.get_mut().init.clone();
        let preset = self.preset;
        self.bytes_mut().map(|bytes| Saved { bytes: bytes.into(), init, preset })
    }

    /// Makes it hold that again, between launches; false while there is a view.
    pub(crate) fn restore(&mut self, saved: &Saved) -> bool {
        let Some(bytes) = self.bytes_mut() else { return false };
        bytes.copy_from_slice(&saved.bytes);
        self.history.get_mut().init.clone_from(&saved.init);
        self.preset = saved.preset;
        true
    }

    /// Makes every element data, which the host wrote.
    pub(crate) fn set_data(&mut self) {
        self.preset = true;
        self.history.get_mut().init = Init::all();
    }

    /// Checks an ordinary access. Of an add: an earlier one to some element that nothing orders before it.
    fn access(&self, runs: &Runs, access: Access, clock: &Clock, pc: usize) -> Result<Option<Stamp>, Refused> {
        if !self.checked {
            return Ok(None);
        }
        let stamp = clock.stamp(pc);
        debug_assert!(!self.tray.is_used(), "a memory in which notes are left is a signal alone");
        let mut locked = self.history.lock();
        let history = self.current(&mut locked);
        let mut beside = None;
        for start in runs.starts() {
            let end = start + runs.length();
            history.cells.check(start, end, access, clock)?;
            beside = beside.or(history.log.access((start as u32, end as u32), access, stamp, clock)?);
            if access != Access::Read {
                history.cells.change(start, end, stamp);
            }
        }
        if access != Access::Read {
            history.init.fill(runs);
            return Ok(beside);
        }
        history.init.missing(runs).map_or(Ok(None), |missing| Err(Refused::Missing(missing)))
    }

    /// Asks to read a box as data.
    pub(crate) fn read<'g>(&'g self, runs: &'g Runs, clock: &'g Clock, pc: usize) -> Result<ReadGrant<'g>, Refused> {
        self.access(runs, Access::Read, clock, pc)?;
        Ok(self.buffer.read_grant(runs, self.size, Passed(PhantomData)))
    }

    /// Whether some element of a box is no data.
    pub(crate) fn lacks(&self, runs: &Runs) -> bool {
        self.checked && self.lock().init.missing(runs).is_some()
    }

    /// Asks to read a box as data. `rows` are the box.
    pub(crate) fn read_rows<'g>(
        &'g self,
        (runs, rows): (&Runs, &'g Rows),
        clock: &'g Clock,
        pc: usize,
    ) -> Result<RowsGrant<'g>, Refused> {
        debug_assert_eq!(runs.rows().as_ref(), Some(rows));
        self.access(runs, Access::Read, clock, pc)?;
        Ok(self.buffer.rows_grant(rows, self.size, Passed(PhantomData)))
    }

    /// Asks to read a box as data, until the rank's next notify. `rows` are the box.
    // Inlined, like what calls it: what it gives is large, and each return of one a copy.
    #[inline(always)]
    pub(crate) fn read_later(&self, runs: &Runs, rows: Rows, clock: &Clock, pc: usize) -> Result<Held, Refused> {
        debug_assert_eq!(runs.rows(), Some(rows));
        self.access(runs, Access::Read, clock, pc)?;
        let memory = std::ptr::from_ref(self).addr();
        Ok(Held { memory, launch: self.launch, rank: clock.rank() as u32, notifies: clock.notifies(), rows })
    }

    /// Reads a box that the rank asked for.
    #[inline]
    pub(crate) fn read_held<'g>(&'g self, held: &'g Held, clock: &'g Clock) -> RowsGrant<'g> {
        // The access stays recorded, and nobody may be ordered after it before the rank notifies. Where nothing is checked, one thread runs all ranks.
        let now = (std::ptr::from_ref(self).addr(), self.launch, clock.rank() as u32, clock.notifies());
        let then = (held.memory, held.launch, held.rank, held.notifies);
        assert!(!self.checked || then == now, "a read after the notify that ends it");
        self.buffer.rows_grant(&held.rows, self.size, Passed(PhantomData))
    }

    /// Asks to write a box.
    pub(crate) fn write<'g>(&'g self, runs: &'g Runs, clock: &'g Clock, pc: usize) -> Result<WriteGrant<'g>, Refused> {
        self.access(runs, Access::Write, clock, pc)?;
        Ok(self.buffer.write_grant(runs, self.size, Passed(PhantomData)))
    }

    /// Asks to add to a box, at the same time as others may. Elements that are no data count as zero, and become data. Also gives an
    /// earlier add to some element that nothing orders before this one.
    pub(crate) fn add<'g>(
        &'g self,
        runs: &'g Runs,
        clock: &'g Clock,
        pc: usize,
    ) -> Result<(AddGrant<'g>, Option<Stamp>), Refused> {
        let beside = self.access(runs, Access::Add, clock, pc)?;
        Ok((self.buffer.add_grant(runs, self.size, Passed(PhantomData)), beside))
    }

    /// Makes a box no data any more, which is a write: what is not data holds zeros.
    pub(crate) fn discard(&self, runs: &Runs, clock: &Clock, pc: usize) -> Result<(), Refused> {
        self.write(runs, clock, pc)?.clear();
        if self.checked {
            self.lock().init.clear(runs, self.buffer.bytes() / self.size);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
