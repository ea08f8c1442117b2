//! Signal cells: who notified which, what a wait learns from that, and who looked.

use super::clock::{Clock, Release, Stamp};
use super::log::Conflict;
use pl_core::fault::AccessKind;

/// Cells in a page.
const PAGE: usize = 64;

/// What one rank deposited into a cell.
#[derive(Clone, Debug)]
struct Deposit {
    /// Its last notify of the cell.
    stamp: Stamp,
    /// How many notifies it made.
    count: u32,
    /// Whether a wait learns from it: no `Set` replaced it since.
    counts: bool,
    /// What it released; the epoch is that of the stamp.
    release: Release,
}

/// The deposits into one cell, one entry per rank. Most cells have one, which takes no memory of its own.
#[derive(Clone, Debug, Default)]
struct Deposits {
    first: Option<Deposit>,
    #[expect(clippy::box_collection, reason = "rarely there, and a third of the size")]
    more: Option<Box<Vec<Deposit>>>,
}

impl Deposits {
    fn iter(&self) -> impl Iterator<Item = &Deposit> {
        self.first.iter().chain(self.more.iter().flat_map(|more| more.iter()))
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Deposit> {
        self.first.iter_mut().chain(self.more.iter_mut().flat_map(|more| more.iter_mut()))
    }

    fn push(&mut self, deposit: Deposit) {
        if self.first.is_none() {
            self.first = Some(deposit);
        } else {
            self.more.get_or_insert_default().push(deposit);
        }
    }

    fn retain(&mut self, keep: impl Fn(&Deposit) -> bool) {
        if let Some(more) = &mut self.more {
            more.retain(&keep);
        }
        if self.first.as_ref().is_some_and(|first| !keep(first)) {
            self.first = self.more.as_mut().and_then(|more| more.pop());
        }
    }

    fn clear(&mut self) {
        *self = Deposits::default();
    }
}

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
    deposits: Deposits,
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
            cell.deposits.clear();
            (cell.launch, cell.initial, cell.tested, cell.read) = (self.launch, value, (0, 0), false);
        }
        cell
    }

    /// What a load or store of a rank conflicts with. `owner` is the rank whose memory this is.
    pub(crate) fn check(
        &self,
        start: usize,
        end: usize,
        writes: bool,
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
                if let Some(deposit) = cell.deposits.iter().find(|d| !clock.follows(d.stamp)) {
                    return found(deposit.stamp, AccessKind::Notify);
                }
                let tested = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
                if writes && !clock.follows(tested) {
                    return found(tested, AccessKind::Test);
                }
            }
        }
        Ok(())
    }

    /// Records a notify. Whether a `pl::read` of the owner is not ordered before it: the instruction of the read.
    pub(crate) fn notify(
        &mut self,
        index: usize,
        value: i32,
        sets: bool,
        owner: usize,
        clock: &mut Clock,
        pc: usize,
    ) -> Option<usize> {
        let stamp = clock.stamp(pc);
        let release = clock.release();
        let cell = self.touch(index, value);
        let read = Stamp { rank: owner as u32, epoch: cell.tested.0, pc: cell.tested.1 };
        let unordered = cell.read && !clock.follows(read);
        if sets {
            // A wait learns nothing from what was overwritten; as accesses, they count as long as nothing is ordered after them.
            for deposit in cell.deposits.iter_mut() {
                deposit.counts = false;
                deposit.release.knowledge = None;
            }
            cell.deposits.retain(|deposit| deposit.stamp.rank == stamp.rank || !clock.follows(deposit.stamp));
        }
        if let Some(deposit) = cell.deposits.iter_mut().find(|d| d.stamp.rank == stamp.rank) {
            *deposit = Deposit { stamp, count: deposit.count.saturating_add(1), counts: true, release };
        } else {
            cell.deposits.push(Deposit { stamp, count: 1, counts: true, release });
        }
        unordered.then_some(read.pc as usize)
    }

    /// Records a wait or read of the owner, on a cell that holds `value`.
    pub(crate) fn test(&mut self, index: usize, value: i32, read: bool, clock: &Clock, pc: usize) -> Tested {
        let stamp = clock.stamp(pc);
        let cell = self.touch(index, value);
        cell.tested = (stamp.epoch, stamp.pc);
        cell.read = read;
        let unordered = read && cell.deposits.iter().any(|d| !clock.follows(d.stamp));
        Tested { initial: cell.initial, unordered }
    }

    /// A wait of the owner passed: it learns from the last `Set` and from all adds since.
    pub(crate) fn acquire(&mut self, index: usize, value: i32, clock: &mut Clock) {
        for deposit in self.touch(index, value).deposits.iter_mut() {
            if deposit.counts {
                clock.acquire(deposit.stamp.rank, &deposit.release);
                // Only the owner waits on its cells, and it knows this now.
                deposit.release.knowledge = None;
            }
        }
    }

    /// Calls `f` for each cell and rank that notified it in this launch, with the number of times.
    pub(crate) fn for_each_sent(&self, f: &mut dyn FnMut(usize, usize, u32)) {
        for (page, cells) in self.pages.iter().enumerate() {
            for (slot, cell) in cells.iter().flat_map(|cells| cells.iter()).enumerate() {
                if cell.launch == self.launch {
                    cell.deposits.iter().for_each(|d| f(page * PAGE + slot, d.stamp.rank as usize, d.count));
                }
            }
        }
    }

    /// How often a rank notified a cell in this launch.
    pub(crate) fn sent(&self, index: usize, rank: usize) -> u32 {
        let mine = |cell: &Cell| cell.deposits.iter().find(|d| d.stamp.rank as usize == rank).map(|d| d.count);
        self.peek(index).and_then(mine).unwrap_or(0)
    }
}
