//! Signal cells: who notified which, what a wait learns from that, and who looked.

use super::Deposit;
use super::clock::{Clock, Release, Stamp};
use super::log::{Access, Conflict};
use pl_core::fault::AccessKind;
use smallvec::SmallVec;

/// Cells in a page.
const PAGE: usize = 64;

/// That a rank notified a cell, as an access.
#[derive(Clone, Copy, Debug)]
struct Notified {
    /// Its last notify of the cell.
    stamp: Stamp,
    /// How many notifies it made.
    count: u32,
}

/// A notify of a peer that the owner has not learnt from.
#[derive(Clone, Debug)]
struct Pending {
    stamp: Stamp,
    deposit: Deposit,
    release: Release,
}

/// The most notifies of a cell that are kept apart, so that cells nobody waits for do not grow.
const MAX_PENDING: usize = 64;

/// One cell.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// The launch that the rest is of; of another launch, it is out of date.
    launch: u32,
    /// The value at the start of the launch.
    initial: i32,
    /// The owner's last wait or read: its epoch (0: none) and instruction.
    tested: (u32, u32),
    /// Whether that was a `pl::read`.
    read: bool,
    /// Who notified it.
    notified: SmallVec<[Notified; 1]>,
    /// The value before the first pending notify, with all that the owner added.
    base: i32,
    /// Whether a store or transfer changed the value since: `base` is out of date, and nothing is pending.
    changed: bool,
    /// The notifies of peers that the owner has not learnt from, in their order. What a `Set` sets holds what the owner added since, too.
    pending: SmallVec<[Pending; 1]>,
}

/// The cells of one rank's memory in one window.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pages: Vec<Option<Box<[Cell]>>>,
    /// The launch that is going on.
    launch: u32,
    /// Whether it touched any cell.
    touched: bool,
}

/// What a wait or read of a cell found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    /// What the cell held when the launch started.
    pub(crate) initial: i32,
    /// Whether a notify of another rank is not ordered before: the value depends on the schedule.
    pub(crate) unordered: bool,
}

impl Cell {
    /// The owner notifies itself, which teaches it nothing: its own `Set` makes all before it void, and its own add counts wherever the peers'
    /// notifies came in between. Whether an add came before one of a peer or after it makes no difference to what a wait
    /// learns: the wait follows it in any case, and the peer's only because of what that added.
    fn notify_own(&mut self, deposit: Deposit) {
        match deposit {
            Deposit::Add(add) => {
                self.base = self.base.wrapping_add(add);
                for pending in &mut self.pending {
                    if let Deposit::Set(value) = &mut pending.deposit {
                        *value = value.wrapping_add(add);
                    }
                }
            }
            Deposit::Set(value) => {
                self.pending.clear();
                self.base = value;
            }
        }
    }

    /// Adds a notify of a peer; where there are very many, adds it to an earlier one.
    fn add_pending(&mut self, new: Pending) {
        if self.pending.len() >= MAX_PENDING {
            match new.deposit {
                Deposit::Set(_) => self.pending.clear(),
                Deposit::Add(more) => {
                    let adds = self.pending.iter_mut().rev().take_while(|p| matches!(p.deposit, Deposit::Add(_)));
                    if let Some(last) = adds.into_iter().find(|p| p.stamp.rank == new.stamp.rank)
                        && let Deposit::Add(add) = &mut last.deposit
                    {
                        *add = add.wrapping_add(more);
                        (last.stamp, last.release) = (new.stamp, new.release);
                        return;
                    }
                }
            }
        }
        self.pending.push(new);
    }
}

impl Cells {
    /// Starts a launch: what is known of the cells is forgotten.
    pub(crate) fn start(&mut self, launch: u32) {
        self.launch = launch;
        self.touched = false;
    }

    fn peek(&self, index: usize) -> Option<&Cell> {
        let cell = &self.pages.get(index / PAGE)?.as_ref()?[index % PAGE];
        (cell.launch == self.launch).then_some(cell)
    }

    /// The cell, which holds `value` now.
    fn touch(&mut self, index: usize, value: i32) -> &mut Cell {
        self.touched = true;
        if self.pages.len() <= index / PAGE {
            self.pages.resize_with(index / PAGE + 1, || None);
        }
        let page = self.pages[index / PAGE].get_or_insert_with(|| vec![Cell::default(); PAGE].into());
        let cell = &mut page[index % PAGE];
        if cell.launch != self.launch {
            *cell = Cell { launch: self.launch, initial: value, base: value, ..Cell::default() };
        }
        if cell.changed {
            (cell.base, cell.changed) = (value, false);
        }
        cell
    }

    /// What a load or store of a rank conflicts with. `owner` is the rank whose memory this is.
    pub(crate) fn check(
        &self,
        start: usize,
        end: usize,
        access: Access,
        owner: usize,
        clock: &Clock,
    ) -> Result<(), Conflict> {
        if !self.touched {
            return Ok(());
        }
        let pages = self.pages.iter().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE);
        for (page, cells) in pages.filter_map(|(page, cells)| cells.as_ref().map(|cells| (page, cells))) {
            for (slot, cell) in cells.iter().enumerate() {
                let index = page * PAGE + slot;
                if cell.launch != self.launch || !(start..end).contains(&index) {
                    continue;
                }
                let found = |first, kind| {
                    let one = (index, index + 1);
                    Err(Conflict { first, kind, accessed: one, overlap: one })
                };
                if let Some(notified) = cell.notified.iter().find(|n| !clock.follows(n.stamp)) {
                    return found(notified.stamp, AccessKind::Notify);
                }
                let tested = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
                if access != Access::Read && !clock.follows(tested) {
                    return found(tested, AccessKind::Test);
                }
            }
        }
        Ok(())
    }

    /// A store or transfer changes the cells from `start` to `end`. It is ordered after all notifies of them, and whoever tests them next after it: what is
    /// pending teaches nothing more.
    pub(crate) fn change(&mut self, start: usize, end: usize) {
        if !self.touched {
            return;
        }
        let launch = self.launch;
        for (page, cells) in self.pages.iter_mut().enumerate().take(end.div_ceil(PAGE)).skip(start / PAGE) {
            for (slot, cell) in cells.iter_mut().flat_map(|cells| cells.iter_mut()).enumerate() {
                if cell.launch == launch && (start..end).contains(&(page * PAGE + slot)) {
                    cell.pending.clear();
                    cell.changed = true;
                }
            }
        }
    }

    /// Records a notify of a cell that holds `value`. Whether a `pl::read` of the owner is not ordered before it: the instruction of the
    /// read.
    pub(crate) fn notify(
        &mut self,
        index: usize,
        value: i32,
        deposit: Deposit,
        owner: usize,
        clock: &mut Clock,
        pc: usize,
    ) -> Option<usize> {
        let stamp = clock.stamp(pc);
        let cell = self.touch(index, value);
        let read = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
        let unordered = cell.read && !clock.follows(read);
        match cell.notified.iter_mut().find(|n| n.stamp.rank == stamp.rank) {
            Some(notified) => *notified = Notified { stamp, count: notified.count.saturating_add(1) },
            None => cell.notified.push(Notified { stamp, count: 1 }),
        }
        if clock.rank() == owner {
            clock.pass();
            cell.notify_own(deposit);
        } else {
            let release = clock.release();
            cell.add_pending(Pending { stamp, deposit, release });
        }
        unordered.then_some(read.pc as usize)
    }

    /// Records a wait or read of the owner, on a cell that holds `value`.
    pub(crate) fn test(&mut self, index: usize, value: i32, read: bool, clock: &Clock, pc: usize) -> Tested {
        let stamp = clock.stamp(pc);
        let cell = self.touch(index, value);
        cell.tested = (stamp.epoch, stamp.pc);
        cell.read = read;
        let unordered = read && cell.notified.iter().any(|n| !clock.follows(n.stamp));
        Tested { initial: cell.initial, unordered }
    }

    /// A wait of the owner passed: it learns from the notifies because of which it did.
    ///
    /// Those are the first ones, in their order, after which the value satisfies the wait and none is left that the owner knows of already: the
    /// wait could have passed then, before anything that came later. Learning from the later ones too would be right for this
    /// interleaving, and would hide what goes wrong in that one.
    pub(crate) fn acquire(&mut self, index: usize, value: i32, holds: impl Fn(i32) -> bool, clock: &mut Clock) {
        let cell = self.touch(index, value);
        let known = cell.pending.iter().rposition(|p| clock.follows(p.stamp)).map_or(0, |at| at + 1);
        let (mut taken, mut last_set, mut running) = (0, 0, cell.base);
        while taken < known || !holds(running) {
            let Some(pending) = cell.pending.get(taken) else { break };
            running = match pending.deposit {
                Deposit::Add(add) => running.wrapping_add(add),
                Deposit::Set(value) => {
                    last_set = taken;
                    value
                }
            };
            taken += 1;
        }
        for pending in &cell.pending[last_set..taken] {
            clock.acquire(pending.stamp.rank, &pending.release);
        }
        cell.base = running;
        cell.pending.drain(..taken);
    }

    /// Calls `f` for each cell and rank that notified it in this launch, with the number of times.
    pub(crate) fn for_each_sent(&self, f: &mut dyn FnMut(usize, usize, u32)) {
        for (page, cells) in self.pages.iter().enumerate() {
            for (slot, cell) in cells.iter().flat_map(|cells| cells.iter()).enumerate() {
                if cell.launch == self.launch {
                    cell.notified.iter().for_each(|n| f(page * PAGE + slot, n.stamp.rank as usize, n.count));
                }
            }
        }
    }

    /// How often a rank notified a cell in this launch.
    pub(crate) fn sent(&self, index: usize, rank: usize) -> u32 {
        let mine = |cell: &Cell| cell.notified.iter().find(|n| n.stamp.rank as usize == rank).map(|n| n.count);
        self.peek(index).and_then(mine).unwrap_or(0)
    }
}
