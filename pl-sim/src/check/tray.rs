//! Notifies that are recorded later, by whoever looks at the memory next.
//!
//! What is known of a cell stands in several cache lines. To record a notify from another core each of them, and that of the lock, has to come from there, and to go
//! back when the owner waits. So where several threads run few ranks, a notify that has nothing to find out leaves a note, which is one line, written and not read, without the
//! lock. Whoever takes the lock for anything records the notes first, in an order in which they may have come: nobody can tell the difference.
//!
//! A notify has nothing to find out when it adds a little, where all that is done to the memory in a launch is to add to cells and to wait for them, and no cell holds much:
//! then there is no access to conflict with, and hardly anything to report. What there is nevertheless ([`Late`](super::Late)), a launch finds out when the note is recorded, and tells at its end.

use super::channel::Channel;
use super::clock::{FEW, Few, Stamp};
use smallvec::SmallVec;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// Memories with more cells than this have no notes: they would all have to be looked at first.
pub(super) const MOST_CELLS: usize = 1 << 10;
/// What a note adds, at most, and what the cells hold that it may be left for.
const MOST_ADDED: u32 = 1 << 16;
const MOST_HELD: u32 = 1 << 30;

/// A notify by a peer that adds to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) index: u32,
    pub(super) add: i32,
    pub(super) stamp: Stamp,
    /// Whether it is one of a builtin's body.
    pub(super) builtin: bool,
    /// What it told.
    pub(super) told: Few,
}

/// A note in a cache line, together with its number.
const WORDS: usize = 5 + FEW;

impl Note {
    fn words(&self) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        let Stamp { rank: _, epoch, pc } = self.stamp;
        words[..5].copy_from_slice(&[self.index, self.add as u32, epoch, pc, u32::from(self.builtin)]);
        words[5..].copy_from_slice(&self.told);
        words
    }

    /// That of a rank with these words.
    fn of(rank: u32, words: [u32; WORDS]) -> Note {
        let [index, add, epoch, pc, builtin, told @ ..] = words;
        Note { index, add: add as i32, stamp: Stamp { rank, epoch, pc }, builtin: builtin != 0, told }
    }

    /// Whether who left it knew of another one: that came before it.
    const fn follows(&self, other: &Note) -> bool {
        self.told[other.stamp.rank as usize] >= other.stamp.epoch
    }
}

/// The notes that were left for a memory.
#[derive(Debug, Default)]
pub(super) struct Tray {
    state: AtomicU8,
    /// How many ranks take part.
    ranks: AtomicU8,
    /// Those of each rank; none as long as the tray was never open.
    of: OnceLock<Box<[Channel<WORDS>; FEW]>>,
}

/// The states of a tray. In a launch in which it was open, there may be notes in it.
const UNUSED: u8 = 0;
const OPEN: u8 = 1;
const CLOSED: u8 = 2;

impl Tray {
    /// Opens it, for so many ranks.
    pub(super) fn open(&self, ranks: usize) {
        self.of.get_or_init(Box::default);
        self.ranks.store(ranks as u8, Relaxed);
        self.state.store(OPEN, Relaxed);
    }

    /// From now on notifies have something to find out, if it was open. Notes may still be left by those that do not know it yet.
    #[cold]
    pub(super) fn close(&self) {
        if self.is_open() {
            self.state.store(CLOSED, Relaxed);
        }
    }

    /// No notes will be left any more; those that nobody recorded are lost.
    pub(super) fn put_away(&mut self) {
        if std::mem::take(self.state.get_mut()) != UNUSED {
            self.channels().iter().for_each(|channel| (0..channel.waiting()).for_each(|_| channel.receive()));
        }
    }

    /// Whether there may be notes in it in this launch.
    #[inline(always)]
    pub(super) fn is_used(&self) -> bool {
        self.state.load(Relaxed) != UNUSED
    }

    #[inline]
    fn channels(&self) -> &[Channel<WORDS>] {
        self.of.get().map_or(&[], |of| &of[..FEW.min(self.ranks.load(Relaxed).into())])
    }

    /// Whether notes may be left in it.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Relaxed) == OPEN
    }

    /// Where a rank may leave a note that adds so much; `None` where it may not.
    #[inline]
    pub(super) fn place(&self, rank: usize, add: i32) -> Option<Place<'_>> {
        if !self.is_open() || add.unsigned_abs() > MOST_ADDED {
            return None;
        }
        self.channels().get(rank).filter(|channel| channel.has_room()).map(Place)
    }

    /// Whether there are notes. Who has the memory's lock asks.
    #[inline]
    pub(super) fn has_notes(&self) -> bool {
        self.channels().iter().any(|channel| channel.waiting() > 0)
    }

    /// Takes the notes out, each after those that came before it. Who has the memory's lock does.
    pub(super) fn take(&self, mut record: impl FnMut(Note)) {
        let channels = self.channels();
        let count = || channels.iter().map(Channel::waiting).collect::<SmallVec<Few>>();
        // One may be seen, and one that came before it not yet, as the ranks are looked at one after the other. When nothing more is seen, nothing is missing.
        let mut waiting = count();
        loop {
            let again = count();
            if again == waiting {
                break;
            }
            waiting = again;
        }
        let next = |rank: usize, left: u32| (left > 0).then(|| Note::of(rank as u32, channels[rank].peek()));
        let mut heads: SmallVec<[Option<Note>; FEW]> =
            waiting.iter().enumerate().map(|(rank, &left)| next(rank, left)).collect();
        // There is one that follows none of the others: what comes before what is no circle.
        let first = |heads: &[Option<Note>]| {
            let follows = |note: &Note| {
                heads.iter().flatten().any(|other| other.stamp.rank != note.stamp.rank && note.follows(other))
            };
            heads.iter().flatten().find(|note| !follows(note)).copied()
        };
        while let Some(note) = first(&heads) {
            let rank = note.stamp.rank as usize;
            record(note);
            channels[rank].receive();
            waiting[rank] -= 1;
            heads[rank] = next(rank, waiting[rank]);
        }
    }
}

/// A place for a note.
pub(super) struct Place<'t>(&'t Channel<WORDS>);

impl Place<'_> {
    /// Leaves a note there.
    #[inline]
    pub(super) fn leave(self, note: &Note) {
        self.0.send(note.words());
    }
}

/// Whether a cell may hold this while the tray is open.
pub(super) const fn fits(value: i32) -> bool {
    value.unsigned_abs() <= MOST_HELD
}
