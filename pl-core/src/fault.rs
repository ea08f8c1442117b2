//! What a run can report: a [`Report`] when it went well, a [`Fault`] when a check stopped it.
//!
//! Both are data. A fault names every side of what went wrong, each with its rank, its place in the source, its op and its
//! box; `Display` makes the complete text of it, several lines that end in one for help.

mod explain;
mod lint;

pub use lint::{Lint, LintData, LintKind, Lints};

use crate::dtype::DType;
use crate::explore::Explored;
use crate::ir::{Name, Place};
use crate::runtime::{Injection, Scheduler};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a rank moved and signalled: what the cost card foretells, and what a run counts.
///
/// What a rank does with its own memory through an op that takes a peer (`peer` is the own rank) moves no bytes and is no remote load;
/// a notify to itself counts apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RankCost {
    /// Bytes that came from peers: loaded by this rank, or pushed into its windows.
    pub bytes_received: u64,
    /// Bytes that went to peers: loaded from this rank's windows, or pushed by it.
    pub bytes_sent: u64,
    /// Loads from a peer.
    pub remote_loads: u64,
    /// Stores into a peer's windows.
    pub remote_stores: u64,
    /// Notifies to a peer.
    pub peer_notifies: u64,
    /// Notifies to the own rank.
    pub self_notifies: u64,
    /// Waits that passed.
    pub waits: u64,
    /// Elements stored into `Out` and `InOut` tensors.
    pub result_elements: u64,
}

/// What a run that went well did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What each rank moved and signalled, in the order of the calls.
    pub ranks: Vec<RankCost>,
    /// From the moment at which the devices were free for the launch to its end.
    pub wall: Duration,
    /// The scheduler.
    pub scheduler: Scheduler,
    /// Of a launch that was explored: under which schedules it ran before. The rest of the report is of the last one.
    pub explored: Option<Explored>,
    /// How many threads ran ranks.
    pub threads: usize,
    /// What was checked.
    pub checked: Checked,
    /// What was odd, although nothing was wrong, without what is allowed: by kind, and in the order of places, each place of a kernel once.
    pub lints: Vec<Lint>,
    /// Faults that the launch asked for and that did not happen: their ranks did not come that far.
    pub not_injected: Vec<NotInjected>,
}

impl Report {
    /// The sites whose result can depend on the order in which the ranks ran.
    pub fn order_dependent(&self) -> impl Iterator<Item = &Site> {
        self.lints.iter().filter(|lint| lint.kind() == LintKind::OrderDependent).map(|lint| &lint.site)
    }
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Accesses to window memory that were checked for races, bounds and initialisation; 0 when the launch asked for no checks, here and below.
    pub accesses: u64,
    /// Notifies and passed waits whose order the checks followed.
    pub signals: u64,
    /// Ops that the ranks executed, loop iterations included.
    pub ops: u64,
}

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
    /// The ranks whose kernels write the first of them, as far as is known, in the order of the calls; of a window. The reading rank only where no
    /// other does, and it still comes to it. Of more than [`Uninitialised::MAX_WRITERS`] only the first.
    pub writers: Vec<Writer>,
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

/// A rank whose kernel writes an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// A write of the element: one that the rank can still come to, if there is one.
    pub site: Site,
    /// Whether the rank can still come to a write of the element.
    pub still: bool,
    /// What the rank does now.
    pub state: RankState,
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

/// What became of a cell in a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellHistory {
    /// What it held when the launch started.
    pub initial: i32,
    /// How many changes came before those that are listed.
    pub earlier: u32,
    /// The last changes, at most [`CellHistory::MAX_EVENTS`], in their order.
    pub events: Vec<CellEvent>,
}

impl CellHistory {
    /// How many changes are listed.
    pub const MAX_EVENTS: usize = 8;
}

/// A change of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Where.
    pub site: Site,
    /// What was done.
    pub change: CellChange,
    /// What the cell held then.
    pub value: i32,
}

/// What is done to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellChange {
    /// A notify added so much.
    Add(i32),
    /// A notify set it to that.
    Set(i32),
    /// A store or transfer replaced it, or added to it.
    Store,
}

/// No rank can run, and not all are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The ranks that could have woken one another, in rank order, where the launch has others too; empty where these are all.
    pub among: Vec<usize>,
    /// The collectives in which ranks wait for ranks that did not enter them.
    pub not_entered: Vec<NotEntered>,
    /// Ranks of which each waits for the next one, and the last for the first: where there are several such rings, a shortest one; empty when there is
    /// none.
    pub ring: Vec<usize>,
    /// Every rank that is blocked: those of the ring, then the others in rank order.
    pub blocked: Vec<Blocked>,
    /// How many of these ranks are done.
    pub finished: usize,
}

/// A collective that not all ranks of its domain entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEntered {
    /// The rank that entered it first. The op of the site is the collective.
    pub first: Site,
    /// How many ranks entered it.
    pub entered: usize,
    /// The ranks that did not, and what they do.
    pub absent: Vec<(usize, RankState)>,
}

/// A rank that is blocked in a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The wait.
    pub site: Site,
    /// The cell.
    pub cell: Region,
    /// The cell's value.
    pub value: i32,
    /// What the wait compares with.
    pub expected: i32,
    /// How it compares.
    pub compare: Compare,
    /// What became of the cell in this launch.
    pub history: CellHistory,
    /// The ranks whose kernel can notify this cell, in the order of the calls; of more than [`Blocked::MAX_SENDERS`] only the first.
    pub senders: Vec<Sender>,
    /// How many such ranks are not listed.
    pub more_senders: usize,
}

impl Blocked {
    /// How many senders of one cell are listed.
    pub const MAX_SENDERS: usize = 16;
}

/// A rank whose kernel can notify an awaited cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// A notify of the cell in the rank's kernel: one that it can still come to, if there is one.
    pub site: Site,
    /// Whether the rank can still come to a notify of the cell.
    pub still: bool,
    /// How many notifies the rank sent to the cell in this launch.
    pub sent: u32,
    /// How many notifies it sent to other cells of the window, and one of those cells.
    pub elsewhere: Option<(u32, Region)>,
    /// What the rank does now.
    pub state: RankState,
}

/// What a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankState {
    /// Its kernel returned.
    Finished,
    /// It waits here.
    Blocked(Site),
    /// It can run, and stands here.
    Running(Site),
    /// It re-reads cells that do not change, here.
    Spinning(Site),
    /// An injected fault stopped it, here.
    Stopped(Site),
    /// Its device is busy with another launch.
    Queued,
    /// It has no call in this launch.
    NoCall,
}

/// The ranks that can run re-read unchanged cells for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Livelock {
    /// As of a [`Deadlock`].
    pub among: Vec<usize>,
    /// The collectives in which ranks wait for ranks that did not enter them.
    pub not_entered: Vec<NotEntered>,
    /// Each rank that spins: the read, the cell and its value.
    pub spinning: Vec<Spinning>,
    /// The ranks that are blocked in a wait meanwhile.
    pub blocked: Vec<Blocked>,
    /// How many of these ranks are done.
    pub finished: usize,
}

/// A rank that re-reads a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spinning {
    /// The read.
    pub site: Site,
    /// The cell.
    pub cell: Region,
    /// What it holds, as the kernel would write it.
    pub value: String,
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

/// No rank can run, and a fault that the launch asked for ([`Injection::Stop`]) stopped some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// As of a [`Deadlock`].
    pub among: Vec<usize>,
    /// Each rank that was stopped.
    pub stopped: Vec<StoppedRank>,
    /// The ranks that spin meanwhile.
    pub spinning: Vec<Spinning>,
    /// The ranks that are blocked in a wait meanwhile.
    pub blocked: Vec<Blocked>,
    /// How many of these ranks are done.
    pub finished: usize,
}

/// A rank that an injected fault stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedRank {
    /// The op that it did not execute.
    pub site: Site,
    /// The number of the op that the launch named. The rank stopped at the first op that has this number or a greater one.
    pub op: u64,
}

/// A fault that a launch asked for and that did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInjected {
    /// The fault.
    pub injection: Injection,
    /// How many ops the rank executed, or how many notifies it made.
    pub reached: u64,
}

/// The run was interrupted from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// What each rank with a call did, in rank order.
    pub ranks: Vec<(usize, RankState)>,
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

    /// Whether another schedule of the same launch may go well: what is wrong has to do with what other ranks do meanwhile.
    pub const fn depends_on_schedule(&self) -> bool {
        matches!(
            self,
            Fault::Race(_)
                | Fault::Uninitialised(_)
                | Fault::CellOverflow(_)
                | Fault::Credits(_)
                | Fault::Collective(_)
                | Fault::Deadlock(_)
                | Fault::Livelock(_)
                | Fault::Stopped(_)
        )
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

impl RankState {
    /// Where the rank stands; `None` when it is done, or has not begun.
    pub const fn site(&self) -> Option<&Site> {
        match self {
            RankState::Finished | RankState::Queued | RankState::NoCall => None,
            RankState::Blocked(site)
            | RankState::Running(site)
            | RankState::Spinning(site)
            | RankState::Stopped(site) => Some(site),
        }
    }
}
