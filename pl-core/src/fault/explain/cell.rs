//! Cells: what became of them, and what should not be in them.

use super::*;
use crate::explain::Line;

impl CellChange {
    /// What was done to it.
    pub(super) fn past(self) -> String {
        match self {
            CellChange::Add(value) => format!("added {value}"),
            CellChange::Set(value) => format!("set it to {value}"),
            CellChange::Store => "stored into it".into(),
        }
    }
}

/// What became of a cell, from the start of the launch on.
pub(super) fn history(history: &CellHistory) -> Vec<Line> {
    let CellHistory { initial, earlier, events } = history;
    let mut lines = vec![];
    if *initial != 0 {
        lines.push(format!("it was {initial} when the launch started").into());
    }
    if *earlier > 0 {
        lines.push(format!("it changed {earlier} times before what follows").into());
    }
    lines.extend(events.iter().map(|CellEvent { site, change, value }| {
        Line::at(format!("rank {} {}", site.rank, change.past()), site, format!(", which made it {value}"))
    }));
    lines
}

pub(super) fn credits(fault: &Credits) -> Explanation {
    let Credits { site, when, cell, value, credit, history: past } = fault;
    let (rank, op) = (site.rank, site.op);
    let (title, label, help) = match when {
        CreditsFound::Before => {
            let expected = match credit {
                0 => "expected 0".into(),
                n => format!("expected {n}, which peers deposited that are in it already"),
            };
            let help = if past.initial != 0 {
                format!(
                    "an earlier launch, or the host, left this: `world.reset(&{})` clears it; or let who deposits something take it back",
                    cell.memory
                )
            } else if !past.events.is_empty() {
                "what the kernel itself deposits in the signal must be gone before a collective uses it: take it back (notify yourself with \
                 a negative value), or use a signal of its own"
                    .into()
            } else {
                "a collective takes a signal that is all zero: who stores into it must store zeros".into()
            };
            (format!("{cell} is {value} where `{op}` begins, {expected}"), format!("rank {rank} enters it here"), help)
        }
        CreditsFound::After => (
            format!("collectives left {credit} in {cell}, expected 0"),
            format!("rank {rank} entered `{op}`, the last one with this signal, here"),
            "the body of a collective takes back what it deposits: what it takes back differs from what came".into(),
        ),
    };
    Explanation::error(title).part(Part::new(site).label(label).lines(history(past))).help(help)
}
