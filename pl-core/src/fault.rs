//! What a run can report: a [`Report`] when it went well, a [`Fault`] when a check stopped it.
//!
//! Both are data. A fault names every side of what went wrong, each with its rank, its place in the source, its op and its
//! box; `Display` makes the complete text of it, several lines that end in one for help.

mod explain;
mod lint;
mod race;
mod report;
mod stuck;

pub use lint::{Lint, LintData, LintKind, Lints};
pub use race::{AccessKind, Compare, Learnt, Passed, Race, RaceSide, Reached, StaleWait, Uninitialised, Writer};
pub use report::{Checked, NotInjected, RankCost, Report};
pub use stuck::{
    Blocked, CellChange, CellEvent, CellHistory, Deadlock, Interrupted, Livelock, NotEntered, RankState, Sender,
    Spinning, Stopped, StoppedRank,
};

use crate::dtype::DType;
use crate::explore::Explored;
use crate::ir::{Name, Place};
use crate::runtime::{Injection, Scheduler};
use std::collections::BTreeSet;
use std::time::Duration;

/// Why a run was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Two accesses that conflict and that nothing orders.
    Race(Box<Race>),
    /// A read of elements that nothing wrote.
    Uninitialised(Box<Uninitialised>),
    /// A box that does not lie in its memory.
    OutOfBounds(OutOfBounds),
    /// Scalar arithmetic that has no result.
    Arithmetic(Arithmetic),
    /// A tile division by an integer zero.
    ElementDivision(ElementDivision),
    /// A peer that is not a rank.
    Peer(PeerOutOfRange),
    /// Tiles whose extents must be equal and are not.
    Extents(ExtentMismatch),
    /// A value that does not have its declared type.
    Declared(DeclaredType),
    /// More tile memory than the platform has.
    TileMemory(TileMemory),
    /// A deposit that a cell cannot hold.
    CellOverflow(CellOverflow),
    /// A count of elements or rows for a peer that is negative, or more than there is room for.
    Count(CountOutOfRange),
    /// The root of a collective that is not a rank.
    Root(RootOutOfRange),
    /// Ranks of a domain that enter different collectives, or one with different arguments.
    Collective(Box<CollectiveMismatch>),
    /// A signal of a collective that is not as collectives need it, or leave it.
    Credits(Box<Credits>),
    /// No rank can run, and not all are done.
    Deadlock(Deadlock),
    /// The ranks that can run re-read unchanged cells for ever.
    Livelock(Livelock),
    /// A rank executed more ops than it may: an endless loop.
    OpBudget(OpBudget),
    /// Schedules of one launch that leave different results, although nothing raced.
    Differs(Differs),
    /// No rank can run, and an injected fault stopped some.
    Stopped(Stopped),
    /// The run was interrupted from outside.
    Interrupted(Interrupted),
}

/// Where a rank stood.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The rank, as the world that was opened numbers it.
    pub rank: usize,
    /// The kernel that it ran.
    pub kernel: Name,
    /// The line and column, where they are known.
    pub place: Option<Place>,
    /// The op, by its path, or the operator or statement.
    pub op: &'static str,
}

/// A box of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The parameter, as the kernel that is at fault names it.
    pub memory: Name,
    /// The rank whose window memory it is, as the world that was opened numbers it; `None` for a tensor.
    pub owner: Option<usize>,
    /// The number of that rank in the window's domain, where it is another one.
    pub domain_rank: Option<usize>,
    /// The first element, per axis.
    pub offsets: Vec<usize>,
    /// The extents.
    pub extents: Vec<usize>,
}

/// A box that does not lie in its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The access.
    pub site: Site,
    /// The parameter.
    pub memory: Name,
    /// The memory's extents.
    pub extents: Vec<usize>,
    /// The box's offsets.
    pub offsets: Vec<u64>,
    /// The box's extents.
    pub shape: Vec<u64>,
    /// The first axis on which it does not fit.
    pub axis: usize,
}

/// Why scalar arithmetic has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticProblem {
    /// The result is greater than the type holds.
    Overflow,
    /// The result is less than the type holds; for an index, less than 0.
    Underflow,
    /// The divisor is zero.
    DivisionByZero,
    /// The step of a loop is zero.
    ZeroStep,
}

/// Scalar arithmetic that has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// The operator.
    pub site: Site,
    /// What is wrong.
    pub problem: ArithmeticProblem,
    /// The operation with its values: `3 - 4`.
    pub operation: String,
    /// The type: `usize`, `i32`, …
    pub ty: &'static str,
}

/// A tile division by an integer zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementDivision {
    /// The division.
    pub site: Site,
    /// The element type.
    pub dtype: DType,
    /// The first element whose divisor is zero; `None` when the divisor is a scalar.
    pub element: Option<Vec<usize>>,
}

/// A peer that is not a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerOutOfRange {
    /// The op.
    pub site: Site,
    /// The window through which it reaches the peer, as the kernel names it.
    pub window: Name,
    /// The peer.
    pub peer: u64,
    /// The number of ranks of the window's domain.
    pub ranks: usize,
}

/// Tiles whose extents must be equal and are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtentMismatch {
    /// The op.
    pub site: Site,
    /// The left operand: what it is called and its extents.
    pub lhs: (Name, Vec<usize>),
    /// The right one.
    pub rhs: (Name, Vec<usize>),
}

/// A value that does not have its declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredType {
    /// The declaration.
    pub site: Site,
    /// The local.
    pub local: Name,
    /// The declared extents; `None` where any will do.
    pub declared: Vec<Option<u64>>,
    /// The extents it has.
    pub found: Vec<usize>,
    /// The first axis on which they differ.
    pub axis: usize,
}

/// More tile memory than the platform has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileMemory {
    /// The op.
    pub site: Site,
    /// Bytes of the tiles that live across the op, of its operands and of its result.
    pub needed: u64,
    /// Bytes that the platform has; `None`: it has no limit, but the host's memory does not hold the tile.
    pub limit: Option<usize>,
    /// The platform.
    pub platform: &'static str,
    /// The tiles, each with its bytes; the result last.
    pub tiles: Vec<(Name, u64)>,
}

/// A deposit that a cell cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellOverflow {
    /// The notify.
    pub site: Site,
    /// The cell.
    pub cell: Region,
    /// What the cell holds.
    pub value: i32,
    /// What was to be added.
    pub add: i32,
}

/// A count for a peer that is negative, or more than there is room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountOutOfRange {
    /// Where it was checked.
    pub site: Site,
    /// The peer that it concerns.
    pub peer: u64,
    /// The count.
    pub count: i32,
    /// The most that it may be.
    pub limit: u64,
}

/// The root of a collective that is not a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootOutOfRange {
    /// The collective.
    pub site: Site,
    /// The root.
    pub root: u64,
    /// The number of ranks of the domain.
    pub ranks: usize,
}

/// Ranks of a domain that enter different collectives, or one with different arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveMismatch {
    /// The rank that entered its collective first. The op of the site is the collective.
    pub first: Site,
    /// The rank that was stopped.
    pub second: Site,
    /// How many collectives both had entered before on this domain, all alike.
    pub before: u64,
    /// What differs; empty when the collectives themselves do.
    pub differences: Vec<Difference>,
}

/// An argument of a collective that two ranks give differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The argument: `op`, `mode`, `root`, `target`, `signal`.
    pub argument: &'static str,
    /// What the first rank gives.
    pub first: String,
    /// What the second one gives.
    pub second: String,
}

/// A signal of a collective that is not as collectives need it, or leave it: its cells hold nothing but what they deposit themselves, and that comes
/// to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credits {
    /// The collective that was to begin; the last one with that signal, when the launch was over. The op of the site is the collective.
    pub site: Site,
    /// When it was found.
    pub when: CreditsFound,
    /// The cell: the first of its rank's.
    pub cell: Region,
    /// What it holds.
    pub value: i32,
    /// What collectives of this launch deposited there: what it should hold when a collective begins, and 0 when the launch is over.
    pub credit: i32,
    /// What became of the cell in this launch.
    pub history: CellHistory,
}

/// When a signal of a collective is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CreditsFound {
    /// When a rank enters a collective: its own cells.
    Before,
    /// When the launch is over: all cells.
    After,
}

/// A rank executed more ops than it may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpBudget {
    /// Where the rank stood.
    pub site: Site,
    /// The most ops that a rank may execute.
    pub budget: u64,
}

/// A result that differs from what the first schedule of an exploration left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The rank.
    pub rank: usize,
    /// The first element that differs.
    pub region: Region,
}

impl Fault {
    /// Every kind of fault.
    pub const KINDS: &[&str] = &[
        "race",
        "uninitialised",
        "out-of-bounds",
        "arithmetic",
        "element-division",
        "peer",
        "extents",
        "declared-type",
        "tile-memory",
        "cell-overflow",
        "count",
        "root",
        "collective",
        "credits",
        "deadlock",
        "livelock",
        "stopped",
        "op-budget",
        "differs",
        "interrupted",
    ];

    /// A word for the kind of fault, the same in every release.
    pub const fn kind(&self) -> &'static str {
        match self {
            Fault::Race(_) => "race",
            Fault::Uninitialised(_) => "uninitialised",
            Fault::OutOfBounds(_) => "out-of-bounds",
            Fault::Arithmetic(_) => "arithmetic",
            Fault::ElementDivision(_) => "element-division",
            Fault::Peer(_) => "peer",
            Fault::Extents(_) => "extents",
            Fault::Declared(_) => "declared-type",
            Fault::TileMemory(_) => "tile-memory",
            Fault::CellOverflow(_) => "cell-overflow",
            Fault::Count(_) => "count",
            Fault::Root(_) => "root",
            Fault::Collective(_) => "collective",
            Fault::Credits(_) => "credits",
            Fault::Deadlock(_) => "deadlock",
            Fault::Livelock(_) => "livelock",
            Fault::OpBudget(_) => "op-budget",
            Fault::Differs(_) => "differs",
            Fault::Stopped(_) => "stopped",
            Fault::Interrupted(_) => "interrupted",
        }
    }

    /// Where it was found: the first blocked or spinning rank's place, where there are several.
    pub fn site(&self) -> Option<&Site> {
        match self {
            Fault::Race(f) => Some(&f.second.site),
            Fault::Uninitialised(f) => Some(&f.site),
            Fault::OutOfBounds(f) => Some(&f.site),
            Fault::Arithmetic(f) => Some(&f.site),
            Fault::ElementDivision(f) => Some(&f.site),
            Fault::Peer(f) => Some(&f.site),
            Fault::Extents(f) => Some(&f.site),
            Fault::Declared(f) => Some(&f.site),
            Fault::TileMemory(f) => Some(&f.site),
            Fault::CellOverflow(f) => Some(&f.site),
            Fault::Count(f) => Some(&f.site),
            Fault::Root(f) => Some(&f.site),
            Fault::Collective(f) => Some(&f.second),
            Fault::Credits(f) => Some(&f.site),
            Fault::Deadlock(f) => f.blocked.first().map(|b| &b.site),
            Fault::Livelock(f) => f.spinning.first().map(|s| &s.site),
            Fault::OpBudget(f) => Some(&f.site),
            Fault::Differs(_) => None,
            Fault::Stopped(f) => f.stopped.first().map(|s| &s.site),
            Fault::Interrupted(f) => f.ranks.iter().find_map(|(_, state)| state.site()),
        }
    }
}

impl Fault {
    /// The places that are at fault, each once: both sides of a race, the waits of all ranks that are blocked.
    pub fn sites(&self) -> Vec<&Site> {
        match self {
            Fault::Race(f) => vec![&f.first.site, &f.second.site],
            Fault::Collective(f) => vec![&f.first, &f.second],
            Fault::Deadlock(f) => f.blocked.iter().map(|b| &b.site).collect(),
            Fault::Livelock(f) => f.spinning.iter().map(|s| &s.site).chain(f.blocked.iter().map(|b| &b.site)).collect(),
            Fault::Stopped(f) => f.stopped.iter().map(|s| &s.site).chain(f.blocked.iter().map(|b| &b.site)).collect(),
            _ => self.site().into_iter().collect(),
        }
    }

    /// A text that two faults share when they are of one kind, at the same places, whichever ranks they befall.
    pub fn signature(&self) -> String {
        let sites = self.sites().into_iter();
        let places: BTreeSet<String> = sites
            .map(|site| {
                format!("{} {} {}", site.kernel, site.op, site.place.as_ref().map_or(String::new(), |p| p.to_string()))
            })
            .collect();
        places.into_iter().fold(self.kind().to_owned(), |text, place| text + "\n" + &place)
    }
}
