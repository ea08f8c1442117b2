//! Loops that do nothing but notify cells of a signal, or wait for them, as a barrier has them: the op of such a loop goes on with the rounds that follow.

use super::{Inst, Plan, Reg};
use pl_core::ir::BinOp;

/// The loop around an op on a signal cell, which does nothing else but compute scalars that are the same in each round: what differs is the variable.
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
    let signal = &plan.signals[signal as usize];
    let &Inst::Next { counter, step, end, var, head } = plan.code.get(at + 1)? else { return None };
    let body = plan.code.get(head as usize + 1..at)?;
    let (guard, scalars) = match body {
        [Inst::UnlessIndex { op, a, b, to }, scalars @ ..] if *to as usize == at + 1 && (*a == var) != (*b == var) => {
            (Some(Guard { op: *op, a: *a, b: *b }), scalars)
        }
        scalars => (None, scalars),
    };
    let computed = scalars.iter().map(|inst| inst.computes()).collect::<Option<Vec<_>>>()?;
    let is_computed = |reg: Reg| computed.iter().any(|(dst, _)| *dst == reg);
    let varies = |reg: Reg| reg == var || reg == counter;
    // A body may compute what the op takes, if that is the same in each round. It may also give the variable another value.
    let mut read = computed.iter().flat_map(|(_, read)| read.iter().flatten().copied());
    if read.any(|reg| varies(reg) || is_computed(reg)) || is_computed(var) || is_computed(counter) {
        return None;
    }
    // Whether there is a next round, and whether that comes to the op, is found out before the body computes anything.
    if [step, end].into_iter().any(|reg| varies(reg) || is_computed(reg)) {
        return None;
    }
    if guard.is_some_and(|guard| [guard.a, guard.b].into_iter().any(|reg| reg == counter || is_computed(reg))) {
        return None;
    }
    if signal.peer.into_iter().chain(signal.axes.iter().map(|axis| axis.offset)).any(|reg| reg == counter) {
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
