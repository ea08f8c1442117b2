//! What a run that went well did.

use super::*;

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

/// A fault that a launch asked for and that did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInjected {
    /// The fault.
    pub injection: Injection,
    /// How many ops the rank executed, or how many notifies it made.
    pub reached: u64,
}
