//! Accesses that are not what they should be: nothing orders them, nothing wrote what they read, or they leave their memory.

use super::*;
use crate::explain::Line;

impl AccessKind {
    /// What the access did.
    const fn past(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "wrote",
            AccessKind::Add => "added to",
            AccessKind::Notify => "notified",
            AccessKind::Test => "tested",
        }
    }

    /// What the access was to do.
    const fn future(self) -> &'static str {
        match self {
            AccessKind::Read => "would read",
            AccessKind::Write => "would write",
            AccessKind::Add => "would add to",
            AccessKind::Notify => "would notify",
            AccessKind::Test => "would test",
        }
    }
}

pub(super) fn race(fault: &Race) -> Explanation {
    let (first, second) = (&fault.first, &fault.second);
    let (a, b) = (first.site.rank, second.site.rank);
    let when = match fault.first_notifies {
        0 => format!("rank {a} did this before its first notify of this launch"),
        n => format!("rank {a} did this after its notify number {n} of this launch"),
    };
    let known = match fault.acquired {
        0 => format!("rank {b} knows of none of its notifies"),
        n => format!("rank {b} knows of its notifies up to number {n} only"),
    };
    let mut explanation = Explanation::error(format!(
        "race on {}: nothing orders `{}` of rank {b} after `{}` of rank {a}",
        fault.overlap, second.site.op, first.site.op
    ))
    .part(Part::new(&second.site).label(format!(
        "rank {b} {} {} here; it was stopped before",
        second.access.future(),
        second.region
    )))
    .part(Part::new(&first.site).label(format!("rank {a} {} {} here", first.access.past(), first.region)))
    .note(format!("what is missing: {when}, and {known}, by its own waits or through other ranks"));
    explanation.notes.extend(between(fault));
    match &fault.stale {
        Some(stale) => stale_wait(explanation, stale),
        None => explanation.help(format!(
            "let rank {a} notify after its `{}` and rank {b} wait for that before its `{}`; `pld::tensor::barrier` does both",
            first.site.op, second.site.op
        )),
    }
}

/// Where both ranks stood among the collectives; where these do not tell, among notifies and waits.
fn between(fault: &Race) -> Vec<Line> {
    let (first, second) = (&fault.first, &fault.second);
    let (a, b) = (first.site.rank, second.site.rank);
    let mut lines = vec![];
    if first.reached.is_some() || second.reached.is_some() {
        for (did, reached) in
            [(format!("rank {a} did this"), &first.reached), (format!("rank {b} is"), &second.reached)]
        {
            lines.push(match reached {
                None => format!("{did} before its first collective").into(),
                Some(Reached { number, inside, site }) => {
                    let when = if *inside { "in" } else { "after" };
                    Line::at(format!("{did} {when} its collective number {number}, `{}`", site.op), site, "")
                }
            });
        }
        if ![&first.reached, &second.reached].into_iter().flatten().any(|reached| reached.inside) {
            return lines;
        }
    }
    if let Some(notify) = &fault.notify {
        lines.push(Line::at(format!("the next notify of rank {a} is the one"), notify, ""));
    }
    if let Some(Learnt { wait, through }) = &fault.learnt {
        let through = through.map_or_else(String::new, |rank| format!(", through rank {rank}"));
        lines.push(Line::at(format!("rank {b} last learnt from rank {a} by its wait"), wait, through));
    }
    lines
}

/// A wait that did not wait is the likely cause, and to mend it the help.
fn stale_wait(explanation: Explanation, stale: &StaleWait) -> Explanation {
    let StaleWait { site, cell, value, expected, compare } = stale;
    let passed = format!(
        " passed without a notify: {cell} was already {value} when the launch started, and {value} {} {expected}",
        compare.symbol()
    );
    explanation.note(Line::at(format!("note: the wait of rank {}", site.rank), site, passed)).help(format!(
        "`world.reset(&{})` before the launch clears what an earlier one left in the signal; or let the kernel take its credits back, as \
         the builtins do",
        cell.memory
    ))
}

pub(super) fn uninitialised(fault: &Uninitialised) -> Explanation {
    let Uninitialised { site, region, first, missing, stale } = fault;
    let total: usize = region.extents.iter().product();
    let elements = if *missing == 1 { "an element" } else { "elements" };
    let explanation =
        Explanation::error(format!("read of {elements} that nothing wrote: {missing} of {total} in {region}"))
            .part(Part::new(site).line(format!("`{}`: the first of them is {}", site.op, List(first))));
    if let Some(stale) = stale {
        return stale_wait(explanation, stale);
    }
    explanation.help(match region.owner {
        Some(owner) if owner != site.rank => format!(
            "rank {owner} must store this and notify, and rank {} wait for that, before the `{}`; or make the window's zeros data with \
             `world.zeros`",
            site.rank, site.op
        ),
        Some(_) => {
            "store into the window before it is read, or make its zeros data with `world.zeros` or `world.window_from`".into()
        }
        None => "an `Out` tensor holds no data before the kernel stores into it; `InOut` takes data in".into(),
    })
}

pub(super) fn out_of_bounds(fault: &OutOfBounds) -> Explanation {
    let OutOfBounds { site, memory, extents, offsets, shape, axis } = fault;
    let value = |list: &[u64]| list.get(*axis).copied().unwrap_or_default();
    let offset = value(offsets);
    let found = match value(shape) {
        1 => format!("the index is {offset}"),
        extent => format!("the box is {offset}..{}", u128::from(offset) + u128::from(extent)),
    };
    let has = extents.get(*axis).unwrap_or(&0);
    Explanation::error(format!("box out of bounds: axis {axis} of `{memory}` has extent {has}, and {found}"))
        .part(Part::new(site).line(format!(
                "`{}`: offsets {} and extents {} in `{memory}` of shape {}",
                site.op,
                List(offsets),
                List(shape),
                List(extents)
            )))
        .help("offset + extent must not be more than the extent of the memory, on every axis; a ragged tail takes `pl::min(…)`")
}

pub(super) fn differs(fault: &Differs) -> Explanation {
    Explanation::error(format!(
        "the result depends on the schedule: {} is another one on rank {} than after the first schedule, although nothing raced",
        fault.region, fault.rank
    ))
    .help("look for what differs between the runs outside of the kernels: input that changes, windows that are shared with others")
}
