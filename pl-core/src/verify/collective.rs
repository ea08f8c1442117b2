//! Collectives under conditions that differ between ranks.
//!
//! Every rank of a domain calls the same collectives in the same order. A branch or a loop whose condition is visibly made from the own rank breaks
//! that when its sides call different ones. What cannot be seen here (a value that was read, a loop whose count only the run knows) the run finds.

use super::{Checker, Moment};
use crate::diag::Diagnostic;
use crate::ir::{Arg, Expr, ExprKind, Lit, Loc, LocalId, Op, Stmt, StmtKind};
use crate::op::{OpCode, ParamKind, Space};
use std::collections::{BTreeMap, BTreeSet};

/// What a block does, as far as collectives go.
enum Step<'a> {
    Collective(&'a Op, Loc),
    /// Statements that run any number of times, and whether that is at least once; two with the same head run as often.
    Repeat(Vec<&'a Expr>, Vec<Step<'a>>, bool),
    Branch(&'a Expr, Vec<Step<'a>>, Vec<Step<'a>>),
    /// A function that is not known yet.
    Call,
}

/// Whether two sides call the same collectives.
enum Comparison<'a> {
    Same,
    Unknown,
    /// What the two sides call in one place, where they call something.
    Differ(Option<(&'a Op, Loc)>, Option<(&'a Op, Loc)>),
}

impl<'a> Checker<'a> {
    /// Checks the branches and loops of the body.
    pub(super) fn check_collectives(&mut self) {
        let mut collectives = false;
        crate::ir::visit(&self.function.body, &mut |stmt| {
            collectives |= matches!(&stmt.kind, StmtKind::Op(op) if op.code.is_composite());
        });
        if collectives {
            let ranks = self.made_from_rank();
            self.check_ranks(&self.function.body, &ranks);
        }
    }

    /// For each local: the parameters from the rank in whose domains its value is made, whichever of its assignments gave it.
    fn made_from_rank(&self) -> Vec<BTreeSet<usize>> {
        let mut ranks: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.function.locals.len()];
        loop {
            let before = ranks.clone();
            crate::ir::visit(&self.function.body, &mut |stmt| match &stmt.kind {
                StmtKind::Assign { dst, value } => {
                    let from = sources(value, &before);
                    ranks[dst.0 as usize].extend(from);
                }
                StmtKind::Op(Op { code: OpCode::Rank, dst: Some(dst), args, .. }) => {
                    let context = args.first().and_then(Arg::as_local);
                    ranks[dst.0 as usize].extend(context.and_then(|id| self.contexts[id.0 as usize]));
                }
                StmtKind::For { var, start, end, step, .. } => {
                    for bound in [start, end, step] {
                        let from = sources(bound, &before);
                        ranks[var.0 as usize].extend(from);
                    }
                }
                StmtKind::If { cond, then, els } => {
                    let from = sources(cond, &before);
                    for dst in self.told_apart(then, els).filter(|_| !from.is_empty()) {
                        ranks[dst.0 as usize].extend(&from);
                    }
                }
                _ => {}
            });
            if ranks == before {
                break;
            }
        }
        // A variable that is given something else, too, may hold that.
        loop {
            let before = ranks.clone();
            let chosen = self.chosen_by_branches(&before);
            crate::ir::visit(&self.function.body, &mut |stmt| {
                stmt.kind.for_each_dst(&mut |dst| {
                    let from_rank = match &stmt.kind {
                        StmtKind::Assign { value, .. } => !sources(value, &before).is_empty() || chosen.contains(&dst),
                        StmtKind::Op(op) => op.code == OpCode::Rank,
                        _ => false,
                    };
                    if !from_rank {
                        ranks[dst.0 as usize].clear();
                    }
                });
            });
            if ranks == before {
                return ranks;
            }
        }
    }

    /// The locals that the two sides of a branch give different constants, and that nothing else assigns.
    fn told_apart<'b>(&'b self, then: &'b [Stmt], els: &'b [Stmt]) -> impl Iterator<Item = LocalId> + 'b {
        let constants = |block: &'b [Stmt]| {
            block.iter().filter_map(|stmt| match &stmt.kind {
                StmtKind::Assign { dst, value } => Some((*dst, constant(value)?)),
                _ => None,
            })
        };
        let others: BTreeMap<LocalId, Lit> = constants(els).collect();
        constants(then).filter_map(move |(dst, one)| {
            let other = others.get(&dst)?;
            (one != *other && self.assignments[dst.0 as usize] == 2).then_some(dst)
        })
    }

    /// The locals between whose only two values a branch on the rank chooses.
    fn chosen_by_branches(&self, ranks: &[BTreeSet<usize>]) -> BTreeSet<LocalId> {
        let mut chosen = BTreeSet::new();
        crate::ir::visit(&self.function.body, &mut |stmt| {
            if let StmtKind::If { cond, then, els } = &stmt.kind
                && !sources(cond, ranks).is_empty()
            {
                chosen.extend(self.told_apart(then, els));
            }
        });
        chosen
    }

    fn check_ranks(&mut self, block: &'a [Stmt], ranks: &[BTreeSet<usize>]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::If { cond, then, els } => {
                    let from = sources(cond, ranks);
                    if !from.is_empty() && self.known().truth(cond).is_none() {
                        let (then, els) = (self.steps(then, &from), self.steps(els, &from));
                        if let Comparison::Differ(a, b) = self.compare(&then, &els) {
                            self.report_branch(cond.loc.or(stmt.loc), a, b);
                            continue;
                        }
                    }
                }
                StmtKind::For { start, end, step, body, .. } => {
                    let from: BTreeSet<usize> =
                        [start, end, step].into_iter().flat_map(|e| sources(e, ranks)).collect();
                    if !from.is_empty() {
                        let steps = self.steps(body, &from);
                        self.report_loop(stmt.loc, &steps);
                    }
                }
                StmtKind::While { cond, body, .. } => {
                    let from = sources(cond, ranks);
                    if !from.is_empty() {
                        let steps = self.steps(body, &from);
                        self.report_loop(cond.loc.or(stmt.loc), &steps);
                    }
                }
                _ => {}
            }
            for nested in stmt.kind.blocks() {
                self.check_ranks(nested, ranks);
            }
        }
    }

    fn report_branch(&mut self, loc: Loc, a: Option<(&Op, Loc)>, b: Option<(&Op, Loc)>) {
        let name = |side: Option<(&Op, Loc)>| match side {
            Some((op, _)) => format!("`{}`", op.code.path()),
            None => "none".into(),
        };
        let same = a.zip(b).is_some_and(|((a, _), (b, _))| a.code == b.code);
        let what = match (a, same) {
            (Some((op, _)), true) => format!("`{}` with different arguments", op.code.path()),
            _ => format!("different collectives: {} and {}", name(a), name(b)),
        };
        let mut diagnostic = Diagnostic::new(
            loc,
            format!("a branch on the rank whose two sides call {what}"),
            "every rank of a domain calls the same collectives in the same order: call them outside of the branch; if rank and \
             collective are of different domains, take `pld::get_comm_ctx` of a window of each",
        );
        for (op, at) in [a, b].into_iter().flatten() {
            diagnostic = diagnostic.with(at, format!("`{}` is called here", op.code.path()));
        }
        self.report(diagnostic);
    }

    fn report_loop(&mut self, loc: Loc, steps: &[Step<'_>]) {
        if let Some((op, at)) = first_certain(steps) {
            let path = op.code.path();
            self.report(
                Diagnostic::new(
                    loc,
                    format!("a loop that runs as often as the rank says calls `{path}`"),
                    "every rank of a domain calls the same collectives as often as the others: let the loop run equally often on all",
                )
                .with(at, format!("`{path}` is called here")),
            );
        }
    }

    /// What a block does with the collectives of the domains that these parameters' windows belong to.
    fn steps(&self, block: &'a [Stmt], of: &BTreeSet<usize>) -> Vec<Step<'a>> {
        let mut steps = vec![];
        for stmt in block {
            match &stmt.kind {
                StmtKind::Op(op) if op.code.is_composite() && self.concerns(op, of) => {
                    steps.push(Step::Collective(op, stmt.loc));
                }
                StmtKind::Call(_) => steps.push(Step::Call),
                StmtKind::For { start, end, step, body, .. } => {
                    let once = self.steps(body, of);
                    if once.is_empty() {
                        continue;
                    }
                    // Few enough are written out.
                    match self.repetitions(start, end, step).filter(|count| count.saturating_mul(once.len()) <= 64) {
                        Some(count) => (0..count).for_each(|_| steps.extend(self.steps(body, of))),
                        None => {
                            let runs = self.known().index(start) == Some(0) && self.is_dim(end);
                            steps.push(Step::Repeat(vec![start, end, step], once, runs));
                        }
                    }
                }
                StmtKind::While { pre, cond, body } => {
                    let body: Vec<_> = self.steps(pre, of).into_iter().chain(self.steps(body, of)).collect();
                    if !body.is_empty() {
                        steps.push(Step::Repeat(vec![cond], body, false));
                    }
                }
                StmtKind::If { cond, then, els } => {
                    let (then, els) = (self.steps(then, of), self.steps(els, of));
                    match self.known().truth(cond) {
                        Some(true) => steps.extend(then),
                        Some(false) => steps.extend(els),
                        None if then.is_empty() && els.is_empty() => {}
                        None => steps.push(Step::Branch(cond, then, els)),
                    }
                }
                _ => {}
            }
        }
        steps
    }

    /// How often a loop runs, where that is known.
    fn repetitions(&self, start: &Expr, end: &Expr, step: &Expr) -> Option<usize> {
        let (start, end, step) = (self.known().index(start)?, self.known().index(end)?, self.known().index(step)?);
        let past = (end - start).max(0).checked_add(step - 1)?;
        usize::try_from(past.checked_div(step)?).ok()
    }

    /// Whether a collective is one of a domain that a rank is of. Before the windows are known, windows that one collective takes are of one domain, and
    /// all are when the function asks for one context only.
    fn concerns(&self, op: &Op, of: &BTreeSet<usize>) -> bool {
        let windows = self.shared_windows(op);
        if let Moment::Bound(bindings) = self.moment {
            let domain = |param: &usize| bindings.domain(*param).map(|(domain, _)| domain);
            return windows.iter().any(|w| of.iter().any(|p| domain(p).is_some() && domain(p) == domain(w)));
        }
        let mut group: BTreeSet<usize> = windows.into_iter().collect();
        let mut contexts: BTreeSet<usize> = self.contexts.iter().flatten().copied().collect();
        loop {
            let before = group.len();
            crate::ir::visit(&self.function.body, &mut |stmt| {
                if let StmtKind::Op(other) = &stmt.kind
                    && other.code.is_composite()
                {
                    let windows = self.shared_windows(other);
                    if windows.iter().any(|w| group.contains(w)) {
                        group.extend(windows);
                    }
                }
            });
            if group.len() == before {
                break;
            }
        }
        if of.iter().any(|p| group.contains(p)) {
            return true;
        }
        // A rank of windows that other collectives share may be one of another domain: that is known once the windows are.
        let mut others = false;
        crate::ir::visit(&self.function.body, &mut |stmt| {
            if let StmtKind::Op(other) = &stmt.kind
                && other.code.is_composite()
            {
                others |= self.shared_windows(other).iter().any(|w| of.contains(w));
            }
        });
        if others {
            return false;
        }
        contexts.retain(|p| !group.contains(p));
        // A context of the collective's own windows says that the other one is of another domain.
        let own = self.contexts.iter().flatten().any(|p| group.contains(p));
        !own && contexts.len() == 1
    }

    /// The parameters whose windows a collective shares with the peers.
    fn shared_windows(&self, op: &Op) -> Vec<usize> {
        let params = op.code.info().params.iter().zip(&op.args);
        let windows = params.filter(|(p, _)| matches!(p.kind, ParamKind::Memory(_, Space::Window)));
        windows.filter_map(|(_, arg)| self.aliases[arg.as_local()?.0 as usize]).collect()
    }

    fn compare<'s>(&self, a: &'s [Step<'a>], b: &'s [Step<'a>]) -> Comparison<'a> {
        for at in 0..a.len().max(b.len()) {
            let here = match (a.get(at), b.get(at)) {
                (Some(Step::Call), _) | (_, Some(Step::Call)) => return Comparison::Unknown,
                (Some(Step::Collective(x, at)), Some(Step::Collective(y, also))) => {
                    self.compare_calls((x, *at), (y, *also))
                }
                (Some(Step::Repeat(x, inner, _)), Some(Step::Repeat(y, other, _))) if x == y => {
                    self.compare(inner, other)
                }
                (Some(Step::Branch(x, t, e)), Some(Step::Branch(y, u, f))) if x == y => match self.compare(t, u) {
                    Comparison::Same => self.compare(e, f),
                    other => other,
                },
                (Some(_), None) => match first_certain(&a[at..]) {
                    Some(call) => Comparison::Differ(Some(call), None),
                    None => Comparison::Unknown,
                },
                (None, Some(_)) => match first_certain(&b[at..]) {
                    Some(call) => Comparison::Differ(None, Some(call)),
                    None => Comparison::Unknown,
                },
                _ => Comparison::Unknown,
            };
            if !matches!(here, Comparison::Same) {
                return here;
            }
        }
        Comparison::Same
    }

    fn compare_calls(&self, a: (&'a Op, Loc), b: (&'a Op, Loc)) -> Comparison<'a> {
        if a.0.code != b.0.code {
            return Comparison::Differ(Some(a), Some(b));
        }
        let mut all = Comparison::Same;
        for ((x, y), param) in a.0.args.iter().zip(&b.0.args).zip(a.0.code.info().params) {
            let differ = match param.kind {
                ParamKind::Enum(_) => self.wire_value(x).zip(self.wire_value(y)).map(|(x, y)| x != y),
                ParamKind::Peer => {
                    let poly = |arg: &Arg| self.resolved_poly(arg.exprs().first()?)?.as_constant();
                    if x == y { Some(false) } else { poly(x).zip(poly(y)).map(|(x, y)| x != y) }
                }
                // Two parameters may be given one window.
                ParamKind::Memory(_, Space::Window) => {
                    let root = |arg: &Arg| self.aliases[arg.as_local()?.0 as usize];
                    (root(x) == root(y)).then_some(false)
                }
                _ => Some(false),
            };
            match differ {
                Some(true) => return Comparison::Differ(Some(a), Some(b)),
                Some(false) => {}
                None => all = Comparison::Unknown,
            }
        }
        all
    }
}

/// The first collective that certainly runs when the steps do.
fn first_certain<'a>(steps: &[Step<'a>]) -> Option<(&'a Op, Loc)> {
    steps.iter().find_map(|step| match step {
        Step::Collective(op, loc) => Some((*op, *loc)),
        Step::Repeat(_, body, true) => first_certain(body),
        _ => None,
    })
}

/// The value of an assignment that is nothing but a number or a truth value.
fn constant(value: &Expr) -> Option<Lit> {
    match &value.kind {
        ExprKind::Lit { value, .. } => Some(*value),
        _ => None,
    }
}

/// The parameters from the rank in whose domains an expression is made.
fn sources(expr: &Expr, ranks: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut from = BTreeSet::new();
    expr.walk(&mut |e| {
        if let Some(set) = e.as_local().and_then(|id| ranks.get(id.0 as usize)) {
            from.extend(set);
        }
    });
    from
}
