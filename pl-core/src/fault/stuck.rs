//! Ranks of which none can run: what each waits for, and who could have woken it.

use super::*;

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

/// The run was interrupted from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// What each rank with a call did, in rank order.
    pub ranks: Vec<(usize, RankState)>,
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
