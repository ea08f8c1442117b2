//! Walking over statements.

use super::{Arg, Call, Expr, LocalId, Op, Stmt, StmtKind};

impl StmtKind {
    /// Calls `f` for each local that this statement itself assigns; loop variables and nested blocks do not count.
    pub fn for_each_dst(&self, f: &mut dyn FnMut(LocalId)) {
        match self {
            StmtKind::Assign { dst, .. } => f(*dst),
            StmtKind::Op(op) => op.dst.iter().for_each(|d| f(*d)),
            StmtKind::Call(call) => call.dsts.iter().for_each(|d| f(*d)),
            _ => {}
        }
    }

    /// Calls `f` for each expression of this statement itself; nested blocks do not count.
    pub fn for_each_expr(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            StmtKind::Assign { value, .. } => f(value),
            StmtKind::Op(Op { args, .. }) => args.iter().flat_map(Arg::exprs).for_each(f),
            StmtKind::Call(Call { args, device, .. }) => args.iter().flat_map(Arg::exprs).chain(device).for_each(f),
            StmtKind::Check { ty, .. } => {
                ty.shaped().into_iter().flat_map(|s| s.shape.iter().flatten()).for_each(f);
            }
            StmtKind::For { start, end, step, .. } => [start, end, step].into_iter().for_each(f),
            StmtKind::While { cond, .. } | StmtKind::If { cond, .. } => f(cond),
            StmtKind::Return(values) => values.iter().for_each(f),
        }
    }

    /// The nested blocks.
    pub fn blocks(&self) -> [&[Stmt]; 2] {
        match self {
            StmtKind::For { body, .. } => [body, &[]],
            StmtKind::While { pre, body, .. } => [pre, body],
            StmtKind::If { then, els, .. } => [then, els],
            _ => [&[], &[]],
        }
    }
}

/// Calls `f` for each statement of a block and of the blocks nested in it, in the order of the text.
pub fn visit<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        for nested in stmt.kind.blocks() {
            visit(nested, f);
        }
    }
}

/// Whether a block holds calls outside of loops in it. In a `Host` function, a loop with such a body launches its calls together, when it ends.
pub fn dispatches(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Call(_) => true,
        StmtKind::If { then, els, .. } => dispatches(then) || dispatches(els),
        _ => false,
    })
}
