//! What the calls of a launch must agree on: a collective works on one window, that of all ranks.

use super::Call;
use super::call::Kind;
use super::error::{BindProblem, Ranks};
use pl_core::diag::{Diagnostic, Located};
use pl_core::ir::{Function, Loc, Place, StmtKind, visit};
use pl_core::runtime::WindowId;
use pl_core::verify::{Moment, verify};

/// A parameter whose window a collective of the kernel uses.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The parameter: its position and its name.
    position: usize,
    name: String,
    /// The first collective that uses it, and where it stands.
    collective: &'static str,
    kernel: String,
    loc: Loc,
    place: Option<Place>,
}

/// The most windows that a report tells apart.
const SHOWN: usize = 4;

/// The parameters of a linked function whose windows its collectives use, each once.
pub(super) fn shared(function: &Function) -> Vec<Shared> {
    let roots = verify(function, Moment::Linked).inferred.roots;
    let mut found: Vec<Shared> = vec![];
    visit(&function.body, &mut |stmt| {
        let StmtKind::Op(op) = &stmt.kind else { return };
        if !op.code.is_composite() {
            return;
        }
        let memory = op.args.iter().filter_map(|arg| *roots.get(arg.as_local()?.0 as usize)?);
        for position in memory {
            if found.iter().any(|s| s.position == position) {
                continue;
            }
            found.push(Shared {
                position,
                name: function.local_name(function.params[position].local).to_owned(),
                collective: op.code.path(),
                kernel: function.name.to_string(),
                loc: stmt.loc,
                place: function.place(stmt.loc).or_else(|| function.place(function.loc)).cloned(),
            });
        }
    });
    found
}

/// One window of those that the ranks passed for one parameter.
struct Passed<'a> {
    id: WindowId,
    shape: &'a [usize],
    ranks: Vec<usize>,
}

/// The calls of one kernel that use one parameter in a collective, by the window that they pass for it.
struct Group<'a> {
    /// The address of the kernel's source, which is a static.
    source: usize,
    shared: &'a Shared,
    passed: Vec<Passed<'a>>,
}

/// What is wrong with the windows of the collectives: for each kernel and parameter, that the ranks do not pass the same one. With each call
/// come the parameters that its collectives use.
pub(super) fn check<'a>(calls: impl Iterator<Item = (&'a Call<'a>, &'a [Shared])>, world: usize) -> Vec<BindProblem> {
    let mut groups: Vec<Group<'_>> = vec![];
    for (rank, (call, parameters)) in calls.enumerate() {
        let source = std::ptr::from_ref(call.definition.source).addr();
        for shared in parameters {
            let Some(Kind::Window { shape, id, .. }) = call.args.get(shared.position).map(|a| &a.0) else { continue };
            let known = groups.iter().position(|g| g.source == source && g.shared.position == shared.position);
            let at = known.unwrap_or_else(|| {
                groups.push(Group { source, shared, passed: vec![] });
                groups.len() - 1
            });
            let passed = &mut groups[at].passed;
            match passed.iter_mut().find(|p| p.id == *id) {
                Some(passed) => passed.ranks.push(rank),
                None => passed.push(Passed { id: *id, shape, ranks: vec![rank] }),
            }
        }
    }
    groups.iter().filter(|g| g.passed.len() > 1).map(|g| g.problem(world)).collect()
}

impl Group<'_> {
    fn problem(&self, world: usize) -> BindProblem {
        let Shared { name, collective, kernel, loc, place, .. } = self.shared;
        let message = format!(
            "the ranks pass {} different windows for `{name}`, `{collective}` works on one window of all ranks",
            self.passed.len()
        );
        let help =
            format!("pass the same window for `{name}` in the calls of all ranks: every rank has its own part of it");
        let mut diagnostic = Diagnostic::new(*loc, message, help);
        for (i, Passed { shape, ranks, .. }) in self.passed.iter().take(SHOWN).enumerate() {
            let verb = if ranks.len() == 1 { "passes" } else { "pass" };
            let window = if i == 0 { "a window" } else { "another window" };
            diagnostic = diagnostic.with(Loc::NONE, format!("{} {verb} {window} of shape {shape:?}", Ranks(ranks)));
        }
        if let Some(more @ 1..) = self.passed.len().checked_sub(SHOWN) {
            diagnostic = diagnostic.with(Loc::NONE, format!("… and {more} more windows"));
        }
        let related = vec![None; diagnostic.related.len()];
        let located = Located { kernel: kernel.clone(), place: place.clone(), diagnostic, related };
        let mut ranks: Vec<usize> = self.passed.iter().flat_map(|p| &p.ranks).copied().collect();
        ranks.sort_unstable();
        BindProblem { located, ranks, world }
    }
}
