//! The cost card: what each rank moves and signals, computed from the lowered IR without running it.
//!
//! The function is walked for every rank with the values that are known before the run: dims, the rank and the number of ranks in each domain, scalar
//! arguments. What depends on anything else (an element that is read) makes a range, from the least to the most that any path can cost.

use crate::bind::Program;
use crate::fault::RankCost;
use crate::ir::{
    ArgKind, BinOp, Block, Elem, EnumValue, Expr, ExprKind, Function, Lit, LocalId, Mode, Op, ScalarType, Stmt,
    StmtKind, Type, UnOp,
};
use crate::op::{Access, Cost, EnumKind, NotifyOp, ParamInfo, ParamKind, ResultKind, Space};
use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most statements that are walked for one rank; loops beyond are counted as unknown.
const MAX_STEPS: u64 = 100_000_000;

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
        let mut walker = Walker::new(call);
        walker.block(&call.program.function.body);
        let tally = walker.tally;
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

/// Least and most so far; `u64::MAX` is without a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Span {
    low: u64,
    high: u64,
}

impl Span {
    fn exactly(count: u64) -> Span {
        Span { low: count, high: count }
    }

    /// So much, or nothing.
    fn maybe(self) -> Span {
        Span { low: 0, ..self }
    }

    fn times(self, factor: Span) -> Span {
        Span { low: self.low.saturating_mul(factor.low), high: self.high.saturating_mul(factor.high) }
    }

    fn add(&mut self, other: Span) {
        self.low = self.low.saturating_add(other.low);
        self.high = self.high.saturating_add(other.high);
    }

    /// One of the two.
    fn either(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Any number of times what was added since `before`.
    fn repeated_since(self, before: Span) -> Span {
        Span { low: before.low, high: if self.high > before.high { u64::MAX } else { before.high } }
    }

    fn count(self) -> Count {
        Count { low: self.low, high: (self.high != u64::MAX).then_some(self.high) }
    }
}

/// What a walk has counted.
#[derive(Clone, Debug, Default)]
struct Tally {
    received: Span,
    sent: Span,
    remote_loads: Span,
    remote_stores: Span,
    steps: Span,
    self_notifies: Span,
    result_elements: Span,
    domains: Vec<DomainTally>,
}

/// What a walk has counted in one domain.
#[derive(Clone, Debug, Default)]
struct DomainTally {
    waits: Span,
    /// Bytes loaded from each peer, and stored into its windows, notifies to it, credits deposited at it; by rank of the domain, the own entries stay
    /// empty.
    pulled: Vec<Span>,
    pushed: Vec<Span>,
    notified: Vec<Span>,
    deposited: Vec<Span>,
}

impl Tally {
    /// Combines, count by count, with another tally.
    fn merge(&mut self, other: &Tally, f: impl Fn(Span, Span) -> Span) {
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
    fn card(&self) -> Card {
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
    fn new(ranks: usize) -> DomainTally {
        let list = vec![Span::default(); ranks];
        DomainTally {
            waits: Span::default(),
            pulled: list.clone(),
            pushed: list.clone(),
            notified: list.clone(),
            deposited: list,
        }
    }

    fn notifies(&self) -> Span {
        let mut sum = Span::default();
        self.notified.iter().for_each(|n| sum.add(*n));
        sum
    }

    fn barriers(&self) -> Span {
        let peers = (self.notified.len() as u64).saturating_sub(1).max(1);
        let rounds = |waits: u64| if waits == u64::MAX { waits } else { waits / peers };
        let notified = least(&self.notified);
        Span { low: notified.low.min(rounds(self.waits.low)), high: notified.high.min(rounds(self.waits.high)) }
    }
}

/// A domain as one rank sees it.
#[derive(Clone, Copy, Debug)]
struct Domain {
    /// Its index in the program's bindings.
    index: usize,
    /// The own rank in it, where that is one.
    rank: Option<usize>,
    ranks: usize,
}

impl Domain {
    /// Whether this is the own rank.
    fn is_self(self, peer: i128) -> bool {
        self.rank.is_some_and(|rank| rank as i128 == peer)
    }

    /// The rank in the domain.
    fn peer(self, peer: i128) -> Option<usize> {
        usize::try_from(peer).ok().filter(|p| *p < self.ranks)
    }

    fn peers(self) -> impl Iterator<Item = usize> {
        (0..self.ranks).filter(move |p| Some(*p) != self.rank)
    }
}

/// Walks one rank's program.
struct Walker<'a> {
    program: &'a Program,
    function: &'a Function,
    domains: Vec<Domain>,
    /// The value of each scalar local that is known; `bool` as 0 and 1.
    values: Vec<Option<i128>>,
    /// The most that each index local can be, where that is known.
    most: Vec<Option<i128>>,
    /// The elements of each tile.
    elements: Vec<Option<u64>>,
    tally: Tally,
    /// Whether the step that is under way is counted, in the least and in the most.
    moving: (bool, bool),
    steps: u64,
}

impl<'a> Walker<'a> {
    fn new(call: &RankProgram<'a>) -> Walker<'a> {
        let function = &call.program.function;
        let mut values = vec![None; function.locals.len()];
        for (param, value) in function.params.iter().zip(call.scalars) {
            values[param.local.0 as usize] = value.map(i128::from);
        }
        let domain = |(index, ranks): (usize, &Arc<[usize]>)| {
            let rank = ranks.iter().position(|rank| *rank == call.rank);
            Domain { index, rank, ranks: ranks.len() }
        };
        let domains: Vec<Domain> = call.domains.iter().enumerate().map(domain).collect();
        let tallies = domains.iter().map(|domain| DomainTally::new(domain.ranks)).collect();
        let tally = Tally { domains: tallies, ..Tally::default() };
        let elements = vec![None; function.locals.len()];
        let most = vec![None; function.locals.len()];
        Walker {
            program: call.program,
            function,
            domains,
            values,
            most,
            elements,
            tally,
            moving: (false, false),
            steps: 0,
        }
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in block {
            self.steps += 1;
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign { dst, value } => {
                if let Some(id) = value.as_local() {
                    self.elements[dst.0 as usize] = self.elements[id.0 as usize];
                }
                self.most[dst.0 as usize] = self.at_most(value);
                self.values[dst.0 as usize] = self.value(value);
            }
            StmtKind::Op(op) => self.op(op),
            StmtKind::Call(_) | StmtKind::Check { .. } | StmtKind::Return(_) => {}
            StmtKind::For { var, start, end, step, body } => {
                let bounds = (self.value(start), self.value(end), self.value(step));
                self.for_loop(*var, bounds, body);
            }
            StmtKind::While { pre, cond, body } => loop {
                self.block(pre);
                match self.value(cond) {
                    Some(0) => break,
                    Some(_) if self.steps < MAX_STEPS => self.block(body),
                    _ => {
                        self.unknown_times(&[body, pre], None);
                        break;
                    }
                }
            },
            StmtKind::If { cond, then, els } => match self.value(cond) {
                Some(0) => self.block(els),
                Some(_) => self.block(then),
                None => self.either(then, els),
            },
        }
    }

    fn for_loop(&mut self, var: LocalId, bounds: (Option<i128>, Option<i128>, Option<i128>), body: &'a Block) {
        let (Some(start), Some(end), Some(step @ 1..)) = bounds else {
            return self.unknown_times(&[body], Some(var));
        };
        let mut at = start;
        while at < end {
            if self.steps >= MAX_STEPS {
                return self.unknown_times(&[body], Some(var));
            }
            self.steps += 1;
            self.values[var.0 as usize] = Some(at);
            self.block(body);
            at += step;
        }
    }

    fn either(&mut self, then: &'a Block, els: &'a Block) {
        let (values, elements, tally) = (self.values.clone(), self.elements.clone(), self.tally.clone());
        let most = self.most.clone();
        let moving = self.moving;
        self.block(then);
        let moving = std::mem::replace(&mut self.moving, moving);
        let most = std::mem::replace(&mut self.most, most);
        let values = std::mem::replace(&mut self.values, values);
        let elements = std::mem::replace(&mut self.elements, elements);
        let tally = std::mem::replace(&mut self.tally, tally);
        self.block(els);
        agree(&mut self.most, &most);
        agree(&mut self.values, &values);
        agree(&mut self.elements, &elements);
        self.moving = (self.moving.0 || moving.0, self.moving.1 && moving.1);
        self.tally.merge(&tally, Span::either);
    }

    /// Blocks that run in order, any number of times.
    fn unknown_times(&mut self, blocks: &[&'a Block], var: Option<LocalId>) {
        let forget = |walker: &mut Self| {
            for block in blocks {
                crate::ir::visit(block, &mut |stmt| {
                    stmt.kind.for_each_dst(&mut |id| {
                        walker.values[id.0 as usize] = None;
                        walker.most[id.0 as usize] = None;
                        walker.elements[id.0 as usize] = None;
                    });
                });
            }
            if let Some(v) = var {
                (walker.values[v.0 as usize], walker.most[v.0 as usize]) = (None, None);
            }
        };
        forget(self);
        let (before, moving) = (self.tally.clone(), self.moving);
        // The second time may begin where the first has waited.
        self.moving.1 = false;
        blocks.iter().for_each(|block| self.block(block));
        self.moving = (self.moving.0 || moving.0, self.moving.1 && moving.1);
        self.tally.merge(&before, Span::repeated_since);
        forget(self);
    }

    fn op(&mut self, op: &'a Op) {
        let info = op.code.info();
        let peer = info.peer().map(|i| self.arg(op, i));
        let elements = match info.result {
            ResultKind::Box(_, shape) | ResultKind::Filled(shape) => self.box_elements(op, usize::from(shape)),
            ResultKind::Like(i) | ResultKind::CastOf(i) => {
                self.arg_local(op, usize::from(i)).and_then(|id| self.elements[id.0 as usize])
            }
            _ => None,
        };
        self.set_elements(op, elements);
        match info.cost {
            Cost::Push => {
                self.remote(op, peer.flatten(), true);
                if info.params.iter().any(|p| matches!(p.kind, ParamKind::Memory(Access::Notify, _))) {
                    self.notify(op, peer.flatten());
                }
            }
            Cost::Pull => {
                self.remote(op, peer.flatten(), false);
                self.stored(op);
            }
            Cost::Notify => self.notify(op, peer.flatten()),
            Cost::Wait => {
                self.moving = (false, false);
                if let Some(domain) = self.domain_of(op) {
                    self.tally.domains[domain.index].waits.add(Span::exactly(1));
                }
            }
            Cost::Local => self.stored(op),
            Cost::Composite { .. } => {}
        }
        if let Some(dst) = op.dst {
            let at = |wanted| info.params.iter().position(|p| p.kind == wanted);
            (self.values[dst.0 as usize], self.most[dst.0 as usize]) = match info.result {
                ResultKind::Rank => (self.context(op).and_then(|domain| Some(domain.rank? as i128)), None),
                ResultKind::Nranks => (self.context(op).map(|domain| domain.ranks as i128), None),
                // A number that is checked against a limit.
                ResultKind::Index => {
                    let value = at(ParamKind::I32).and_then(|i| self.arg(op, i)).filter(|value| *value >= 0);
                    (value, at(ParamKind::Index).and_then(|i| self.arg(op, i)))
                }
                _ => (None, None),
            };
        }
    }

    /// The domain of the window through which an op reaches its peer or its own cell.
    fn domain_of(&self, op: &Op) -> Option<Domain> {
        let shared = |(_, p): &(usize, &ParamInfo)| matches!(p.kind, ParamKind::Memory(_, Space::Window));
        let (index, _) = op.code.info().params.iter().enumerate().find(shared)?;
        let root = self.program.inferred.roots[self.arg_local(op, index)?.0 as usize]?;
        self.domain(root)
    }

    /// The domain whose context is the op's argument.
    fn context(&self, op: &Op) -> Option<Domain> {
        self.domain(self.program.inferred.contexts[self.arg_local(op, 0)?.0 as usize]?)
    }

    fn domain(&self, param: usize) -> Option<Domain> {
        let (index, _) = self.program.bindings.domain(param)?;
        self.domains.get(index).copied()
    }

    /// A box that comes from a peer, or goes to it; from and to the own rank it moves nothing.
    fn remote(&mut self, op: &Op, peer: Option<i128>, pushes: bool) {
        let Some(domain) = self.domain_of(op) else { return };
        if peer.is_some_and(|peer| domain.is_self(peer)) {
            return;
        }
        let bytes = self.moved(op).times(self.element_bytes(op));
        let tally = &mut self.tally;
        let counted = &mut tally.domains[domain.index];
        let (of_peers, bytes_here, transfers) = if pushes {
            (&mut counted.pushed, &mut tally.sent, &mut tally.remote_stores)
        } else {
            (&mut counted.pulled, &mut tally.received, &mut tally.remote_loads)
        };
        match peer.and_then(|peer| domain.peer(peer)) {
            Some(peer) => {
                of_peers[peer].add(bytes);
                bytes_here.add(bytes);
                transfers.add(Span::exactly(1));
                self.step(true);
            }
            None => {
                domain.peers().for_each(|p| of_peers[p].add(bytes.maybe()));
                bytes_here.add(bytes.maybe());
                transfers.add(Span::exactly(1).maybe());
                self.step(false);
            }
        }
    }

    /// The elements that a transfer moves: its box, a whole memory, or a tile.
    fn moved(&self, op: &Op) -> Span {
        let info = op.code.info();
        let memory = |index: usize| {
            let shaped = self.program.inferred.types[self.arg_local(op, index)?.0 as usize].shaped()?;
            Some(shaped.shape.iter().map(|extent| self.value(extent.as_ref()?).and_then(|e| u64::try_from(e).ok())))
        };
        let params = info.params.iter().enumerate();
        let boxes = params.clone().filter_map(|(at, p)| match p.kind {
            ParamKind::Shape(of) => Some((at, usize::from(of))),
            _ => None,
        });
        for (at, of) in boxes {
            let Some(extents) = memory(of) else { continue };
            let whole = extents.map(|extent| extent.map_or(Span { low: 0, high: u64::MAX }, Span::exactly));
            let ArgKind::List(list) = op.args.get(at).map_or(&ArgKind::Absent, |arg| &arg.kind) else {
                return whole.fold(Span::exactly(1), Span::times);
            };
            // A box that is not known is not larger than its memory.
            let extent = |(e, whole): (&Expr, Span)| match self.value(e).map(u64::try_from) {
                Some(Ok(extent)) => Span::exactly(extent),
                _ => {
                    let most = self.at_most(e).and_then(|most| u64::try_from(most).ok()).unwrap_or(u64::MAX);
                    Span { low: 0, high: most.min(whole.high) }
                }
            };
            return list.iter().zip(whole).map(extent).fold(Span::exactly(1), Span::times);
        }
        let tile = params.clone().find(|(_, p)| p.kind == ParamKind::Tile);
        let elements = tile.and_then(|(at, _)| self.elements[self.arg_local(op, at)?.0 as usize]);
        elements.map_or(Span { low: 0, high: u64::MAX }, Span::exactly)
    }

    /// Data moves, surely or possibly: a step begins, unless one is under way.
    fn step(&mut self, surely: bool) {
        let (least, most) = self.moving;
        self.tally.steps.add(Span { low: u64::from(surely && !least), high: u64::from(!most) });
        self.moving = (least || surely, true);
    }

    fn notify(&mut self, op: &Op, peer: Option<i128>) {
        let adds = ArgKind::Enum(EnumKind::NotifyOp, EnumValue::Known(NotifyOp::AtomicAdd.wire()));
        let adds = op.args.iter().any(|a| a.kind == adds);
        let value = op.code.info().params.iter().position(|p| p.kind == ParamKind::I32).and_then(|i| self.arg(op, i));
        let credit = match value.map(u64::try_from) {
            Some(Ok(value)) if adds => Span::exactly(value),
            Some(_) => Span::default(),
            None => Span { low: 0, high: u64::MAX },
        };
        let Some(domain) = self.domain_of(op) else { return };
        let counted = &mut self.tally.domains[domain.index];
        match peer {
            Some(peer) if domain.is_self(peer) => self.tally.self_notifies.add(Span::exactly(1)),
            Some(peer) => {
                if let Some(peer) = domain.peer(peer) {
                    counted.notified[peer].add(Span::exactly(1));
                    counted.deposited[peer].add(credit);
                }
            }
            None => {
                self.tally.self_notifies.add(Span { low: 0, high: 1 });
                for peer in domain.peers() {
                    counted.notified[peer].add(Span { low: 0, high: 1 });
                    counted.deposited[peer].add(Span { low: 0, ..credit });
                }
            }
        }
    }

    /// Elements that an op stores into a tensor.
    fn stored(&mut self, op: &Op) {
        for (index, param) in op.code.info().params.iter().enumerate() {
            let ParamKind::Memory(access, _) = param.kind else { continue };
            let root = self.arg_local(op, index).and_then(|id| self.program.inferred.roots[id.0 as usize]);
            let Some(root) = root.map(|r| &self.function.params[r]) else { continue };
            if access.writes() && matches!(root.ty, Type::Tensor(_)) && root.mode != Mode::In {
                let one =
                    !op.code.info().params.iter().any(|p| matches!(p.kind, ParamKind::Tile | ParamKind::Shape(_)));
                let elements = if one { Span::exactly(1) } else { self.moved(op) };
                self.tally.result_elements.add(elements);
            }
        }
    }

    fn set_elements(&mut self, op: &Op, elements: Option<u64>) {
        if let Some(dst) = op.dst {
            self.elements[dst.0 as usize] = elements;
        }
    }

    fn arg_local(&self, op: &Op, index: usize) -> Option<LocalId> {
        op.args.get(index)?.as_local()
    }

    fn arg(&self, op: &Op, index: usize) -> Option<i128> {
        match &op.args.get(index)?.kind {
            ArgKind::Value(expr) => self.value(expr),
            _ => None,
        }
    }

    fn box_elements(&self, op: &Op, shape: usize) -> Option<u64> {
        let ArgKind::List(list) = &op.args.get(shape)?.kind else { return None };
        list.iter().try_fold(1u64, |n, e| n.checked_mul(u64::try_from(self.value(e)?).ok()?))
    }

    /// The bytes of an element of the window that an op reaches.
    fn element_bytes(&self, op: &Op) -> Span {
        let shared = |p: &ParamInfo| matches!(p.kind, ParamKind::Memory(_, Space::Window));
        let memory = op.code.info().params.iter().position(shared).and_then(|i| self.arg_local(op, i));
        let shaped = memory.and_then(|id| self.program.inferred.types.get(id.0 as usize)?.shaped());
        match shaped.map(|shaped| &shaped.elem) {
            Some(Elem::Known(dtype)) => Span::exactly(dtype.bytes() as u64),
            _ => Span { low: 0, high: u64::MAX },
        }
    }

    /// The most that an index expression can be, where that is known. An index is never negative.
    fn at_most(&self, expr: &Expr) -> Option<i128> {
        if let Some(value) = self.value(expr) {
            return Some(value);
        }
        match &expr.kind {
            ExprKind::Local(id) => self.most[id.0 as usize],
            ExprKind::Binary(BinOp::Add, a, b) => self.at_most(a)?.checked_add(self.at_most(b)?),
            ExprKind::Binary(BinOp::Mul, a, b) => self.at_most(a)?.checked_mul(self.at_most(b)?),
            ExprKind::Binary(BinOp::Min, a, b) => match (self.at_most(a), self.at_most(b)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            _ => None,
        }
    }

    /// The value of an integer or truth expression, where it is known and does not fail.
    fn value(&self, expr: &Expr) -> Option<i128> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Int(v), .. } => Some(*v),
            ExprKind::Lit { value: Lit::Bool(b), .. } => Some(i128::from(*b)),
            ExprKind::Lit { value: Lit::Float(_), .. } => None,
            ExprKind::Local(id) => self.values[id.0 as usize],
            ExprKind::Name(name) => self.function.value_of_name(name, Some(&self.program.bindings)),
            ExprKind::Extent(..) => None,
            ExprKind::Unary(UnOp::Neg, a) => self.value(a)?.checked_neg(),
            ExprKind::Unary(UnOp::Not, a) => self.value(a).map(|v| i128::from(v == 0)),
            ExprKind::Cast(ty, a) => {
                let value = self.value(a)?;
                let fits = match ty {
                    ScalarType::Index => value >= 0 && i64::try_from(value).is_ok(),
                    ScalarType::Elem(Elem::Known(dtype)) => {
                        dtype.int_range().is_some_and(|(l, h)| (l..=h).contains(&value))
                    }
                    ScalarType::Bool => true,
                    ScalarType::Elem(Elem::Param(_)) => false,
                };
                fits.then_some(value)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<i128> {
        let left = self.value(a);
        match (op, left) {
            (BinOp::And, Some(0)) => return Some(0),
            (BinOp::Or, Some(1..)) => return Some(1),
            _ => {}
        }
        let (a, b) = (left?, self.value(b)?);
        let truth = |t: bool| Some(i128::from(t));
        match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            BinOp::Div => a.checked_div(b),
            BinOp::Rem => a.checked_rem(b),
            BinOp::Min => Some(a.min(b)),
            BinOp::Max => Some(a.max(b)),
            BinOp::Eq => truth(a == b),
            BinOp::Ne => truth(a != b),
            BinOp::Lt => truth(a < b),
            BinOp::Le => truth(a <= b),
            BinOp::Gt => truth(a > b),
            BinOp::Ge => truth(a >= b),
            BinOp::And => truth(a != 0 && b != 0),
            BinOp::Or => truth(a != 0 || b != 0),
        }
    }
}

/// Forgets what the two sides of a branch do not agree on.
fn agree<T: PartialEq + Copy>(here: &mut [Option<T>], there: &[Option<T>]) {
    for (a, b) in here.iter_mut().zip(there) {
        if *a != *b {
            *a = None;
        }
    }
}
