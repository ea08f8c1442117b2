//! Ranks that do not come to an end.

use super::*;
use crate::explain::Line;

/// How many ranks a report explains one by one.
const MAX_RANKS: usize = 8;

impl Display for RankState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RankState::Finished => f.write_str("finished"),
            RankState::Blocked(site) => write!(f, "blocked in `{}` at {}", site.op, at(site)),
            RankState::Running(site) => write!(f, "running, at {}", at(site)),
            RankState::Spinning(site) => write!(f, "re-reading unchanged cells at {}", at(site)),
            RankState::Stopped(site) => write!(f, "stopped by an injected fault before `{}` at {}", site.op, at(site)),
            RankState::NoCall => f.write_str("without a call in this launch"),
            RankState::Queued => f.write_str("its device was busy with another launch"),
        }
    }
}

/// Ranks in rising order as ranges: `0-3, 7`.
pub(super) fn ranges(ranks: &[usize]) -> String {
    let runs = ranks.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        one => one.iter().map(usize::to_string).collect(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// What ranks do, those together that do the same.
pub(super) fn groups<'a>(states: impl Iterator<Item = (usize, &'a RankState)>) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = vec![];
    for (rank, state) in states {
        let text = state.to_string();
        match groups.iter_mut().find(|group| group.0 == text) {
            Some(group) => group.1.push(rank),
            None => groups.push((text, vec![rank])),
        }
    }
    groups
}

/// Where ranks stand, those together that stand alike.
fn grouped<'a>(states: impl Iterator<Item = (usize, &'a RankState)>) -> Vec<Line> {
    let line = |(text, ranks): (String, Vec<usize>)| {
        format!("rank{} {}: {text}", if ranks.len() == 1 { "" } else { "s" }, ranges(&ranks))
    };
    groups(states).into_iter().map(|group| line(group).into()).collect()
}

/// ` among ranks 0, 2`, where a launch has others too.
fn among(ranks: &[usize]) -> String {
    match ranks {
        [] => String::new(),
        [rank] => format!(" of rank {rank}"),
        ranks => format!(" among ranks {}", ranges(ranks)),
    }
}

/// Explains the first [`MAX_RANKS`] of a list in full, and says where the others stand.
fn ranks<T>(
    explanation: &mut Explanation,
    list: &[T],
    part: impl Fn(&T) -> Part,
    state: impl Fn(&T) -> (usize, RankState),
) {
    explanation.parts.extend(list.iter().take(MAX_RANKS).map(part));
    let others: Vec<_> = list.iter().skip(MAX_RANKS).map(state).collect();
    explanation.notes.extend(grouped(others.iter().map(|(rank, state)| (*rank, state))));
}

fn blocked_ranks(explanation: &mut Explanation, list: &[Blocked]) {
    let shown: Vec<usize> = list.iter().take(MAX_RANKS).map(|wait| wait.site.rank).collect();
    ranks(
        explanation,
        list,
        |wait| blocked(wait, &shown),
        |wait| (wait.site.rank, RankState::Blocked(wait.site.clone())),
    );
}

/// A rank that waits; where the ranks that are `shown` wait is told elsewhere.
fn blocked(wait: &Blocked, shown: &[usize]) -> Part {
    let Blocked { site, cell, value, expected, compare, history, senders, more_senders } = wait;
    let part = Part::new(site).label(format!(
        "rank {} waits for {cell} {} {expected}; it is {value}",
        site.rank,
        compare.symbol()
    ));
    let part = part.lines(cell::history(history));
    if senders.is_empty() {
        return part.line("no kernel of this launch can notify that cell");
    }
    // A rank that could notify itself is worth a word only where nobody else can.
    let others = |one: &&Sender| senders.len() == 1 || one.sent > 0 || one.site.rank != site.rank;
    let part = part.lines(senders.iter().take(MAX_RANKS).filter(others).map(|one| sender(one, shown)));
    match more_senders + senders.len().saturating_sub(MAX_RANKS) {
        0 => part,
        more => part.line(format!("{} more may notify it", Count(more, "rank"))),
    }
}

fn sender(sender: &Sender, shown: &[usize]) -> Line {
    let Sender { site, still, sent, elsewhere, state } = sender;
    let mut text = match sent {
        0 => ": it sent nothing".into(),
        1 => ": it sent once".into(),
        n => format!(": it sent {n} times"),
    };
    if let (0, Some((count, cell))) = (sent, elsewhere) {
        let notifies = if *count == 1 { "notify" } else { "notifies" };
        text += &format!(" to it, and {count} {notifies} to other cells, such as {cell},");
    }
    text += if *still { " so far, and is " } else { " and will not any more, it is " };
    text += &match state {
        RankState::Blocked(_) if shown.contains(&site.rank) => "blocked too".into(),
        state => state.to_string(),
    };
    Line::at(format!("rank {} notifies it", site.rank), site, text)
}

pub(super) fn deadlock(fault: &Deadlock) -> Explanation {
    let Deadlock { among: these, not_entered, ring, blocked, finished } = fault;
    let total = blocked.len() + finished;
    let stuck = Count(blocked.len(), "rank");
    let mut explanation =
        Explanation::error(format!("deadlock{}: {stuck} of {total} blocked, {finished} finished", among(these)));
    explanation.overview.extend(not_entered.iter().flat_map(collective::not_entered));
    explanation.overview.extend(waits_for(ring));
    blocked_ranks(&mut explanation, blocked);
    explanation.help(deadlock_help(fault))
}

/// A ring of ranks that wait for one another.
fn waits_for(ring: &[usize]) -> Option<Line> {
    let (first, others) = ring.split_first()?;
    if others.is_empty() {
        return Some(format!("rank {first} waits for itself").into());
    }
    let mut text = format!("rank {first} waits for rank {}", others[0]);
    let shown = others[1..].iter().take(MAX_RANKS);
    let hidden = others.len() - 1 - shown.len();
    shown.for_each(|rank| text += &format!(", which waits for rank {rank}"));
    text += &match hidden {
        0 => format!(", which waits for rank {first}"),
        n => format!(", and so on through {} to rank {first}", Count(n, "more rank")),
    };
    Some(text.into())
}

fn deadlock_help(fault: &Deadlock) -> &'static str {
    let mut absent = fault.not_entered.iter().flat_map(|collective| &collective.absent);
    if absent.any(|(_, state)| *state == RankState::Finished) {
        return "every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did \
                not";
    }
    let negative = |b: &Blocked| {
        b.compare == Compare::Ge && b.expected > 0 && b.history.events.iter().any(|event| event.value < 0)
    };
    if fault.blocked.iter().any(negative) {
        return "a cell went below zero: more was taken back than had come, so the next waits lack it: compare what is taken back with what is \
                waited for";
    }
    if fault.blocked.iter().any(was_overwritten) {
        return "a `Set` replaced what another rank had put into the cell: count with `AtomicAdd`, give each rank a cell of its own, and take \
                credits back in place of a reset";
    }
    if fault.blocked.iter().any(has_passed) {
        return "a cell has gone past the value that is awaited, as a peer is ahead: compare with `Ge`";
    }
    // What the rank itself does behind its wait is a hope only where nobody else has notified the cell: then it waits for itself.
    let hopes = |b: &Blocked| {
        let other = |s: &Sender| s.site.rank != b.site.rank;
        let alone = !b.senders.iter().any(|s| other(s) && s.sent > 0);
        b.senders.iter().any(|s| s.still && (alone || other(s)))
    };
    let hopeless = fault.blocked.iter().filter(|b| !hopes(b));
    if fault.blocked.iter().any(|b| b.senders.is_empty()) {
        "a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait"
    } else if hopeless.clone().any(|b| b.senders.iter().any(|s| s.sent > 0)) {
        "nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects"
    } else if hopeless.clone().any(|b| b.senders.iter().any(|s| s.elsewhere.is_some())) {
        "compare peer and offsets of the notify with the offsets of the wait: a rank notified other cells than this one"
    } else if hopeless.count() > 0 {
        "a rank passed its notify by: look at the conditions around it"
    } else {
        "the ranks wait for one another: notify before you wait"
    }
}

/// Whether a notify of another rank was lost in the awaited cell, as a `Set` replaced it.
fn was_overwritten(wait: &Blocked) -> bool {
    let lost = |pair: &[CellEvent]| {
        let [before, after] = pair else { return false };
        matches!(after.change, CellChange::Set(_)) && before.site.rank != after.site.rank && after.value <= before.value
    };
    wait.history.events.windows(2).any(lost)
}

/// Whether the awaited cell has had the value, and has another one now.
fn has_passed(wait: &Blocked) -> bool {
    wait.compare == Compare::Eq && wait.history.events.iter().any(|event| event.value == wait.expected)
}

fn spinning(spin: &Spinning) -> Part {
    let Spinning { site, cell, value } = spin;
    Part::new(site).label(format!("rank {} re-reads {cell}, which stays {value}", site.rank))
}

pub(super) fn livelock(fault: &Livelock) -> Explanation {
    let Livelock { among: these, not_entered, spinning: spins, blocked, finished } = fault;
    let total = spins.len() + blocked.len() + finished;
    let mut explanation = Explanation::error(format!(
        "livelock{}: {} of {total} re-reading cells that nobody will change, {} blocked, {finished} finished",
        among(these),
        Count(spins.len(), "rank"),
        blocked.len(),
    ));
    explanation.overview.extend(not_entered.iter().flat_map(collective::not_entered));
    ranks(&mut explanation, spins, spinning, |spin| (spin.site.rank, RankState::Spinning(spin.site.clone())));
    blocked_ranks(&mut explanation, blocked);
    explanation.help(
        "`pl::read` acquires nothing and waits for nothing: use `pld::system::wait`, and a notify that satisfies it; what a rank writes into its \
         own copy of a window, no other rank sees",
    )
}

pub(super) fn stopped(fault: &Stopped) -> Explanation {
    let Stopped { among: these, stopped, spinning: spins, blocked, finished } = fault;
    let of_rank = |StoppedRank { site, op }: &StoppedRank| {
        format!("rank {} was stopped by an injected fault before op {op}, `{}`", site.rank, site.op)
    };
    let title = stopped.iter().map(of_rank).collect::<Vec<_>>().join("; ");
    let mut explanation = Explanation::error(format!("{title}{}", among(these)));
    let (waiting, reading) = (blocked.len(), spins.len());
    let rest =
        format!("then no rank could run: {waiting} blocked, {reading} re-reading unchanged cells, {finished} finished");
    explanation.overview.push(rest.into());
    explanation.parts.extend(stopped.iter().map(|stopped| Part::new(&stopped.site)));
    ranks(&mut explanation, spins, spinning, |spin| (spin.site.rank, RankState::Spinning(spin.site.clone())));
    blocked_ranks(&mut explanation, blocked);
    explanation.help("the launch asked for it: without the fault in `inject` the rank goes on")
}

impl Display for NotInjected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let NotInjected { injection, reached } = self;
        let (one, more) = match injection {
            Injection::Stop { .. } | Injection::Delay { .. } => ("op", "ops"),
            Injection::Lose { .. } | Injection::Double { .. } => ("notify", "notifies"),
        };
        let unit = if *reached == 1 { one } else { more };
        write!(f, "`{injection}` did not happen: the kernel of rank {} ended after {reached} {unit}", injection.rank())
    }
}

pub(super) fn op_budget(fault: &OpBudget) -> Explanation {
    let OpBudget { site, budget } = fault;
    Explanation::error(format!("endless loop? rank {} executed more than {budget} ops", site.rank))
        .part(site)
        .help("look at the condition of the loop; a kernel that needs more ops than that takes a larger op budget")
}

pub(super) fn interrupted(fault: &Interrupted) -> Explanation {
    let mut explanation = Explanation::error("interrupted");
    explanation.overview = grouped(fault.ranks.iter().map(|(rank, state)| (*rank, state)));
    explanation
}
