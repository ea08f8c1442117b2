//! Acts in a row that notify cells of one signal, or wait for them, as the rounds of a loop do: they are done one after the other, and counted together.

use super::{Doing, SignalAct, Unrolled, merge};

/// Finds the acts in a row.
pub(super) fn join(made: &mut Unrolled) {
    // The owner of each cell in a series is known, and so is its position.
    let cell = |act: &SignalAct| (act.signal.owner.map_or(u32::MAX, |owner| owner as u32), act.signal.first as u32);
    made.cells = made.signals.iter().map(cell).collect();
    let mut first = 0;
    while first < made.acts.len() {
        let length = 1 + (first..).take_while(|&at| follows(made, at)).count();
        if length > 1 {
            let Unrolled { acts, sets, signals, .. } = &mut *made;
            let acts = &acts[first..first + length];
            let sets = merge(acts, sets);
            let mut ops = 0;
            for (before, act) in acts.iter().enumerate().rev() {
                ops += act.passed + act.ops;
                if let Doing::Notify(number) | Doing::Wait(number) = act.does {
                    let signal = &mut signals[number as usize];
                    (signal.series, signal.ops, signal.sets) = (length - before, ops, sets);
                }
            }
        }
        first += length;
    }
}

/// Whether the act behind the one at `at` does the same to another cell of the signal.
fn follows(made: &Unrolled, at: usize) -> bool {
    let Some([act, next]) = made.acts.get(at..at + 2) else { return false };
    let (this, other) = match (act.does, next.does) {
        (Doing::Notify(this), Doing::Notify(other)) | (Doing::Wait(this), Doing::Wait(other)) => (this, other),
        _ => return false,
    };
    let [signal, other_signal] = [this, other].map(|number| &made.signals[number as usize].signal);
    let is_known = |signal: &super::SignalInst| signal.owner.is_some() && signal.axes.is_empty();
    let sets = &made.sets[next.sets.0 as usize..next.sets.1 as usize];
    this + 1 == other
        && act.pc == next.pc
        && is_known(signal)
        && is_known(other_signal)
        && sets.iter().all(|(reg, _)| *reg != signal.value)
}
