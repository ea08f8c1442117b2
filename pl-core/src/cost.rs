//! The cost card: what each rank moves and signals, computed from the lowered IR without running it.
//!
//! The function is walked for every rank with the values that are known before the run: dims, the rank and the number of ranks in each domain, scalar
//! arguments. What depends on anything else (an element that is read) makes a range, from the least to the most that any path can cost.

mod tally;
mod walk;

use crate::bind::Program;
use crate::fault::RankCost;
use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;
use tally::Span;
use walk::Walker;

/// A count, or a range of counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The least.
    pub low: u64,
    /// The most; `None` without a bound.
    pub high: Option<u64>,
}

impl Count {
    /// The count, where it is one.
    pub fn exact(self) -> Option<u64> {
        (self.high == Some(self.low)).then_some(self.low)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact(), self.high) {
            (Some(count), _) => write!(f, "{count}"),
            (None, Some(high)) => write!(f, "{} to {high}", self.low),
            (None, None) => write!(f, "{} or more", self.low),
        }
    }
}

/// What one rank costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Bytes that come from peers.
    pub bytes_received: Count,
    /// Bytes that go to peers.
    pub bytes_sent: Count,
    /// Loads from a peer.
    pub remote_loads: Count,
    /// Stores into a peer's windows.
    pub remote_stores: Count,
    /// Steps in which data moves: transfers from or to peers with no wait between them are one.
    pub steps: Count,
    /// Notifies to a peer.
    pub peer_notifies: Count,
    /// Notifies to the own rank.
    pub self_notifies: Count,
    /// Waits.
    pub waits: Count,
    /// Rounds in which the rank notifies every peer of a domain and waits as often as there are peers, summed over the domains.
    pub barriers: Count,
    /// Credits that the rank deposits at each peer: the sum of what it adds to the peer's cells (the least over the peers of a domain, summed over the
    /// domains).
    pub credits: Count,
    /// Elements stored into `Out` and `InOut` tensors.
    pub result_elements: Count,
}

impl Card {
    /// The card as a run counts it, when nothing in it is a range.
    pub fn exact(&self) -> Option<RankCost> {
        Some(RankCost {
            bytes_received: self.bytes_received.exact()?,
            bytes_sent: self.bytes_sent.exact()?,
            remote_loads: self.remote_loads.exact()?,
            remote_stores: self.remote_stores.exact()?,
            peer_notifies: self.peer_notifies.exact()?,
            self_notifies: self.self_notifies.exact()?,
            waits: self.waits.exact()?,
            result_elements: self.result_elements.exact()?,
        })
    }
}

/// One rank's program and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct RankProgram<'a> {
    /// The rank in the world.
    pub rank: usize,
    /// The program.
    pub program: &'a Program,
    /// The values of the scalar arguments, by parameter; `None` where there is none or it is not an integer.
    pub scalars: &'a [Option<i64>],
    /// For each domain of the program's bindings: its ranks, as ranks of the world.
    pub domains: &'a [Arc<[usize]>],
}

/// The cards of the ranks of a launch, in their order. What one rank loads from another is sent by the other; what it stores into another's windows is
/// received by the other.
pub fn cards(ranks: &[RankProgram<'_>]) -> Vec<Card> {
    // Per rank of the world: bytes that others load from it, and store into its windows.
    let mut others: BTreeMap<usize, (Span, Span)> = ranks.iter().map(|call| (call.rank, Default::default())).collect();
    let mut cards = Vec::with_capacity(ranks.len());
    for call in ranks {
        let tally = Walker::new(call).walk();
        for (domain, counted) in call.domains.iter().zip(&tally.domains) {
            for ((peer, pulled), pushed) in domain.iter().zip(&counted.pulled).zip(&counted.pushed) {
                // A rank without a call has no card.
                if let (true, Some(total)) = ((*pulled, *pushed) != Default::default(), others.get_mut(peer)) {
                    total.0.add(*pulled);
                    total.1.add(*pushed);
                }
            }
        }
        cards.push((tally.card(), tally.sent, tally.received));
    }
    let finish = |((card, mut sent, mut received), call): ((Card, Span, Span), &RankProgram<'_>)| {
        let (pulled, pushed) = others.get(&call.rank).copied().unwrap_or_default();
        sent.add(pulled);
        received.add(pushed);
        Card { bytes_sent: sent.count(), bytes_received: received.count(), ..card }
    };
    cards.into_iter().zip(ranks).map(finish).collect()
}
