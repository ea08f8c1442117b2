//! What a walk has counted.

use super::{Card, Count};

/// Least and most so far; `u64::MAX` is without a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub(super) low: u64,
    pub(super) high: u64,
}

impl Span {
    pub(super) fn exactly(count: u64) -> Span {
        Span { low: count, high: count }
    }

    /// So much, or nothing.
    pub(super) fn maybe(self) -> Span {
        Span { low: 0, ..self }
    }

    pub(super) fn times(self, factor: Span) -> Span {
        Span { low: self.low.saturating_mul(factor.low), high: self.high.saturating_mul(factor.high) }
    }

    pub(super) fn add(&mut self, other: Span) {
        self.low = self.low.saturating_add(other.low);
        self.high = self.high.saturating_add(other.high);
    }

    /// One of the two.
    pub(super) fn either(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Any number of times what was added since `before`.
    pub(super) fn repeated_since(self, before: Span) -> Span {
        Span { low: before.low, high: if self.high > before.high { u64::MAX } else { before.high } }
    }

    pub(super) fn count(self) -> Count {
        Count { low: self.low, high: (self.high != u64::MAX).then_some(self.high) }
    }
}

/// What a walk has counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) received: Span,
    pub(super) sent: Span,
    pub(super) remote_loads: Span,
    pub(super) remote_stores: Span,
    pub(super) steps: Span,
    pub(super) self_notifies: Span,
    pub(super) result_elements: Span,
    pub(super) domains: Vec<DomainTally>,
}

/// What a walk has counted in one domain.
#[derive(Clone, Debug, Default)]
pub(super) struct DomainTally {
    pub(super) waits: Span,
    /// Bytes loaded from each peer, and stored into its windows, notifies to it, credits deposited at it; by rank of the domain, the own entries stay
    /// empty.
    pub(super) pulled: Vec<Span>,
    pub(super) pushed: Vec<Span>,
    pub(super) notified: Vec<Span>,
    pub(super) deposited: Vec<Span>,
}

impl Tally {
    /// Combines, count by count, with another tally.
    pub(super) fn merge(&mut self, other: &Tally, f: impl Fn(Span, Span) -> Span) {
        let single = [
            (&mut self.received, other.received),
            (&mut self.sent, other.sent),
            (&mut self.remote_loads, other.remote_loads),
            (&mut self.remote_stores, other.remote_stores),
            (&mut self.steps, other.steps),
            (&mut self.self_notifies, other.self_notifies),
            (&mut self.result_elements, other.result_elements),
        ];
        for (a, b) in single {
            *a = f(*a, b);
        }
        for (a, b) in self.domains.iter_mut().zip(&other.domains) {
            a.waits = f(a.waits, b.waits);
            let lists = [
                (&mut a.pulled, &b.pulled),
                (&mut a.pushed, &b.pushed),
                (&mut a.notified, &b.notified),
                (&mut a.deposited, &b.deposited),
            ];
            for (a, b) in lists {
                for (a, b) in a.iter_mut().zip(b) {
                    *a = f(*a, *b);
                }
            }
        }
    }

    /// The card; bytes are those that the rank itself moves.
    pub(super) fn card(&self) -> Card {
        let sum = |f: &dyn Fn(&DomainTally) -> Span| {
            let mut sum = Span::default();
            self.domains.iter().for_each(|domain| sum.add(f(domain)));
            sum
        };
        Card {
            bytes_received: self.received.count(),
            bytes_sent: self.sent.count(),
            remote_loads: self.remote_loads.count(),
            remote_stores: self.remote_stores.count(),
            steps: self.steps.count(),
            peer_notifies: sum(&DomainTally::notifies).count(),
            self_notifies: self.self_notifies.count(),
            waits: sum(&|domain| domain.waits).count(),
            barriers: sum(&DomainTally::barriers).count(),
            credits: sum(&|domain| least(&domain.deposited)).count(),
            result_elements: self.result_elements.count(),
        }
    }
}

/// The least over the peers. The own entry of a list stays empty.
fn least(spans: &[Span]) -> Span {
    let mut sorted: Vec<Span> = spans.to_vec();
    sorted.sort_by_key(|s| (s.low, s.high));
    sorted.get(1).copied().unwrap_or_default()
}

impl DomainTally {
    pub(super) fn new(ranks: usize) -> DomainTally {
        let list = vec![Span::default(); ranks];
        DomainTally {
            waits: Span::default(),
            pulled: list.clone(),
            pushed: list.clone(),
            notified: list.clone(),
            deposited: list,
        }
    }

    pub(super) fn notifies(&self) -> Span {
        let mut sum = Span::default();
        self.notified.iter().for_each(|n| sum.add(*n));
        sum
    }

    pub(super) fn barriers(&self) -> Span {
        let peers = (self.notified.len() as u64).saturating_sub(1).max(1);
        let rounds = |waits: u64| if waits == u64::MAX { waits } else { waits / peers };
        let notified = least(&self.notified);
        Span { low: notified.low.min(rounds(self.waits.low)), high: notified.high.min(rounds(self.waits.high)) }
    }
}
