//! Signal cells: who notified which, what a wait learns from that, who looked, and what the builtins left in them.

use super::Deposit;
use super::cell::{Apart, Cell, Event, Last, News, Odd};
use super::clock::{Clock, Few, Stamp, Told};
use super::log::{Access, Conflict};
use super::tray::Note;
use pl_core::fault::{self, AccessKind};
use std::mem::take;

/// Cells in a page.
const PAGE: usize = 64;

/// The last changes of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellHistory {
    /// The value at the start of the launch.
    pub(crate) initial: i32,
    /// The changes in their order.
    pub(crate) events: Vec<Event>,
    /// How many came before these.
    pub(crate) earlier: u32,
}

/// The cells of one rank's memory in one window. What every notify needs stands first: see [`Memory`](super::Memory).
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Cells {
    /// What is counted of the signal of a collective.
    credits: Option<Credits>,
    /// The call of the rank whose memory this is; a number that no call has where it takes no part.
    owner: u32,
    table: Table,
    /// Whether the host wrote what the cells held at the start of the launch.
    preset: bool,
    apart: Apart,
}

/// The cells, as far as they were touched.
#[derive(Debug, Default)]
#[repr(C)]
struct Table {
    pages: Box<[Page]>,
    /// Whether the launch touched any cell.
    touched: bool,
}

#[derive(Debug, Default)]
struct Page {
    /// Which of the cells this launch touched: one bit for each. What others tell is out of date.
    touched: u64,
    /// None, as long as nobody touched one.
    cells: Option<Box<[Cell; PAGE]>>,
    /// What the notify of each told that is its only news, in a launch of few ranks; none, as long as there was none.
    told: Option<Box<[Few; PAGE]>>,
}

/// What is counted of the cells of a collective's signal.
#[derive(Clone, Copy, Debug, Default)]
struct Credits {
    /// The cells whose value is not what builtins deposited.
    foreign: u32,
    /// The cells in which builtins deposited something that is not zero in all.
    open: u32,
    /// Whether a store or transfer changed cells since `foreign` was counted.
    recount: bool,
}

/// What a wait that passed learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Acquired {
    /// The last notify that it learnt from.
    pub(crate) from: Option<Stamp>,
    /// What the cell held when the launch started, where that was enough: nothing of this launch was needed.
    pub(crate) stale: Option<i32>,
}

/// Who notifies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By {
    /// The instruction.
    pub(crate) pc: usize,
    /// Whether it is one of a builtin's body.
    pub(crate) builtin: bool,
}

impl Credits {
    /// A notify changes a cell from `value` to `new`; `credit` is what builtins deposited there.
    fn note(&mut self, credit: &mut i32, value: i32, new: i32, builtin: bool) {
        let count = |credit: i32, value: i32| (u32::from(value != credit), u32::from(credit != 0));
        let before = count(*credit, value);
        if builtin {
            *credit = credit.wrapping_add(new.wrapping_sub(value));
        }
        let after = count(*credit, new);
        // After a store `foreign` says nothing until it is counted anew.
        self.foreign = self.foreign.wrapping_add(after.0).wrapping_sub(before.0);
        self.open = self.open + after.1 - before.1;
    }
}

#[cfg(test)]
impl Cells {
    /// How many of its bytes each notify needs.
    pub(super) const HOT: usize = std::mem::offset_of!(Cells, table.touched);
}

impl Cells {
    /// Those of a memory of so many elements.
    pub(crate) fn new(elements: usize) -> Cells {
        let (table, apart) = (Table::default(), Apart::new(elements));
        Cells { table, owner: u32::MAX, preset: false, credits: None, apart }
    }

    /// Starts a launch: what is known of the cells is forgotten. `owner` is the call of the rank whose they are.
    /// `preset` tells whether the host wrote what they hold; `held` how many hold something, when they are the signal of a collective.
    pub(crate) fn start(&mut self, owner: Option<usize>, preset: bool, held: Option<usize>) {
        self.table.start();
        self.owner = owner.map_or(u32::MAX, |call| call as u32);
        self.preset = preset;
        self.apart.events.clear();
        self.credits = held.map(|held| Credits { foreign: held as u32, ..Credits::default() });
    }

    fn peek(&self, index: usize) -> Option<&Cell> {
        let page = self.table.pages.get(index / PAGE)?;
        page.cells.as_ref().filter(|_| page.has(index % PAGE)).map(|cells| &cells[index % PAGE])
    }

    /// What a load or store of a rank conflicts with.
    pub(crate) fn check(&self, start: usize, end: usize, access: Access, clock: &Clock) -> Result<(), Conflict> {
        if !self.table.touched {
            return Ok(());
        }
        for (index, cell) in self.table.cells(start, end) {
            let found = |first, kind| {
                let one = (index, index + 1);
                Err(Conflict { first, kind, accessed: one, overlap: one })
            };
            if let Some(notified) = cell.notified(self.owner, &self.apart).find(|n| !clock.follows(n.stamp)) {
                return found(notified.stamp, AccessKind::Notify);
            }
            let tested = cell.last_stamp(self.owner);
            if access != Access::Read && !clock.follows(tested) {
                return found(tested, AccessKind::Test);
            }
        }
        Ok(())
    }

    /// A store or transfer changes the cells from `start` to `end`. It is ordered after all notifies of them, and whoever tests them next after it: what is
    /// pending teaches nothing more.
    pub(crate) fn change(&mut self, start: usize, end: usize, stamp: Stamp) {
        if let Some(credits) = &mut self.credits {
            credits.recount = true;
        }
        if !self.table.touched {
            return;
        }
        for (index, cell) in self.table.cells_mut(start, end) {
            cell.store(index, stamp, &mut self.apart);
        }
    }

    /// Records a notify of a cell, which holds the first value before it and the second one after it. What is odd about it.
    pub(crate) fn notify(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        clock: &mut Clock,
        by: By,
    ) -> Option<Box<Odd>> {
        let stamp = clock.stamp(by.pc);
        let own = stamp.rank == self.owner;
        let Cells { table, credits, apart, owner, .. } = self;
        let (cell, few) = table.touch_told(index, value, clock.has_few(), apart);
        if let Some(credits) = credits {
            credits.note(&mut cell.credit, value, new, by.builtin);
        }
        let mut odd = cell.odd(deposit, value, (stamp, own), clock, apart);
        if cell.mixes(deposit) {
            cell.vary(index, apart);
            odd.get_or_insert_default().mixed = apart.events_of(index).find(|event| event.is_other(deposit));
        }
        let read = cell.last_stamp(*owner);
        if cell.last == Last::Read && !clock.follows(read) {
            odd.get_or_insert_default().unordered_read = Some(read.pc);
        }
        if own {
            clock.pass();
            cell.notify_own(deposit, apart);
        } else {
            if let Some(more) = cell.more_mut(apart) {
                more.stale = None;
            }
            cell.add_news(stamp, deposit, value, (clock.release().told, few), apart);
        }
        cell.count(index, (value, new), deposit, (stamp, own), apart);
        odd
    }

    /// Records a notify of which a note was left, of a cell that holds the first value before it and the second one after it. The
    /// owner's wait that passed by what an earlier launch left there, if one did.
    pub(super) fn noted(&mut self, note: &Note, (value, new): (i32, i32)) -> Option<u32> {
        let Cells { table, credits, apart, .. } = self;
        let (index, stamp, deposit) = (note.index as usize, note.stamp, Deposit::Add(note.add));
        let (cell, few) = table.touch_told(index, value, true, apart);
        if let Some(credits) = credits {
            credits.note(&mut cell.credit, value, new, note.builtin);
        }
        let wait = cell.more_mut(apart).and_then(|more| more.stale.take());
        cell.add_news(stamp, deposit, value, (Told::Few(note.told), few), apart);
        cell.count(index, (value, new), deposit, (stamp, false), apart);
        wait
    }

    /// Records a notify for reports alone.
    pub(crate) fn count(
        &mut self,
        index: usize,
        (value, new): (i32, i32),
        deposit: Deposit,
        clock: &mut Clock,
        by: By,
    ) {
        let stamp = clock.stamp(by.pc);
        clock.pass();
        // No store is noted here: what the cell holds is known.
        let cell = match self.table.known(index) {
            Some(cell) => {
                if cell.count_alike(value, deposit, stamp) {
                    return;
                }
                cell
            }
            None => self.table.begin(index, value, &mut self.apart),
        };
        cell.count_another(index, (value, new), deposit, (stamp, false), &mut self.apart);
    }

    /// Records a read of the owner, of a cell that holds `value`: whether a notify of another rank is not ordered before it, so that the value depends on the
    /// schedule.
    pub(crate) fn read(&mut self, index: usize, value: i32, clock: &Clock, pc: usize) -> bool {
        let cell = self.table.touch(index, value, &mut self.apart);
        cell.test(clock.stamp(pc), true, &mut self.apart);
        cell.notified(self.owner, &self.apart).any(|n| !clock.follows(n.stamp))
    }

    /// Records a wait of the owner for a cell that holds `value`. Where it passes, it learns from the notifies because of which it does.
    ///
    /// Those are the first ones, in their order, after which the value satisfies the wait and none is left that the owner knows of already: the
    /// wait could have passed then, before anything that came later. Learning from the later ones too would be right for this
    /// interleaving, and would hide what goes wrong in that one.
    #[inline]
    pub(crate) fn wait(
        &mut self,
        index: usize,
        (value, passes): (i32, bool),
        holds: impl Fn(i32) -> bool,
        clock: &mut Clock,
        pc: usize,
    ) -> Option<Acquired> {
        let Cells { table, apart, .. } = self;
        let (cell, few) = table.touch_told(index, value, clock.has_few(), apart);
        cell.test(clock.stamp(pc), false, apart);
        if !passes {
            return None;
        }
        let before = cell.base;
        let from = match cell.news {
            News::None | News::Stored => None,
            News::One => cell.take_one(value, &holds, few.as_deref(), clock),
            News::Many => match cell.take_first(&holds, clock, apart) {
                None => cell.take_pending(&holds, clock, apart),
                first => first,
            },
        };
        let is_stale = from.is_none() && before == cell.initial && holds(before);
        Some(Acquired { from, stale: is_stale.then_some(cell.initial) })
    }

    /// The owner's wait at `pc` passed by what the cell held when the launch started. What is odd about that.
    pub(crate) fn passed_stale(&mut self, index: usize, value: i32, pc: usize) -> Option<Box<Odd>> {
        if self.preset {
            return None;
        }
        let cell = self.table.touch(index, value, &mut self.apart);
        cell.some_more(&mut self.apart).stale = Some(pc as u32);
        let first = match cell.news {
            News::One => cell.first.stamp,
            _ => cell.pending(&self.apart).first()?.stamp,
        };
        Some(Box::new(Odd { stale: Some((pc as u32, first)), ..Odd::default() }))
    }

    /// Counts the cells whose value is not what builtins deposited, where a store made the count void. `value` gives that of a cell that may be
    /// looked at now, of `cells`. Gives the count; `None` where the cells are no collective's signal.
    pub(crate) fn foreign(&mut self, cells: usize, value: impl Fn(usize) -> Option<i32>) -> Option<usize> {
        let mut credits = self.credits?;
        if credits.recount {
            let differs = |&index: &usize| value(index).is_some_and(|value| value != self.credit(index));
            credits.foreign = (0..cells).filter(differs).count() as u32;
            self.credits = Some(Credits { recount: false, ..credits });
        }
        Some(credits.foreign as usize)
    }

    /// What builtins deposited in a cell.
    pub(crate) fn credit(&self, index: usize) -> i32 {
        self.peek(index).map_or(0, |cell| cell.credit)
    }

    /// A cell in which builtins left something.
    pub(crate) fn left(&self) -> Option<usize> {
        self.credits.filter(|credits| credits.open > 0)?;
        self.table.cells(0, usize::MAX).find(|(_, cell)| cell.credit != 0).map(|(index, _)| index)
    }

    /// The last changes of a cell in this launch; `value` is what it holds where nothing touched it.
    pub(crate) fn history(&self, index: usize, value: i32) -> CellHistory {
        let Some(cell) = self.peek(index) else { return CellHistory { initial: value, ..CellHistory::default() } };
        let mut events: Vec<Event> = self.apart.events_of(index).take(fault::CellHistory::MAX_EVENTS).collect();
        events.reverse();
        events.extend(cell.alike());
        CellHistory {
            initial: cell.initial,
            earlier: cell.changes(&self.apart).saturating_sub(events.len() as u32),
            events,
        }
    }

    /// Calls `f` for each cell and rank that notified it in this launch, with the number of times.
    pub(crate) fn for_each_sent(&self, f: &mut dyn FnMut(usize, usize, u32)) {
        for (index, cell) in self.table.cells(0, usize::MAX) {
            cell.notified(self.owner, &self.apart).for_each(|n| f(index, n.stamp.rank as usize, n.count));
        }
    }

    /// How often a rank notified a cell in this launch, and the instruction by which it did so last.
    pub(crate) fn sent(&self, index: usize, rank: usize) -> (u32, u32) {
        let mine = |cell: &Cell| cell.notified(self.owner, &self.apart).find(|n| n.stamp.rank as usize == rank);
        self.peek(index).and_then(mine).map_or((0, 0), |n| (n.count, n.stamp.pc))
    }
}

impl Page {
    /// Whether the launch touched a cell.
    #[inline]
    const fn has(&self, slot: usize) -> bool {
        self.touched >> slot & 1 != 0
    }

    /// The places of the cells that the launch touched.
    fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let all = std::iter::successors(Some(self.touched), |left| Some(left & left.wrapping_sub(1)));
        all.take_while(|left| *left != 0).map(|left| left.trailing_zeros() as usize)
    }
}

/// What a page has of cells that nobody touched yet.
#[cold]
fn untouched<T: Default>() -> Box<[T; PAGE]> {
    Box::new(std::array::from_fn(|_| T::default()))
}

impl Table {
    fn start(&mut self) {
        self.pages.iter_mut().for_each(|page| page.touched = 0);
        self.touched = false;
    }

    /// A cell that this launch touched.
    #[inline(always)]
    fn known(&mut self, index: usize) -> Option<&mut Cell> {
        let page = self.pages.get_mut(index / PAGE)?;
        if !page.has(index % PAGE) {
            return None;
        }
        page.cells.as_mut().map(|cells| &mut cells[index % PAGE])
    }

    /// The cell, which holds `value` now.
    #[inline]
    fn touch(&mut self, index: usize, value: i32, apart: &mut Apart) -> &mut Cell {
        self.touch_told(index, value, false, apart).0
    }

    /// The cell, which holds `value` now; in a launch of few ranks also what the notify told that is its only news.
    #[inline(always)]
    fn touch_told(&mut self, index: usize, value: i32, few: bool, apart: &mut Apart) -> (&mut Cell, Option<&mut Few>) {
        if !self.pages.get(index / PAGE).is_some_and(|page| page.has(index % PAGE)) {
            self.begin(index, value, apart);
        }
        let Page { cells, told, .. } = &mut self.pages[index / PAGE];
        let cell = &mut cells.get_or_insert_with(untouched)[index % PAGE];
        if cell.news == News::Stored {
            cell.come_to(index, value, apart);
        }
        if !few {
            return (cell, None);
        }
        (cell, Some(&mut told.get_or_insert_with(untouched)[index % PAGE]))
    }

    /// The launch touches a cell for the first time.
    #[cold]
    fn begin(&mut self, index: usize, value: i32, apart: &mut Apart) -> &mut Cell {
        if self.pages.len() <= index / PAGE {
            let mut pages = take(&mut self.pages).into_vec();
            pages.resize_with((index / PAGE + 1).max(2 * pages.len()), Page::default);
            self.pages = pages.into();
        }
        let page = &mut self.pages[index / PAGE];
        page.touched |= 1 << (index % PAGE);
        self.touched = true;
        let cell = &mut page.cells.get_or_insert_with(untouched)[index % PAGE];
        cell.start(value, apart);
        cell
    }

    /// The cells from `start` to `end` that this launch touched, each with its index.
    fn cells(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, &Cell)> {
        let pages = self.pages.iter().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE);
        let all = pages.flat_map(|(at, page)| {
            let known = page.cells.iter().flat_map(|cells| page.slots().map(|slot| (slot, &cells[slot])));
            known.map(move |(slot, cell)| (at * PAGE + slot, cell))
        });
        all.filter(move |(index, _)| (start..end).contains(index))
    }

    /// The same, to change.
    fn cells_mut(&mut self, start: usize, end: usize) -> impl Iterator<Item = (usize, &mut Cell)> {
        let pages = self.pages.iter_mut().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE);
        let all = pages.flat_map(|(at, Page { touched, cells, .. })| {
            let touched = *touched;
            let all = cells.iter_mut().flat_map(|cells| cells.iter_mut().enumerate());
            let known = all.filter(move |(slot, _)| touched >> slot & 1 != 0);
            known.map(move |(slot, cell)| (at * PAGE + slot, cell))
        });
        all.filter(move |(index, _)| (start..end).contains(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_small() {
        assert!(size_of::<Cell>() <= 56);
    }
}
