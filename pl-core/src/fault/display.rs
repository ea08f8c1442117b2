//! The text of a fault. Of many ranks only the first are explained; where the others stand is told by groups. The data has them all.

use super::*;
use core::fmt::{self, Display, Formatter, Write};

/// How many ranks a report explains one by one.
const MAX_RANKS: usize = 8;

/// `[2, 64]`
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        f.write_char(']')
    }
}

/// `1 rank`, `2 ranks`
struct Count(usize, &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// `--> file:line:column (rank 1, kernel `k`)`
struct Arrow<'a>(&'a Site);

impl Display for Arrow<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\n  --> ")?;
        match &self.0.place {
            Some(place) => write!(f, "{place} (rank {}, kernel `{}`)", self.0.rank, self.0.kernel),
            None => write!(f, "kernel `{}` (rank {})", self.0.kernel, self.0.rank),
        }
    }
}

/// A site's place, or its kernel where it has none.
struct At<'a>(&'a Site);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.place {
            Some(place) => place.fmt(f),
            None => write!(f, "kernel `{}`", self.0.kernel),
        }
    }
}

impl Display for Region {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}[", self.memory)?;
        for (axis, (&offset, &extent)) in self.offsets.iter().zip(&self.extents).enumerate() {
            if axis > 0 {
                f.write_str(", ")?;
            }
            match extent {
                1 => write!(f, "{offset}")?,
                _ => write!(f, "{offset}..{}", offset + extent)?,
            }
        }
        f.write_str("]`")?;
        if let Some(rank) = self.owner {
            write!(f, " of rank {rank}")?;
        }
        match self.domain_rank {
            Some(rank) => write!(f, " (rank {rank} of its domain)"),
            None => Ok(()),
        }
    }
}

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

impl Display for Race {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (first, second) = (&self.first, &self.second);
        let (a, b) = (first.site.rank, second.site.rank);
        write!(
            f,
            "race on {}: nothing orders `{}` of rank {b} after `{}` of rank {a}",
            self.overlap, second.site.op, first.site.op
        )?;
        write!(f, "{}", Arrow(&second.site))?;
        write!(f, "\n  = rank {b} {} {} here; it was stopped before", second.access.future(), second.region)?;
        write!(f, "{}", Arrow(&first.site))?;
        write!(f, "\n  = rank {a} {} {} here", first.access.past(), first.region)?;
        f.write_str("\n  = what is missing: ")?;
        match self.first_notifies {
            0 => write!(f, "rank {a} did this before its first notify of this launch")?,
            n => write!(f, "rank {a} did this after its notify number {n} of this launch")?,
        }
        match self.acquired {
            0 => write!(f, ", and rank {b} knows of none of its notifies")?,
            n => write!(f, ", and rank {b} knows of its notifies up to number {n} only")?,
        }
        f.write_str(", by its own waits or through other ranks")?;
        if let Some(stale) = &self.stale {
            return stale.fmt(f);
        }
        write!(
            f,
            "\n  = help: let rank {a} notify after its `{}` and rank {b} wait for that before its `{}`; `pld::tensor::barrier` does both",
            first.site.op, second.site.op
        )
    }
}

impl Display for StaleWait {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\n  = note: the wait of rank {} at {} passed without a notify: {} was already {} when the launch started, and {} {} {}",
            self.site.rank,
            At(&self.site),
            self.cell,
            self.value,
            self.value,
            self.compare.symbol(),
            self.expected
        )?;
        write!(
            f,
            "\n  = help: `world.reset(&{})` before the launch clears what an earlier one left in the signal; or let the kernel take its \
             credits back, as the builtins do",
            self.cell.memory
        )
    }
}

impl Display for Uninitialised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let total: usize = self.region.extents.iter().product();
        write!(
            f,
            "read of {} that nothing wrote: {} of {total} in {}",
            plural_elements(self.missing),
            self.missing,
            self.region
        )?;
        write!(f, "{}", Arrow(&self.site))?;
        write!(f, "\n  = `{}`: the first of them is {}", self.site.op, List(&self.first))?;
        if let Some(stale) = &self.stale {
            return stale.fmt(f);
        }
        match self.region.owner {
            Some(owner) if owner != self.site.rank => write!(
                f,
                "\n  = help: rank {owner} must store this and notify, and rank {} wait for that, before the `{}`; or make the window's \
                 zeros data with `world.zeros`",
                self.site.rank, self.site.op
            ),
            Some(_) => f.write_str(
                "\n  = help: store into the window before it is read, or make its zeros data with `world.zeros` or `world.window_from`",
            ),
            None => f.write_str("\n  = help: an `Out` tensor holds no data before the kernel stores into it; `InOut` takes data in"),
        }
    }
}

const fn plural_elements(n: usize) -> &'static str {
    if n == 1 { "an element" } else { "elements" }
}

impl Display for OutOfBounds {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axis = self.axis;
        let value = |list: &[u64]| list.get(axis).copied().unwrap_or_default();
        let (offset, extent) = (value(&self.offsets), value(&self.shape));
        let end = u128::from(offset) + u128::from(extent);
        write!(
            f,
            "box out of bounds: axis {axis} of `{}` has extent {}, ",
            self.memory,
            self.extents.get(axis).unwrap_or(&0)
        )?;
        match extent {
            1 => write!(f, "and the index is {offset}")?,
            _ => write!(f, "and the box is {offset}..{end}")?,
        }
        write!(f, "{}", Arrow(&self.site))?;
        write!(
            f,
            "\n  = `{}`: offsets {} and extents {} in `{}` of shape {}",
            self.site.op,
            List(&self.offsets),
            List(&self.shape),
            self.memory,
            List(&self.extents)
        )?;
        f.write_str("\n  = help: offset + extent must not be more than the extent of the memory, on every axis; a ragged tail takes `pl::min(…)`")
    }
}

impl Display for Arithmetic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (what, help) = match (self.problem, self.ty) {
            (ArithmeticProblem::Overflow, "usize") => {
                ("overflows", "an index has 64 bits: look at where these values come from")
            }
            (ArithmeticProblem::Overflow, _) => {
                ("overflows", "the result must fit the type: cast the operands to a wider one")
            }
            (ArithmeticProblem::Underflow, "usize") => (
                "is less than 0",
                "an index is never negative: compare before you subtract, or add before you subtract",
            ),
            (ArithmeticProblem::Underflow, _) => {
                ("underflows", "the result must fit the type: cast the operands to a wider one")
            }
            (ArithmeticProblem::DivisionByZero, _) => ("divides by zero", "test the divisor before"),
            (ArithmeticProblem::ZeroStep, _) => ("has a step of zero", "the step of `pl::range` must be at least 1"),
        };
        write!(f, "`{}` {what} (`{}`)", self.operation, self.ty)?;
        write!(f, "{}", Arrow(&self.site))?;
        write!(f, "\n  = help: {help}")
    }
}

impl Display for ElementDivision {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.element {
            Some(element) => {
                write!(f, "division by zero: element {} of the divisor is 0 (`{}`)", List(element), self.dtype)?
            }
            None => write!(f, "division by zero: the divisor is 0 (`{}`)", self.dtype)?,
        }
        write!(f, "{}", Arrow(&self.site))?;
        f.write_str("\n  = help: integers have no infinity: make the divisor nonzero (`pl::maximum(d, 1)`) or divide as floats (`pl::cast::<f32>`)")
    }
}

impl Display for PeerOutOfRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ranks = Count(self.ranks, "rank");
        write!(f, "peer {} is not a rank: the domain of `{}` has {ranks}", self.peer, self.window)?;
        write!(f, "{}", Arrow(&self.site))?;
        write!(
            f,
            "\n  = help: peers of `{}` are 0..{}: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`",
            self.site.op, self.ranks
        )
    }
}

impl Display for ExtentMismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (l, r) = (&self.lhs, &self.rhs);
        write!(f, "tiles of different extents: `{}` is {}, `{}` is {}", l.0, List(&l.1), r.0, List(&r.1))?;
        write!(f, "{}", Arrow(&self.site))?;
        write!(f, "\n  = help: `{}` works element by element: give both tiles the same extents", self.site.op)
    }
}

impl Display for DeclaredType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let declared: Vec<String> = self.declared.iter().map(|d| d.map_or("_".into(), |d| d.to_string())).collect();
        write!(f, "`{}` is declared with extents {}, and has {}", self.local, List(&declared), List(&self.found))?;
        write!(f, "{}", Arrow(&self.site))?;
        write!(f, "\n  = axis {} differs", self.axis)?;
        f.write_str("\n  = help: correct the declared type, or the extents of the value")
    }
}

impl Display for TileMemory {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` needs {} bytes of tile memory; ", self.site.op, self.needed)?;
        match self.limit {
            Some(limit) => write!(f, "`{}` has {limit}", self.platform)?,
            None => f.write_str("the host does not have as much")?,
        }
        write!(f, "{}", Arrow(&self.site))?;
        for (name, bytes) in &self.tiles {
            write!(f, "\n  = `{name}`: {bytes} bytes")?;
        }
        f.write_str("\n  = help: process the data in smaller tiles, in a loop over chunks")
    }
}

impl Display for CellOverflow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "signal overflow: {} holds {}, and adding {} does not fit `i32`", self.cell, self.value, self.add)?;
        write!(f, "{}", Arrow(&self.site))?;
        f.write_str("\n  = help: take credits back when they are used (notify yourself with a negative value), or `world.reset` the signal")
    }
}

impl Display for CountOutOfRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let CountOutOfRange { site, peer, count, limit } = self;
        write!(f, "rank {} has count {count} for peer {peer}; counts are 0..={limit}", site.rank)?;
        write!(f, "{}", Arrow(site))?;
        f.write_str("\n  = help: a count is not negative, and not more than what there is room for at each peer")
    }
}

impl Display for RootOutOfRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let RootOutOfRange { site, root, ranks } = self;
        write!(f, "root {root} of `{}` is not a rank: the domain has {}", site.op, Count(*ranks, "rank"))?;
        write!(f, "{}", Arrow(site))?;
        write!(f, "\n  = help: the root is one of 0..{ranks}, and the same on every rank")
    }
}

impl Display for CollectiveMismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (first, second) = (&self.first, &self.second);
        let (a, b) = (first.rank, second.rank);
        if self.differences.is_empty() {
            write!(
                f,
                "ranks enter different collectives: rank {b} enters `{}` at {}, rank {a} `{}` at {}",
                second.op,
                At(second),
                first.op,
                At(first)
            )?;
        } else {
            write!(f, "ranks enter `{}` with different arguments", second.op)?;
        }
        write!(f, "{}", Arrow(second))?;
        let number = self.before + 1;
        write!(f, "\n  = rank {b} enters `{}` here, collective number {number} of this domain", second.op)?;
        for difference in &self.differences {
            write!(f, "\n  = `{}` is {}", difference.argument, difference.second)?;
        }
        write!(f, "{}", Arrow(first))?;
        write!(f, "\n  = rank {a} entered `{}` here", first.op)?;
        for difference in &self.differences {
            write!(f, "\n  = `{}` is {}", difference.argument, difference.first)?;
        }
        f.write_str("\n  = help: all ranks of a domain enter the same collectives, in the same order and with the same arguments")
    }
}

impl Display for NotEntered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut groups: Vec<(String, Vec<usize>)> = vec![];
        for (rank, state) in &self.absent {
            group(&mut groups, *rank, state);
        }
        for (state, ranks) in groups {
            let (rank, are) = if ranks.len() == 1 { ("rank", "it is") } else { ("ranks", "they are") };
            let wait = if self.entered == 1 { "waits" } else { "wait" };
            write!(
                f,
                "\n  = {rank} {} did not enter `{}` ({}), in which {} {wait}: {are} {state}",
                ranges(&ranks),
                self.first.op,
                At(&self.first),
                Count(self.entered, "rank"),
            )?;
        }
        Ok(())
    }
}

impl Display for RankState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RankState::Finished => f.write_str("finished"),
            RankState::Blocked(site) => write!(f, "blocked in `{}` at {}", site.op, At(site)),
            RankState::Running(site) => write!(f, "running, at {}", At(site)),
            RankState::Spinning(site) => write!(f, "re-reading unchanged cells at {}", At(site)),
            RankState::NoCall => f.write_str("without a call in this launch"),
            RankState::Queued => f.write_str("its device was busy with another launch"),
        }
    }
}

impl Display for Blocked {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Arrow(&self.site))?;
        write!(
            f,
            "\n  = rank {} waits for {} {} {}; it is {}",
            self.site.rank,
            self.cell,
            self.compare.symbol(),
            self.expected,
            self.value
        )?;
        if self.senders.is_empty() {
            f.write_str("\n  = no kernel of this launch can notify that cell")?;
        }
        for sender in self.senders.iter().take(MAX_RANKS) {
            write!(f, "\n  = rank {} notifies it at {}: it sent ", sender.site.rank, At(&sender.site))?;
            match sender.sent {
                0 => f.write_str("nothing")?,
                1 => f.write_str("once")?,
                n => write!(f, "{n} times")?,
            }
            if let (0, Some((count, cell))) = (sender.sent, &sender.elsewhere) {
                let notifies = if *count == 1 { "notify" } else { "notifies" };
                write!(f, " to it, and {count} {notifies} to other cells, such as {cell},")?;
            }
            f.write_str(if sender.still { " so far, and is " } else { " and will not any more, it is " })?;
            write!(f, "{}", sender.state)?;
        }
        match self.more_senders + self.senders.len().saturating_sub(MAX_RANKS) {
            0 => Ok(()),
            more => write!(f, "\n  = {} more may notify it", Count(more, "rank")),
        }
    }
}

/// Ranks in rising order as ranges: `0-3, 7`.
fn ranges(ranks: &[usize]) -> String {
    let mut text = String::new();
    for run in ranks.chunk_by(|a, b| a + 1 == *b) {
        text += if text.is_empty() { "" } else { ", " };
        match run {
            [first, .., last] => text += &format!("{first}-{last}"),
            [only] => text += &only.to_string(),
            [] => {}
        }
    }
    text
}

/// Adds a rank to those that do the same.
fn group(groups: &mut Vec<(String, Vec<usize>)>, rank: usize, state: &RankState) {
    let text = state.to_string();
    match groups.iter_mut().find(|group| group.0 == text) {
        Some(group) => group.1.push(rank),
        None => groups.push((text, vec![rank])),
    }
}

/// ` among ranks 0, 2`, where a launch has others too.
fn write_among(f: &mut Formatter<'_>, ranks: &[usize]) -> fmt::Result {
    match ranks {
        [] => Ok(()),
        [rank] => write!(f, " of rank {rank}"),
        ranks => write!(f, " among ranks {}", ranges(ranks)),
    }
}

/// Writes where ranks stand, those together that stand alike.
fn write_groups(f: &mut Formatter<'_>, states: impl Iterator<Item = (usize, RankState)>) -> fmt::Result {
    let mut groups: Vec<(String, Vec<usize>)> = vec![];
    for (rank, state) in states {
        group(&mut groups, rank, &state);
    }
    for (text, ranks) in groups {
        write!(f, "\n  = rank{} {}: {text}", if ranks.len() == 1 { "" } else { "s" }, ranges(&ranks))?;
    }
    Ok(())
}

/// Writes the first [`MAX_RANKS`] of a list in full, and where the others stand.
fn write_ranks<T: Display>(f: &mut Formatter<'_>, list: &[T], state: impl Fn(&T) -> RankState) -> fmt::Result {
    for item in list.iter().take(MAX_RANKS) {
        item.fmt(f)?;
    }
    let others = list.iter().skip(MAX_RANKS).map(|item| {
        let state = state(item);
        (state.site().map_or(0, |site| site.rank), state)
    });
    write_groups(f, others)
}

/// The state of a rank in a wait.
fn blocked(wait: &Blocked) -> RankState {
    RankState::Blocked(wait.site.clone())
}

impl Display for Deadlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let total = self.blocked.len() + self.finished;
        f.write_str("deadlock")?;
        write_among(f, &self.among)?;
        write!(f, ": {} of {total} blocked, {} finished", Count(self.blocked.len(), "rank"), self.finished)?;
        self.not_entered.iter().try_for_each(|collective| collective.fmt(f))?;
        write_ranks(f, &self.blocked, blocked)?;
        f.write_str("\n  = help: ")?;
        let absent = self.not_entered.iter().flat_map(|collective| &collective.absent);
        if absent.clone().any(|(_, state)| *state == RankState::Finished) {
            return f.write_str(
                "every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did not",
            );
        }
        let hopeless = self.blocked.iter().filter(|b| !b.senders.iter().any(|s| s.still));
        if self.blocked.iter().any(|b| b.senders.is_empty()) {
            f.write_str("a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait")
        } else if hopeless.clone().any(|b| b.senders.iter().any(|s| s.sent > 0)) {
            f.write_str("nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects")
        } else if hopeless.clone().any(|b| b.senders.iter().any(|s| s.elsewhere.is_some())) {
            f.write_str("compare peer and offsets of the notify with the offsets of the wait: a rank notified other cells than this one")
        } else if hopeless.count() > 0 {
            f.write_str("a rank passed its notify by: look at the conditions around it")
        } else {
            f.write_str("the ranks wait for one another: notify before you wait")
        }
    }
}

impl Display for Spinning {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Arrow(&self.site))?;
        write!(f, "\n  = rank {} re-reads {}, which stays {}", self.site.rank, self.cell, self.value)
    }
}

impl Display for Livelock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let total = self.spinning.len() + self.blocked.len() + self.finished;
        f.write_str("livelock")?;
        write_among(f, &self.among)?;
        write!(
            f,
            ": {} of {total} re-reading cells that nobody will change, {} blocked, {} finished",
            Count(self.spinning.len(), "rank"),
            self.blocked.len(),
            self.finished
        )?;
        write_ranks(f, &self.spinning, |spin| RankState::Spinning(spin.site.clone()))?;
        write_ranks(f, &self.blocked, blocked)?;
        f.write_str("\n  = help: `pl::read` acquires nothing and waits for nothing: use `pld::system::wait`, and a notify that satisfies it")
    }
}

impl Display for OpBudget {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "endless loop? rank {} executed more than {} ops", self.site.rank, self.budget)?;
        write!(f, "{}", Arrow(&self.site))?;
        f.write_str("\n  = help: look at the condition of the loop; a kernel that needs more ops than that takes a larger op budget")
    }
}

impl Display for Interrupted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")?;
        write_groups(f, self.ranks.iter().cloned())
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("error: ")?;
        match self {
            Fault::Race(fault) => fault.fmt(f),
            Fault::Uninitialised(fault) => fault.fmt(f),
            Fault::OutOfBounds(fault) => fault.fmt(f),
            Fault::Arithmetic(fault) => fault.fmt(f),
            Fault::ElementDivision(fault) => fault.fmt(f),
            Fault::Peer(fault) => fault.fmt(f),
            Fault::Extents(fault) => fault.fmt(f),
            Fault::Declared(fault) => fault.fmt(f),
            Fault::TileMemory(fault) => fault.fmt(f),
            Fault::CellOverflow(fault) => fault.fmt(f),
            Fault::Count(fault) => fault.fmt(f),
            Fault::Root(fault) => fault.fmt(f),
            Fault::Collective(fault) => fault.fmt(f),
            Fault::Deadlock(fault) => fault.fmt(f),
            Fault::Livelock(fault) => fault.fmt(f),
            Fault::OpBudget(fault) => fault.fmt(f),
            Fault::Interrupted(fault) => fault.fmt(f),
        }
    }
}

impl core::error::Error for Fault {}
