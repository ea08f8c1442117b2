//! Notifies that are recorded later, by whoever looks at the memory next.
//!
//! What is known of a cell stands in several cache lines. To record a notify from another core each of them has to come from there, with the memory locked, and to go
//! back when the owner waits. So where several threads run few ranks, a notify that has nothing to find out leaves a note, which is one line, written and not read.
//! Whoever takes the lock for anything else records the notes first, in their order: nobody can tell the difference.
//!
//! A notify has nothing to find out when it adds a little, and as long as nobody did anything to the memory in this launch but to add to cells and to wait for them: then there
//! is no access to conflict with, nothing odd to report, and no cell can overflow.

use super::clock::{Few, Stamp};

/// How many notes there is room for.
const ROOM: usize = 16;
/// Memories with more cells than this have no notes: they would all have to be looked at first.
pub(super) const MOST_CELLS: usize = 1 << 10;
/// What a note adds, at most, and what the cells hold that it may be left for: no sum of notes overflows.
const MOST_ADDED: u32 = 1 << 16;
const MOST_HELD: u32 = 1 << 30;

/// A notify by a peer that adds to a cell.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Note {
    pub(super) index: u32,
    pub(super) add: i32,
    pub(super) stamp: Stamp,
    /// Whether it is one of a builtin's body.
    pub(super) builtin: bool,
    /// What it told.
    pub(super) told: Few,
}

/// How many notes there are, and whether more may come.
#[derive(Debug, Default)]
pub(super) struct Tray {
    open: bool,
    count: u8,
}

/// The places of the notes, as long as the tray was never open none.
#[derive(Debug, Default)]
pub(super) struct Notes(Box<[Note]>);

impl Tray {
    /// Opens it, where nothing was done to the memory.
    pub(super) fn open(&mut self, notes: &mut Notes) {
        self.open = true;
        if notes.0.is_empty() {
            notes.0 = vec![Note::default(); ROOM].into();
        }
    }

    /// From now on notifies have something to find out.
    #[inline]
    pub(super) const fn close(&mut self) {
        self.open = false;
    }

    /// Whether a note may be left that adds so much.
    #[inline]
    pub(super) const fn takes(&self, add: i32) -> bool {
        self.open && (self.count as usize) < ROOM && add.unsigned_abs() <= MOST_ADDED
    }

    /// Leaves a note that it takes.
    #[inline]
    pub(super) fn leave(&mut self, notes: &mut Notes, note: Note) {
        notes.0[self.count as usize] = note;
        self.count += 1;
    }

    /// Whether there are notes.
    #[inline(always)]
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes the notes out, in their order.
    pub(super) fn take<'n>(&mut self, notes: &'n Notes) -> &'n [Note] {
        &notes.0[..usize::from(std::mem::take(&mut self.count))]
    }
}

/// Whether a cell may hold this while the tray is open.
pub(super) const fn fits(value: i32) -> bool {
    value.unsigned_abs() <= MOST_HELD
}
