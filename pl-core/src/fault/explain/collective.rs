//! Collectives that ranks do not enter alike.

use super::*;
use crate::explain::Line;

pub(super) fn root(fault: &RootOutOfRange) -> Explanation {
    let RootOutOfRange { site, root, ranks } = fault;
    Explanation::error(format!("root {root} of `{}` is not a rank: the domain has {}", site.op, Count(*ranks, "rank")))
        .part(site)
        .help(format!("the root is one of 0..{ranks}, and the same on every rank"))
}

pub(super) fn mismatch(fault: &CollectiveMismatch) -> Explanation {
    let CollectiveMismatch { first, second, before, differences } = fault;
    let (a, b) = (first.rank, second.rank);
    let title = match differences.is_empty() {
        true => format!(
            "ranks enter different collectives: rank {b} enters `{}` at {}, rank {a} `{}` at {}",
            second.op,
            at(second),
            first.op,
            at(first)
        ),
        false => format!("ranks enter `{}` with different arguments", second.op),
    };
    let values = |value: fn(&Difference) -> &str| {
        differences.iter().map(move |difference| format!("`{}` is {}", difference.argument, value(difference)))
    };
    let number = before + 1;
    let here = format!("rank {b} enters `{}` here, collective number {number} of this domain", second.op);
    Explanation::error(title)
        .part(Part::new(second).label(here).lines(values(|difference| &difference.second)))
        .part(
            Part::new(first)
                .label(format!("rank {a} entered `{}` here", first.op))
                .lines(values(|difference| &difference.first)),
        )
        .help("all ranks of a domain enter the same collectives, in the same order and with the same arguments")
}

/// The ranks that a collective waits for, those together that do the same.
pub(super) fn not_entered(collective: &NotEntered) -> impl Iterator<Item = Line> + '_ {
    let NotEntered { first, entered, absent } = collective;
    let states = absent.iter().map(|(rank, state)| (*rank, state));
    stuck::groups(states).into_iter().map(move |(state, ranks)| {
        let (rank, are) = if ranks.len() == 1 { ("rank", "it is") } else { ("ranks", "they are") };
        let wait = if *entered == 1 { "waits" } else { "wait" };
        let (who, op, place) = (stuck::ranges(&ranks), first.op, at(first));
        let waiting = Count(*entered, "rank");
        Line::from(format!("{rank} {who} did not enter `{op}` ({place}), in which {waiting} {wait}: {are} {state}"))
    })
}
