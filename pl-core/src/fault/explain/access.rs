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
    let mut explanation = Explanation::error(format!(
        "race on {}: nothing orders `{}` of rank {b} after `{}` of rank {a}",
        fault.overlap, second.site.op, first.site.op
    ))
    .part(Part::new(&second.site).label(format!(
        "rank {b} {} {} here; it was stopped before",
        second.access.future(),
        second.region
    )))
    .part(Part::new(&first.site).label(format!("rank {a} {} {} here", first.access.past(), first.region)));
    explanation.notes.extend(between(fault));
    match &fault.stale {
        Some(stale) => stale_wait(explanation, stale),
        None => explanation.help(race_help(fault)),
    }
}

/// Where both ranks stood among the collectives; where these do not tell, among notifies and waits.
fn between(fault: &Race) -> Vec<Line> {
    const MISSING: &str = "what is missing: ";
    let (first, second) = (&fault.first, &fault.second);
    let (a, b) = (first.site.rank, second.site.rank);
    let mut lines = vec![];
    if first.reached.is_some() || second.reached.is_some() {
        for (did, reached) in
            [(format!("{MISSING}rank {a} did this"), &first.reached), (format!("rank {b} is"), &second.reached)]
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
    let missing = if lines.is_empty() { MISSING } else { "" };
    let after = match fault.first_notifies {
        0 => "before its first notify of this launch".into(),
        n if n == fault.acquired => "after that one".into(),
        n => format!("after its notify number {n}"),
    };
    let knows = format!("{missing}rank {b} knows what rank {a} did before its notify number {}", fault.acquired);
    match &fault.learnt {
        _ if fault.acquired == 0 => lines.push(
            format!("{missing}no wait of rank {b} passed because of a notify of rank {a}, directly or through other ranks; rank {a} did this {after}")
                .into(),
        ),
        Some(Learnt { wait, notify, through }) => {
            let did = format!(", and rank {a} did this {after}");
            lines.push(match notify {
                Some(notify) => Line::at(knows, notify, did),
                None => (knows + &did).into(),
            });
            let through = through.map_or_else(String::new, |rank| format!(", through rank {rank}"));
            lines.push(Line::at(format!("rank {b} knows it by its wait"), wait, through));
        }
        None => lines.push(format!("{knows}, and rank {a} did this {after}").into()),
    }
    if let Some(notify) = &fault.notify {
        lines.push(Line::at(format!("the next notify of rank {a} is the one"), notify, ""));
    }
    lines.extend(idle(fault.idle.as_ref().filter(|_| fault.stale.is_none())));
    if let Some(read) = &fault.polled {
        lines.push(Line::at(format!("rank {b} read a cell that is notified"), read, ", which orders nothing"));
    }
    lines
}

/// A wait that did not wait, and told nothing.
fn idle(wait: Option<&Site>) -> Option<Line> {
    let wait = wait?;
    let why = format!(
        " passed by what was in the cell already, or by a notify of rank {0} itself: it told rank {0} nothing",
        wait.rank
    );
    Some(Line::at(format!("the wait of rank {}", wait.rank), wait, why))
}

fn race_help(fault: &Race) -> String {
    let (first, second) = (&fault.first, &fault.second);
    let (a, b) = (first.site.rank, second.site.rank);
    let order = |a: usize, one: &str, b: usize, other: &str| {
        format!("let rank {a} notify after its `{one}` and rank {b} wait for that before its `{other}`")
    };
    let forwards = order(a, first.site.op, b, second.site.op);
    if first.access == AccessKind::Write && second.access == AccessKind::Read && fault.acquired > 0 {
        // What was to be read may be what stood there before.
        let backwards = order(b, second.site.op, a, first.site.op);
        return format!(
            "{forwards}; or, where rank {b} was to read what stood there before, {backwards}; `pld::tensor::barrier` between them does either"
        );
    }
    if fault.polled.is_some() {
        return format!("`pld::system::wait` orders, and `pl::read` does not: {forwards}");
    }
    format!("{forwards}; `pld::tensor::barrier` does both")
}

/// A wait that did not wait is the likely cause, and to mend it the help.
fn stale_wait(explanation: Explanation, stale: &StaleWait) -> Explanation {
    let StaleWait { site, cell, value, expected, compare } = stale;
    let passed = format!(
        " passed without a notify: {cell} was already {value} when the launch started, and {value} {} {expected}",
        compare.symbol()
    );
    let explanation = explanation.note(Line::at(format!("note: the wait of rank {}", site.rank), site, passed));
    if *value == 0 {
        return explanation.help("a cell that nobody notified holds 0: what is awaited has to be another value, which only a notify brings about");
    }
    explanation.help(format!(
        "`world.reset(&{})` before the launch clears what an earlier one left in the signal; or let the kernel take its credits back, as \
         the builtins do",
        cell.memory
    ))
}

pub(super) fn uninitialised(fault: &Uninitialised) -> Explanation {
    let Uninitialised { site, region, first, missing, writers, discarded, learnt, idle: told_nothing, stale } = fault;
    let rank = site.rank;
    let total: usize = region.extents.iter().product();
    let elements = if *missing == 1 { "an element" } else { "elements" };
    let mut explanation =
        Explanation::error(format!("read of {elements} that nothing wrote: {missing} of {total} in {region}"))
            .part(Part::new(site).line(format!("`{}`: the first of them is {}", site.op, List(first))));
    if let Some(discard) = discarded {
        let by = format!("rank {} discarded it by `{}`", discard.rank, discard.op);
        explanation.notes.push(Line::at(by, &**discard, ", and nothing wrote it since"));
    }
    explanation.notes.extend(writers.iter().map(|writer| {
        let Writer { site, still, state } = writer;
        let when = match still {
            _ if site.rank == rank => ", after this".into(),
            true => format!(", and has not come to that: it is {state}"),
            false => format!(", if the data says so: it is {state}"),
        };
        let writes = if *still { "writes" } else { "may write" };
        Line::at(format!("rank {} {writes} it by `{}`", site.rank, site.op), site, when)
    }));
    if let Some(learnt) = learnt {
        let Passed { wait, notify } = &**learnt;
        explanation.notes.push(Line::at(format!("rank {rank} waited last"), wait, ""));
        explanation.notes.push(Line::at(
            format!("that wait passed because of the notify of rank {}", notify.rank),
            notify,
            "",
        ));
    }
    if let Some(stale) = stale {
        return stale_wait(explanation, stale);
    }
    explanation.notes.extend(idle(told_nothing.as_deref()));
    explanation.help(uninitialised_help(fault))
}

fn uninitialised_help(fault: &Uninitialised) -> String {
    let Uninitialised { site, region, writers, discarded, .. } = fault;
    let rank = site.rank;
    let zeros = match discarded {
        Some(_) => "do not discard it",
        None => "make the window's zeros data with `world.zeros`",
    };
    match (region.owner, writers.first().filter(|writer| writer.site.rank != rank)) {
        (_, Some(Writer { site: write, .. })) => format!(
            "let rank {} notify after its `{}`, and rank {rank} wait for that notify before its `{}`; or {zeros}",
            write.rank, write.op, site.op
        ),
        (Some(owner), _) if owner != rank => {
            format!(
                "rank {owner} must store this and notify, and rank {rank} wait for that, before the `{}`; or {zeros}",
                site.op
            )
        }
        (Some(_), _) if discarded.is_some() => format!("store into the window again before it is read; or {zeros}"),
        (Some(_), _) => format!("store into the window before it is read; or {zeros} or `world.window_from`"),
        (None, _) => "an `Out` tensor holds no data before the kernel stores into it; `InOut` takes data in".into(),
    }
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
    .help("give an order to what decides it: ranks that `Set` one cell to different values, a cell that is read meanwhile; or look for what differs outside of the kernels, as the input")
}
