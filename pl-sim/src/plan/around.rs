//! Loops that do nothing but notify cells of a signal, or wait for them, as a barrier has them: the op of such a loop goes on with the rounds that follow.

use super::{Inst, Plan, Reg};
use pl_core::ir::BinOp;

/// The loop around an op on a signal cell, which does nothing else: its rounds differ in the variable alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Around {
    /// Its head; its end stands behind the op.
    pub(crate) head: u32,
    pub(crate) counter: Reg,
    pub(crate) step: Reg,
    pub(crate) end: Reg,
    pub(crate) var: Reg,
    /// The comparison that a round must pass to come to the op: one side of it is the variable.
    pub(crate) guard: Option<Guard>,
    /// Whether the variable is whose cell it is.
    pub(crate) is_peer: bool,
    /// How far the cell of one round lies behind that of the round before it, for each that the variable counts.
    pub(crate) stride: u64,
    /// The variable is less than this wherever the offsets that it gives are in bounds.
    pub(crate) extent: u64,
}

/// A comparison of the variable of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guard {
    pub(crate) op: BinOp,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

/// Finds the loops around the ops on signal cells.
pub(super) fn find(plan: &mut Plan) {
    for at in 0..plan.code.len() {
        if let Inst::Notify { signal } | Inst::Wait { signal } = plan.code[at] {
            plan.signals[signal as usize].around = around(plan, at, signal);
        }
    }
}

/// The loop around the op at `at`.
fn around(plan: &Plan, at: usize, signal: u32) -> Option<Around> {
    let &Inst::Next { counter, step, end, var, head } = plan.code.get(at + 1)? else { return None };
    let body = plan.code.get(head as usize + 1..at)?;
    let (guard, scalars) = match body {
        [Inst::UnlessIndex { op, a, b, to }, scalars @ ..] if *to as usize == at + 1 && (*a == var) != (*b == var) => {
            (Some(Guard { op: *op, a: *a, b: *b }), scalars)
        }
        scalars => (None, scalars),
    };
    // What they compute is the same in each round.
    let mut computed = vec![];
    for inst in scalars {
        computed.push(inst.computes()?.0);
    }
    let varies = |reg: Reg| reg == var || reg == counter || computed.contains(&reg);
    if scalars.iter().filter_map(|inst| inst.computes()).any(|(_, read)| read.into_iter().flatten().any(varies)) {
        return None;
    }
    let signal = &plan.signals[signal as usize];
    let other = |reg: Reg| reg != var && varies(reg);
    let guards = guard.iter().flat_map(|guard| [guard.a, guard.b]);
    let read = guards.chain([step, end]).chain(signal.peer).chain(signal.axes.iter().map(|axis| axis.offset));
    if read.into_iter().any(other) || signal.value == var || signal.value == counter || step == var || end == var {
        return None;
    }
    let counted = signal.axes.iter().filter(|axis| axis.offset == var);
    Some(Around {
        head,
        counter,
        step,
        end,
        var,
        guard,
        is_peer: signal.peer == Some(var),
        stride: counted.clone().map(|axis| axis.stride).sum(),
        extent: counted.map(|axis| axis.extent).min().unwrap_or(u64::MAX),
    })
}
