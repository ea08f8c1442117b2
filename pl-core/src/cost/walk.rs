//! The walk of one rank through its program, with the values that are known before the run.

use super::RankProgram;
use super::tally::{DomainTally, Span, Tally};
use crate::bind::Program;
use crate::ir::{
    ArgKind, BinOp, Block, Elem, EnumValue, Expr, ExprKind, Function, Lit, LocalId, Mode, Op, ScalarType, Stmt,
    StmtKind, Type, UnOp,
};
use crate::op::{Access, Cost, EnumKind, NotifyOp, ParamInfo, ParamKind, ResultKind, Space};
use std::sync::Arc;

/// The most statements that are walked for one rank; loops beyond are counted as unknown.
const MAX_STEPS: u64 = 100_000_000;

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
pub(super) struct Walker<'a> {
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
    /// A walk of a rank's program.
    pub(super) fn new(call: &RankProgram<'a>) -> Walker<'a> {
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

    /// Walks the program: what it costs.
    pub(super) fn walk(mut self) -> Tally {
        self.block(&self.function.body);
        self.tally
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
