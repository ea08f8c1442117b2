//! What is done to signal cells: notifies, waits, reads, and what reports tell of them.

use super::cells::{Acquired, By, CellHistory};
use super::clock::{Clock, Stamp};
use super::log::Access;
use super::tray::{self, Note};
use super::{Awaited, Deposit, History, Leftover, Memory, Notified, Passed, Refused, Waited};
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Relaxed;

/// A wait that did not pass plainly, with what came of it.
type Other = (Awaited, Result<Waited, Refused>);

impl Memory {
    /// Deposits into a cell where nothing is checked: whether that satisfied the owner's wait; `None`, with nothing done, where the cell cannot hold it.
    #[inline]
    pub(crate) fn notify_unchecked(&self, index: usize, deposit: Deposit, clock: &mut Clock, by: By) -> Option<bool> {
        debug_assert!(!self.checked);
        let history = &mut *self.history.lock();
        let cell = self.buffer.cell(index, Passed(PhantomData));
        let value = cell.load(Relaxed);
        let new = match deposit {
            Deposit::Add(add) => value.checked_add(add)?,
            Deposit::Set(new) => new,
        };
        history.cells.count(index, (value, new), deposit, clock, by);
        cell.store(new, Relaxed);
        Some(history.parked.notified(index, new))
    }

    /// Deposits into a cell of memory that is checked.
    pub(crate) fn notify(
        &self,
        index: usize,
        deposit: Deposit,
        clock: &mut Clock,
        by: By,
    ) -> Result<Notified, Refused> {
        debug_assert!(self.checked);
        let mut locked = self.history.lock();
        let history = self.current(&mut locked);
        history.log.check(index as u32, index as u32 + 1, Access::Write, clock)?;
        let value = self.buffer.cell(index, Passed(PhantomData)).load(Relaxed);
        let new = match deposit {
            Deposit::Add(add) => value.checked_add(add).ok_or(Refused::Overflow { value, add })?,
            Deposit::Set(new) => new,
        };
        let odd = history.cells.notify(index, (value, new), deposit, clock, by);
        history.init.fill_one(index);
        self.buffer.cell(index, Passed(PhantomData)).store(new, Relaxed);
        if !tray::fits(new) {
            self.tray.close();
        }
        let wakes = history.parked.notified(index, new) | std::mem::take(&mut history.woken);
        Ok(Notified { wakes, odd })
    }

    /// Whether notes may be left in it.
    #[inline(always)]
    pub(crate) fn takes_notes(&self) -> bool {
        self.tray.is_open()
    }

    /// Leaves a note of a peer's notify that adds to a cell of memory that is checked, for the owner's worker to find; false, with nothing done, where that is not possible.
    #[inline]
    pub(crate) fn note(&self, index: usize, add: i32, clock: &mut Clock, by: By) -> bool {
        let peer = clock.rank() != self.owner;
        let Some(place) = self.tray.place(clock.rank(), add).filter(|_| peer) else { return false };
        let stamp = clock.stamp(by.pc);
        let Some(told) = clock.release_few() else { return false };
        place.leave(&Note { index: index as u32, add, stamp, builtin: by.builtin, told });
        true
    }

    /// Tests a cell; parks the owner on it when the wait is not satisfied.
    #[inline(always)]
    pub(crate) fn wait(&self, awaited: Awaited, clock: &mut Clock, pc: usize) -> Result<Waited, Refused> {
        if self.checked {
            let mut locked = self.history.lock();
            return self.tested(self.current(&mut locked), awaited, clock, pc);
        }
        Ok(match self.wait_all_unchecked([awaited].into_iter()).1 {
            None => Waited::Passed { from: None, stale: None, odd: None },
            Some(_) => Waited::Parked,
        })
    }

    /// Tests cells where nothing is checked, until a wait is not satisfied: how many were, and that one, on which the owner is parked.
    #[inline(always)]
    pub(crate) fn wait_all_unchecked(&self, cells: impl Iterator<Item = Awaited>) -> (u64, Option<Awaited>) {
        debug_assert!(!self.checked);
        let history = &mut *self.history.lock();
        let mut passed = 0;
        for awaited in cells {
            let value = self.buffer.cell(awaited.index, Passed(PhantomData)).load(Relaxed);
            if !history.parked.test(awaited, value) {
                return (passed, Some(awaited));
            }
            passed += 1;
        }
        (passed, None)
    }

    /// Tests cells of memory that is checked under one lock, as long as the waits pass and nothing is odd about them: how many do, each of which tells `learnt` from what it
    /// learnt, and the first other one with what came of it.
    #[inline(always)]
    pub(crate) fn wait_all(
        &self,
        cells: impl Iterator<Item = Awaited>,
        clock: &mut Clock,
        pc: usize,
        mut learnt: impl FnMut(Stamp, Option<Stamp>),
    ) -> (u64, Option<Other>) {
        let mut locked = self.history.lock();
        let history = self.current(&mut locked);
        let mut passed = 0;
        for awaited in cells {
            match self.tested(history, awaited, clock, pc) {
                Ok(Waited::Passed { from, stale: None, odd: None }) => learnt(clock.stamp(pc), from),
                other => return (passed, Some((awaited, other))),
            }
            passed += 1;
        }
        (passed, None)
    }

    /// Tests a cell of memory that is checked, whose lock is held; parks the owner on it when the wait is not satisfied.
    #[inline(always)]
    fn tested(&self, history: &mut History, awaited: Awaited, clock: &mut Clock, pc: usize) -> Result<Waited, Refused> {
        let Awaited { index, expected, compare } = awaited;
        history.log.check(index as u32, index as u32 + 1, Access::Read, clock)?;
        let value = self.buffer.cell(index, Passed(PhantomData)).load(Relaxed);
        let passes = history.parked.test(awaited, value);
        let holds = |value| compare.holds(value, expected);
        let Some(Acquired { from, stale }) = history.cells.wait(index, (value, passes), holds, clock, pc) else {
            return Ok(Waited::Parked);
        };
        let stale = stale.filter(|_| !history.log.changed(index as u32));
        let odd = if stale.is_some() { history.cells.passed_stale(index, value, pc) } else { None };
        Ok(Waited::Passed { from, stale, odd })
    }

    /// Reads the owner's cell; the second value tells whether it depends on the schedule.
    pub(crate) fn read_cell(&self, index: usize, clock: &Clock, pc: usize) -> Result<(i32, bool), Refused> {
        let history = &mut *self.lock();
        if !self.checked {
            return Ok((self.buffer.cell(index, Passed(PhantomData)).load(Relaxed), false));
        }
        debug_assert!(!self.tray.is_used(), "a memory in which notes are left is only waited for");
        history.log.check(index as u32, index as u32 + 1, Access::Read, clock)?;
        let value = self.buffer.cell(index, Passed(PhantomData)).load(Relaxed);
        Ok((value, history.cells.read(index, value, clock, pc)))
    }

    /// A collective begins whose signal this is: an own cell that holds anything but what builtins deposited.
    pub(crate) fn foreign(&self, clock: &Clock) -> Option<Leftover> {
        let history = &mut *self.lock();
        let History { cells, log, .. } = history;
        // A store that nothing orders before is not looked at: who uses the cell finds the race.
        let value = |index: usize| {
            log.check(index as u32, index as u32 + 1, Access::Read, clock).ok()?;
            Some(self.buffer.cell(index, Passed(PhantomData)).load(Relaxed))
        };
        let count = self.buffer.bytes() / self.size;
        if cells.foreign(count, value)? == 0 {
            return None;
        }
        (0..count).find_map(|index| {
            let (value, credit) = (value(index)?, cells.credit(index));
            (value != credit).then_some(Leftover { index, value, credit })
        })
    }

    /// The launch is over: a cell in which builtins left something.
    pub(crate) fn left(&self) -> Option<Leftover> {
        let index = self.lock().cells.left()?;
        Some(Leftover { index, value: self.peek_cell(index), credit: self.lock().cells.credit(index) })
    }

    /// The last changes of a cell in this launch.
    pub(crate) fn cell_history(&self, index: usize) -> CellHistory {
        let value = self.peek_cell(index);
        self.lock().cells.history(index, value)
    }

    /// What a cell holds, for a report.
    pub(crate) fn peek_cell(&self, index: usize) -> i32 {
        let _history = self.lock();
        self.buffer.cell(index, Passed(PhantomData)).load(Relaxed)
    }

    /// Calls `f` for each cell and rank that notified it in this launch, with the number of times.
    pub(crate) fn for_each_sent(&self, f: &mut dyn FnMut(usize, usize, u32)) {
        self.lock().cells.for_each_sent(f);
    }

    /// How often a rank notified a cell in this launch, and the instruction by which it did so last.
    pub(crate) fn sent(&self, index: usize, rank: usize) -> (u32, u32) {
        self.lock().cells.sent(index, rank)
    }
}
