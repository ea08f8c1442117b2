//! Makes what the passes wrote read like a function that someone wrote: one query of a fact, locals numbered and named as they appear.

use super::simplify::{blocks_mut, map_exprs, visit_mut};
use crate::ir::{Block, Expr, ExprKind, Function, Local, LocalId, Stmt, StmtKind, Type};
use crate::op::{OpCode, ResultKind};
use std::collections::BTreeMap;

/// What a query of the domain asks: the context of a parameter's window, or the rank or size of a context.
type Query = (OpCode, usize);

/// Asks for a context, the own rank and the number of ranks once: later queries use the first answer.
pub(super) fn merge_queries(function: &mut Function, roots: &[Option<usize>]) {
    let mut assigned = vec![0u32; function.locals.len()];
    crate::ir::visit(&function.body, &mut |stmt| stmt.kind.for_each_dst(&mut |id| assigned[id.0 as usize] += 1));
    let mut merge =
        Merge { roots, once: assigned.iter().map(|n| *n == 1).collect(), answers: vec![], same: BTreeMap::new() };
    let mut body = std::mem::take(&mut function.body);
    merge.block(&mut body);
    let same = merge.same;
    let rename = |id: LocalId| same.get(&id).copied().unwrap_or(id);
    visit_mut(&mut body, &mut |stmt| map_exprs(&mut stmt.kind, &mut |e| rename_in(e, &rename)));
    function.body = body;
}

fn rename_in(mut e: Expr, rename: &dyn Fn(LocalId) -> LocalId) -> Expr {
    match &mut e.kind {
        ExprKind::Local(id) | ExprKind::Extent(id, _) => *id = rename(*id),
        _ => {}
    }
    e
}

struct Merge<'a> {
    roots: &'a [Option<usize>],
    /// Locals that are assigned once: an answer that stays.
    once: Vec<bool>,
    /// Answers that are there on every path to here.
    answers: Vec<(Query, LocalId)>,
    same: BTreeMap<LocalId, LocalId>,
}

impl Merge<'_> {
    fn block(&mut self, block: &mut Block) {
        let outer = self.answers.len();
        block.retain_mut(|stmt| {
            if let StmtKind::Op(op) = &stmt.kind
                && let (Some(dst), Some(query)) = (op.dst, self.query(op))
                && self.once[dst.0 as usize]
            {
                if let Some((_, answer)) = self.answers.iter().find(|(q, _)| *q == query) {
                    self.same.insert(dst, *answer);
                    return false;
                }
                self.answers.push((query, dst));
            }
            for nested in blocks_mut(&mut stmt.kind) {
                self.block(nested);
            }
            true
        });
        self.answers.truncate(outer);
    }

    fn query(&self, op: &crate::ir::Op) -> Option<Query> {
        let id = op.args.first()?.as_local()?;
        match op.code.info().result {
            ResultKind::Context => Some((op.code, self.roots.get(id.0 as usize).copied()??)),
            ResultKind::Rank | ResultKind::Nranks => {
                let context = self.same.get(&id).copied().unwrap_or(id);
                self.once.get(context.0 as usize)?.then_some((op.code, context.0 as usize))
            }
            _ => None,
        }
    }
}

/// Takes out what inlining a helper leaves behind: checks that say nothing, copies that are overwritten at once, and names that only hand a
/// result on.
pub(super) fn plain_copies(function: &mut Function, types: &[Type]) {
    drop_overwritten(&mut function.body, types);
    let mut assigned = vec![0u32; function.locals.len()];
    let mut used = vec![0u32; function.locals.len()];
    crate::ir::visit(&function.body, &mut |stmt| {
        stmt.kind.for_each_dst(&mut |id| assigned[id.0 as usize] += 1);
        stmt.kind.for_each_expr(&mut |e| count_uses(e, &mut used));
        if let StmtKind::Check { local, .. } = stmt.kind {
            used[local.0 as usize] += 1;
        }
    });
    hand_on(&mut function.body, &|id| assigned[id.0 as usize] == 1 && used[id.0 as usize] == 1);
}

fn count_uses(e: &Expr, used: &mut [u32]) {
    e.walk(&mut |e| {
        if let ExprKind::Local(id) | ExprKind::Extent(id, _) = e.kind {
            used[id.0 as usize] += 1;
        }
    });
}

fn drop_overwritten(block: &mut Block, types: &[Type]) {
    block.retain(|stmt| match &stmt.kind {
        StmtKind::Check { local, ty } => {
            let known = !matches!(types.get(local.0 as usize), None | Some(Type::Unknown));
            let open = ty.shaped().is_some_and(|s| s.shape.iter().all(Option::is_none));
            !(known && open)
        }
        _ => true,
    });
    for at in (1..block.len()).rev() {
        let (before, after) = (&block[at - 1].kind, &block[at].kind);
        let StmtKind::Assign { dst, value } = before else { continue };
        let overwritten = matches!(after, StmtKind::Op(op) if op.dst == Some(*dst)) && value.as_local().is_some();
        let mut read = vec![0; types.len()];
        after.for_each_expr(&mut |e| count_uses(e, &mut read));
        if overwritten && read[dst.0 as usize] == 0 {
            block.remove(at - 1);
        }
    }
    for stmt in block {
        for nested in blocks_mut(&mut stmt.kind) {
            drop_overwritten(nested, types);
        }
    }
}

/// `t = op(…)`, `x = t` becomes `x = op(…)`.
fn hand_on(block: &mut Block, once: &dyn Fn(LocalId) -> bool) {
    for at in (1..block.len()).rev() {
        let StmtKind::Assign { dst, value } = &block[at].kind else { continue };
        let (dst, value) = (*dst, value.as_local());
        if let StmtKind::Op(op) = &mut block[at - 1].kind
            && op.dst.is_some()
            && op.dst == value
            && value.is_some_and(once)
        {
            op.dst = Some(dst);
            block.remove(at);
        }
    }
    for stmt in block {
        for nested in blocks_mut(&mut stmt.kind) {
            hand_on(nested, once);
        }
    }
}

/// Numbers the locals in the order in which the text shows them, drops those that it does not, and gives the first of one name that name.
pub(super) fn renumber(function: &mut Function) {
    let mut order: Vec<LocalId> = function.params.iter().map(|p| p.local).collect();
    let mut seen: Vec<bool> = vec![false; function.locals.len()];
    order.iter().for_each(|id| seen[id.0 as usize] = true);
    let mut see = |id: LocalId| {
        if let Some(seen) = seen.get_mut(id.0 as usize)
            && !std::mem::replace(seen, true)
        {
            order.push(id);
        }
    };
    see_block(&function.body, &mut see);
    let old = std::mem::take(&mut function.locals);
    let mut new_id = vec![LocalId(0); old.len()];
    let mut used: BTreeMap<&str, u32> = BTreeMap::new();
    for id in order {
        let Local { name, loc } = &old[id.0 as usize];
        let stem = stem(name);
        let count = used.entry(stem).or_insert(0);
        let name = if *count == 0 { stem.into() } else { format!("{stem}.{count}").into() };
        *count += 1;
        new_id[id.0 as usize] = LocalId(function.locals.len() as u32);
        function.locals.push(Local { name, loc: *loc });
    }
    let rename = |id: LocalId| new_id.get(id.0 as usize).copied().unwrap_or(id);
    function.params.iter_mut().for_each(|p| p.local = rename(p.local));
    visit_mut(&mut function.body, &mut |stmt| {
        map_exprs(&mut stmt.kind, &mut |e| rename_in(e, &rename));
        match &mut stmt.kind {
            StmtKind::Assign { dst, .. } => *dst = rename(*dst),
            StmtKind::Op(op) => op.dst = op.dst.map(rename),
            StmtKind::Call(call) => call.dsts.iter_mut().for_each(|d| *d = rename(*d)),
            StmtKind::Check { local, .. } => *local = rename(*local),
            StmtKind::For { var, .. } => *var = rename(*var),
            _ => {}
        }
    });
}

/// Calls `see` for the locals of a block in the order in which the text shows them.
fn see_block(block: &[Stmt], see: &mut dyn FnMut(LocalId)) {
    let see_expr =
        |e: &Expr, see: &mut dyn FnMut(LocalId)| e.walk(&mut |e| locals_of(e).into_iter().for_each(&mut *see));
    for stmt in block {
        stmt.kind.for_each_dst(see);
        match &stmt.kind {
            StmtKind::For { var, .. } => see(*var),
            StmtKind::Check { local, .. } => see(*local),
            StmtKind::While { pre, cond, body } => {
                see_block(pre, see);
                see_expr(cond, see);
                see_block(body, see);
                continue;
            }
            _ => {}
        }
        stmt.kind.for_each_expr(&mut |e| see_expr(e, see));
        for nested in stmt.kind.blocks() {
            see_block(nested, see);
        }
    }
}

/// A name without the number that made it unique.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, number)) if !stem.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

fn locals_of(e: &Expr) -> Option<LocalId> {
    match e.kind {
        crate::ir::ExprKind::Local(id) | crate::ir::ExprKind::Extent(id, _) => Some(id),
        _ => None,
    }
}
