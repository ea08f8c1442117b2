//! Accesses that nothing orders, and reads of what nothing wrote.

use super::*;

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Adds to data, as all transfers with `atomic = Add` may at the same time.
    Add,
    /// Deposits into a signal cell.
    Notify,
    /// Compares or reads a signal cell.
    Test,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceSide {
    /// Where.
    pub site: Site,
    /// What it does.
    pub access: AccessKind,
    /// The memory, as this side's kernel names it.
    pub region: Region,
    /// The collective, of the window's domain, that the rank was in or had passed last; `None` when there was none, or it is too long ago to be known.
    pub reached: Option<Reached>,
}

/// How far a rank was with its collectives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Which of its domain's collectives it is, from 1.
    pub number: u64,
    /// Whether the rank was in it; otherwise it had passed it.
    pub inside: bool,
    /// Where it entered. The op of the site is the collective.
    pub site: Site,
}

/// How a rank learnt from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// Its wait.
    pub wait: Site,
    /// The last notify of that rank of which it has learnt, as far as it is known.
    pub notify: Option<Site>,
    /// The rank whose notify passed on what it had learnt itself; `None`: the notify was that rank's own.
    pub through: Option<usize>,
}

/// Two accesses that conflict and that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that happened. Its box is what is known of it after equal neighbours were merged.
    pub first: RaceSide,
    /// The access that was stopped before it touched memory.
    pub second: RaceSide,
    /// The elements that both touch: the first run of them.
    pub overlap: Region,
    /// How many notifies the first rank had made in this launch before the first access.
    pub first_notifies: u32,
    /// How many of those the second rank has acquired by waits, directly or through other ranks.
    pub acquired: u32,
    /// The notify that the first rank made after the first access, as far as it is known and was made before the run was stopped.
    pub notify: Option<Site>,
    /// The last wait by which the second rank learnt from the first one, as far as it is known.
    pub learnt: Option<Learnt>,
    /// The last `pl::read` of the second rank that found what a notify had made of a cell, as far as it is known: it ordered nothing.
    pub polled: Option<Site>,
    /// The last wait of the second rank that passed and taught it nothing: by what it knew already, or by what it had deposited itself.
    pub idle: Option<Site>,
    /// A wait of the second rank that passed without a notify of this launch.
    pub stale: Option<StaleWait>,
}

/// A wait that passed only because of what an earlier launch (or the host) had left in the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleWait {
    /// The wait.
    pub site: Site,
    /// The cell.
    pub cell: Region,
    /// What the cell held when the launch started.
    pub value: i32,
    /// What the wait compares with.
    pub expected: i32,
    /// How it compares.
    pub compare: Compare,
}

/// How a wait compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `pld::WaitCmp::Eq`
    Eq,
    /// `pld::WaitCmp::Ge`
    Ge,
}

impl Compare {
    /// Whether a cell of this value satisfies a wait for `expected`.
    pub const fn holds(self, value: i32, expected: i32) -> bool {
        match self {
            Compare::Eq => value == expected,
            Compare::Ge => value >= expected,
        }
    }

    /// The operator.
    pub const fn symbol(self) -> &'static str {
        match self {
            Compare::Eq => "==",
            Compare::Ge => ">=",
        }
    }
}

/// A read of elements that nothing wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uninitialised {
    /// The read.
    pub site: Site,
    /// The box that it reads.
    pub region: Region,
    /// The first element that nothing wrote.
    pub first: Vec<usize>,
    /// How many such elements the box has.
    pub missing: usize,
    /// The ranks that can still come to a write of the first of them, as far as is known, in the order of the calls; of a window. The reading rank only
    /// where no other can. Of more than [`Uninitialised::MAX_WRITERS`] only the first.
    pub writers: Vec<Writer>,
    /// Where the first of them was discarded, in this launch, as far as is known: nothing wrote it since.
    pub discarded: Option<Box<Site>>,
    /// The last wait of the reading rank that passed by a notify of this launch, and that notify, as far as they are known.
    pub learnt: Option<Box<Passed>>,
    /// As of a [`Race`], of the reading rank.
    pub idle: Option<Box<Site>>,
    /// A wait of the reading rank that passed without a notify of this launch.
    pub stale: Option<Box<StaleWait>>,
}

impl Uninitialised {
    /// How many writers are listed.
    pub const MAX_WRITERS: usize = 4;
}

/// A wait that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The wait.
    pub wait: Site,
    /// The notify because of which it did.
    pub notify: Site,
}

/// A rank that can still come to a write of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The write: the first one.
    pub site: Site,
    /// Whether the rank still comes to it, unless something stops it. Otherwise that depends on data.
    pub still: bool,
    /// What the rank does now.
    pub state: RankState,
}
