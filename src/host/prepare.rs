//! From calls to programs: linked, bound, lowered, and kept, so that calls that differ only in data are bound once.

use super::Call;
use super::agree::{self, Shared};
use super::error::BindProblem;
use super::launch::Placed;
use crate::collectives;
use pl_core::bind::{self, ArgShape, BindError, Platform, Program};
use pl_core::dtype::DType;
use pl_core::ir::{ConstValue, Function};
use pl_core::pass;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Gives for a kernel's name and lowered function another function, which is verified and run in its place.
pub type Rewrite = Arc<dyn Fn(&str, Function) -> Function + Send + Sync>;

/// The most programs that a world keeps.
const KEPT: usize = 256;

/// What makes two calls the same program.
#[derive(Debug)]
struct Key {
    /// The address of the source, which is a static.
    source: usize,
    types: Vec<DType>,
    consts: Vec<ConstValue>,
    /// The addresses of the callees: which instances they are depends on the kernel's generic arguments too.
    callees: Vec<usize>,
    shapes: Vec<ArgShape>,
}

impl Key {
    fn new(call: &Call<'_>) -> Key {
        let definition = &call.definition;
        Key {
            source: std::ptr::from_ref(definition.source).addr(),
            types: definition.types.clone(),
            consts: definition.consts.clone(),
            callees: definition.callees.iter().map(|callee| *callee as usize).collect(),
            shapes: call.shapes(),
        }
    }

    /// Whether this is the key of a call.
    fn is_of(&self, call: &Call<'_>) -> bool {
        let definition = &call.definition;
        self.source == std::ptr::from_ref(definition.source).addr()
            && self.types == definition.types
            && self.consts == definition.consts
            && self.callees.iter().copied().eq(definition.callees.iter().map(|callee| *callee as usize))
            && call.has_shapes(&self.shapes)
    }
}

/// A call on its way to a run.
#[derive(Debug)]
pub(super) struct Compiled {
    /// The kernel, its constants filled in and its callees inlined.
    pub(super) linked: Function,
    /// What runs.
    pub(super) program: Arc<Program>,
}

/// What became of a call.
struct Outcome {
    key: Key,
    /// Its program, or what is wrong with it.
    compiled: Result<Arc<Compiled>, BindError>,
    /// What its collectives use.
    shared: Vec<Shared>,
}

/// Compiles one call.
fn compile(call: &Call<'_>, platform: &Platform, rewrite: Option<&Rewrite>) -> Outcome {
    let (compiled, shared) = match pass::link(&call.definition) {
        Ok(linked) => {
            let shared = agree::shared(&linked);
            (lower(linked, call, platform, rewrite).map(Arc::new), shared)
        }
        Err(error) => (Err(error), vec![]),
    };
    Outcome { key: Key::new(call), compiled, shared }
}

fn lower(
    linked: Function,
    call: &Call<'_>,
    platform: &Platform,
    rewrite: Option<&Rewrite>,
) -> Result<Compiled, BindError> {
    let bindings = bind::bind(&linked, &call.shapes())?;
    let mut lowered = pass::lower(&linked, &bindings, platform, collectives::library())?;
    if let Some(rewrite) = rewrite {
        lowered = rewrite(&linked.name, lowered);
    }
    let program = bind::of_lowered(lowered, &bindings, platform)?;
    Ok(Compiled { linked, program: Arc::new(program) })
}

/// A number for each call of a launch.
type PerCall = SmallVec<[usize; 8]>;

/// The programs of the calls of a launch.
pub(super) struct Prepared {
    programs: SmallVec<[Arc<Compiled>; 2]>,
    /// Which of them is that of each call.
    of: PerCall,
}

impl Prepared {
    /// That of each call.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Compiled>> {
        self.of.iter().map(|program| &self.programs[*program])
    }
}

/// The programs of a world.
#[derive(Default)]
pub(super) struct Programs {
    /// The last used first.
    kept: Mutex<VecDeque<Arc<Outcome>>>,
    rewrite: Mutex<Option<Rewrite>>,
}

impl Programs {
    /// From now on every kernel is rewritten.
    pub(super) fn rewrite_by(&self, rewrite: Rewrite) {
        *self.rewrite.lock().unwrap_or_else(PoisonError::into_inner) = Some(rewrite);
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<Outcome>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program of each call, or everything that is wrong with any of them, with these problems before.
    pub(super) fn of(
        &self,
        calls: &[Placed<'_>],
        platform: &Platform,
        mut problems: Vec<BindProblem>,
    ) -> Result<Prepared, Vec<BindProblem>> {
        let (outcomes, of) = self.outcomes(calls, platform);
        for (Placed { rank, .. }, outcome) in calls.iter().zip(&of) {
            let Err(BindError(found)) = &outcomes[*outcome].compiled else { continue };
            for located in found {
                match problems.iter_mut().find(|p| p.located == *located) {
                    Some(problem) if problem.ranks.last() == Some(rank) => {}
                    Some(problem) => problem.ranks.push(*rank),
                    None => {
                        problems.push(BindProblem { located: located.clone(), ranks: vec![*rank], calls: calls.len() })
                    }
                }
            }
        }
        if outcomes.iter().any(|outcome| !outcome.shared.is_empty()) {
            problems.extend(agree::check(calls, of.iter().map(|outcome| &*outcomes[*outcome].shared)));
        }
        problems.iter_mut().for_each(|problem| problem.ranks.sort_unstable());
        if !problems.is_empty() {
            return Err(problems);
        }
        let programs = outcomes.iter().filter_map(|outcome| outcome.compiled.as_ref().ok().cloned()).collect();
        Ok(Prepared { programs, of })
    }

    /// What becomes of the calls, and which of it becomes of each.
    fn outcomes(&self, calls: &[Placed<'_>], platform: &Platform) -> (SmallVec<[Arc<Outcome>; 2]>, PerCall) {
        let mut outcomes: SmallVec<[Arc<Outcome>; 2]> = SmallVec::new();
        let mut of = PerCall::with_capacity(calls.len());
        for (at, Placed { call, .. }) in calls.iter().enumerate() {
            // Most launches run one program on every rank, on the same windows.
            let before = at.checked_sub(1).filter(|before| call.is_like(&calls[*before].call)).map(|before| of[before]);
            let known = before.or_else(|| outcomes.iter().position(|outcome| outcome.key.is_of(call)));
            of.push(known.unwrap_or(outcomes.len()));
            if known.is_none() {
                outcomes.push(self.outcome(call, platform));
            }
        }
        (outcomes, of)
    }

    /// What becomes of a call: it is kept, when it compiles, until others have been used in the meantime.
    fn outcome(&self, call: &Call<'_>, platform: &Platform) -> Arc<Outcome> {
        let mut kept = self.kept();
        if let Some(at) = kept.iter().position(|outcome| outcome.key.is_of(call)) {
            let found = Arc::clone(&kept[at]);
            if at > 0 {
                kept.make_contiguous()[..=at].rotate_right(1);
            }
            return found;
        }
        drop(kept);
        let rewrite = self.rewrite.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let outcome = Arc::new(compile(call, platform, rewrite.as_ref()));
        if outcome.compiled.is_ok() {
            let mut kept = self.kept();
            kept.retain(|other| !other.key.is_of(call));
            kept.push_front(Arc::clone(&outcome));
            kept.truncate(KEPT);
        }
        outcome
    }
}
