//! What the calls of a launch must agree on: a collective works on one window, that of all ranks of a domain.

use super::call::{Argument, Kind, WindowRef};
use super::error::{BindProblem, Ranks};
use super::launch::Placed;
use pl_core::diag::{Diagnostic, Located};
use pl_core::ir::{Function, FunctionKind, Loc, Op, Place, StmtKind, visit};
use pl_core::verify::{Moment, verify};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter whose window a collective of the kernel uses.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The parameter: its position and its name.
    position: usize,
    name: String,
    /// The first collective that uses it, and where it stands.
    collective: &'static str,
    /// Whether a collective that uses it is sure to run.
    always: bool,
    kernel: String,
    level: FunctionKind,
    loc: Loc,
    place: Option<Place>,
}

/// The most windows that a report tells apart.
const SHOWN: usize = 4;

/// The parameters of a linked function whose windows its collectives use, each once.
pub(super) fn shared(function: &Function) -> Vec<Shared> {
    let roots = verify(function, Moment::Linked).inferred.roots;
    let memory = |op: &Op| -> Vec<usize> {
        let collective = op.code.is_composite();
        let roots = op.args.iter().filter_map(|arg| *roots.get(arg.as_local()?.0 as usize)?);
        if collective { roots.collect() } else { vec![] }
    };
    let mut found: Vec<Shared> = vec![];
    visit(&function.body, &mut |stmt| {
        let StmtKind::Op(op) = &stmt.kind else { return };
        for position in memory(op) {
            if found.iter().any(|s| s.position == position) {
                continue;
            }
            found.push(Shared {
                position,
                name: function.local_name(function.params[position].local).to_owned(),
                collective: op.code.path(),
                always: false,
                kernel: function.name.to_string(),
                level: function.kind,
                loc: stmt.loc,
                place: function.place(stmt.loc).or_else(|| function.place(function.loc)).cloned(),
            });
        }
    });
    for stmt in &function.body {
        if let StmtKind::Op(op) = &stmt.kind {
            let positions = memory(op);
            found.iter_mut().filter(|s| positions.contains(&s.position)).for_each(|s| s.always = true);
        }
    }
    found
}

/// One window of those that the ranks passed for one parameter.
struct Passed<'a> {
    window: &'a WindowRef<'a>,
    ranks: Vec<usize>,
}

/// The calls of one kernel that use one parameter in a collective, by the window that they pass for it.
struct Group<'a> {
    /// The address of the kernel's source, which is a static.
    source: usize,
    shared: &'a Shared,
    passed: Vec<Passed<'a>>,
}

/// The window that a call passes for a parameter.
fn window_for<'a>(placed: &'a Placed<'_>, shared: &Shared) -> Option<&'a WindowRef<'a>> {
    match placed.call.args.get(shared.position) {
        Some(Argument(Kind::Window(window))) => Some(window),
        _ => None,
    }
}

/// Whether the calls pass the same windows for the same parameters, and are those of all ranks of these windows, in their order. Then nothing is wrong with them.
fn are_alike<'a>(calls: &[Placed<'_>], mut parameters: impl Iterator<Item = &'a [Shared]>) -> bool {
    let (Some(first), Some(shared)) = (calls.first(), parameters.next()) else { return true };
    let passes_all = |shared: &Shared| {
        let ranks = || calls.iter().map(|placed| placed.rank);
        window_for(first, shared).is_some_and(|window| {
            let passes = |placed| window_for(placed, shared).is_some_and(|other| other.id == window.id);
            window.domain.iter().copied().eq(ranks()) && calls.iter().all(passes)
        })
    };
    parameters.all(|others| std::ptr::eq(others, shared)) && shared.iter().all(passes_all)
}

/// What is wrong with the windows of the collectives: for each kernel and parameter, that ranks of one domain do not pass the same one, or that a
/// rank of its domain has no call. `parameters` are those that the collectives of each call use.
pub(super) fn check<'a>(
    calls: &'a [Placed<'_>],
    parameters: impl Iterator<Item = &'a [Shared]> + Clone,
) -> Vec<BindProblem> {
    if are_alike(calls, parameters.clone()) {
        return vec![];
    }
    let mut groups: Vec<Group<'_>> = vec![];
    for (placed, parameters) in calls.iter().zip(parameters) {
        let Placed { rank, call } = placed;
        let source = std::ptr::from_ref(call.definition.source).addr();
        for shared in parameters {
            let Some(window) = window_for(placed, shared) else { continue };
            let known = groups.iter().position(|g| g.source == source && g.shared.position == shared.position);
            let at = known.unwrap_or_else(|| {
                groups.push(Group { source, shared, passed: vec![] });
                groups.len() - 1
            });
            let passed = &mut groups[at].passed;
            match passed.iter_mut().find(|p| p.window.id == window.id) {
                Some(passed) => passed.ranks.push(*rank),
                None => passed.push(Passed { window, ranks: vec![*rank] }),
            }
        }
    }
    if groups.is_empty() {
        return vec![];
    }
    let launched: BTreeSet<usize> = calls.iter().map(|placed| placed.rank).collect();
    let mut problems = vec![];
    for group in &groups {
        let differ = group.differ();
        if differ.is_empty() {
            problems.extend(group.passed.iter().filter_map(|passed| group.absent(passed, &launched, calls.len())));
        } else {
            problems.push(group.different(&differ, calls.len()));
        }
    }
    problems
}

impl Group<'_> {
    /// The windows of which a rank should have passed another one of the group: both are of domains that have it.
    fn differ(&self) -> Vec<&Passed<'_>> {
        if self.passed.len() < 2 {
            return vec![];
        }
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        let mut differ = vec![false; self.passed.len()];
        for (at, passed) in self.passed.iter().enumerate() {
            for rank in &**passed.window.domain {
                let other = *first.entry(*rank).or_insert(at);
                if other != at {
                    (differ[at], differ[other]) = (true, true);
                }
            }
        }
        self.passed.iter().zip(differ).filter(|(_, differs)| *differs).map(|(passed, _)| passed).collect()
    }

    fn different(&self, windows: &[&Passed<'_>], calls: usize) -> BindProblem {
        let Shared { name, collective, .. } = self.shared;
        let message = format!(
            "the ranks pass {} different windows for `{name}`, `{collective}` works on one window of all ranks",
            windows.len()
        );
        let help =
            format!("pass the same window for `{name}` in the calls of all ranks: every rank has its own part of it");
        let mut notes = vec![];
        for (i, Passed { window, ranks }) in windows.iter().take(SHOWN).enumerate() {
            let verb = if ranks.len() == 1 { "passes" } else { "pass" };
            let which = if i == 0 { "a window" } else { "another window" };
            notes.push(format!("{} {verb} {which} of shape {:?}", sorted(ranks), window.shape));
        }
        if let Some(more @ 1..) = windows.len().checked_sub(SHOWN) {
            notes.push(format!("… and {more} more windows"));
        }
        let ranks = windows.iter().flat_map(|p| &p.ranks).copied().collect();
        self.problem(message, help, notes, ranks, calls)
    }

    /// The problem that ranks of the window's domain have no call, where the collective is sure to run.
    fn absent(&self, passed: &Passed<'_>, launched: &BTreeSet<usize>, calls: usize) -> Option<BindProblem> {
        let Shared { name, collective, always, .. } = self.shared;
        let domain = passed.window.domain;
        let absent: Vec<usize> = domain.iter().copied().filter(|rank| !launched.contains(rank)).collect();
        // A rank that does not have the window was told so.
        let outside = passed.ranks.iter().any(|rank| !domain.contains(rank));
        if !always || outside || absent.is_empty() {
            return None;
        }
        let verb = if absent.len() == 1 { "has" } else { "have" };
        let message = format!(
            "`{collective}` works on the window `{name}` of {} ranks, and {} {verb} no call in this launch",
            domain.len(),
            sorted(&absent)
        );
        let help = "launch on a world with all ranks of the window, or pass a window that the subset has made";
        Some(self.problem(message, help.into(), vec![], passed.ranks.clone(), calls))
    }

    fn problem(
        &self,
        message: String,
        help: String,
        notes: Vec<String>,
        ranks: Vec<usize>,
        calls: usize,
    ) -> BindProblem {
        let Shared { kernel, level, loc, place, .. } = self.shared;
        let mut diagnostic = Diagnostic::new(*loc, message, help);
        for note in notes {
            diagnostic = diagnostic.with(Loc::NONE, note);
        }
        let related = vec![None; diagnostic.related.len()];
        let located = Located { kernel: kernel.clone(), level: *level, place: place.clone(), diagnostic, related };
        BindProblem { located, ranks, calls }
    }
}

/// Ranks in rising order, as text.
fn sorted(ranks: &[usize]) -> String {
    let mut ranks = ranks.to_vec();
    ranks.sort_unstable();
    Ranks(&ranks).to_string()
}
