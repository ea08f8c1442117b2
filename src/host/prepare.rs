//! From calls to programs: linked, bound, lowered, and kept, so that calls that differ only in data are bound once.

use super::agree::{self, Shared};
use super::error::BindProblem;
use super::launch::Placed;
use super::{Call, domain};
use crate::collectives;
use pl_core::bind::{self, ArgShape, BindError, Platform, Program};
use pl_core::dtype::DType;
use pl_core::ir::{ConstValue, Function};
use pl_core::pass;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Gives for a kernel's name and lowered function another function, which is verified and run in its place.
pub type Rewrite = Arc<dyn Fn(&str, Function) -> Function + Send + Sync>;

/// The most programs that a world keeps.
const KEPT: usize = 256;

/// What makes two calls the same program.
#[derive(Debug, PartialEq)]
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
}

/// A call on its way to a run.
#[derive(Debug)]
pub(super) struct Compiled {
    /// The kernel, its constants filled in and its callees inlined.
    pub(super) linked: Function,
    /// What runs.
    pub(super) program: Arc<Program>,
}

/// What became of a call: its program or what is wrong with it, and, as soon as it is linked, what its collectives use.
#[derive(Clone, Debug)]
struct Outcome {
    compiled: Result<Arc<Compiled>, BindError>,
    shared: Arc<[Shared]>,
}

/// Compiles one call.
fn compile(call: &Call<'_>, platform: &Platform, rewrite: Option<&Rewrite>) -> Outcome {
    match pass::link(&call.definition) {
        Ok(linked) => {
            let shared = agree::shared(&linked).into();
            Outcome { compiled: lower(linked, call, platform, rewrite).map(Arc::new), shared }
        }
        Err(error) => Outcome { compiled: Err(error), shared: [].into() },
    }
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

/// The programs of a world.
#[derive(Default)]
pub(super) struct Programs {
    /// The last used first.
    kept: Mutex<VecDeque<(Key, Outcome)>>,
    rewrite: Mutex<Option<Rewrite>>,
}

impl Programs {
    /// From now on every kernel is rewritten.
    pub(super) fn rewrite_by(&self, rewrite: Rewrite) {
        *self.rewrite.lock().unwrap_or_else(PoisonError::into_inner) = Some(rewrite);
        self.kept().clear();
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(Key, Outcome)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program of each call, or everything that is wrong with any of them.
    pub(super) fn of(&self, calls: &[Placed<'_>], platform: &Platform) -> Result<Vec<Arc<Compiled>>, Vec<BindProblem>> {
        let mut distinct: Vec<(Key, Outcome)> = vec![];
        let mut chosen = vec![];
        let mut programs = vec![];
        let mut problems = domain::check(calls);
        let rewrite = self.rewrite.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for Placed { rank, call } in calls {
            let key = Key::new(call);
            let at = distinct.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
                let outcome = self.get(&key).unwrap_or_else(|| compile(call, platform, rewrite.as_ref()));
                distinct.push((key, outcome));
                distinct.len() - 1
            });
            chosen.push(at);
            match &distinct[at].1.compiled {
                Ok(program) => programs.push(program.clone()),
                Err(BindError(found)) => {
                    for located in found {
                        match problems.iter_mut().find(|p| p.located == *located) {
                            Some(problem) if problem.ranks.last() == Some(rank) => {}
                            Some(problem) => problem.ranks.push(*rank),
                            None => problems.push(BindProblem {
                                located: located.clone(),
                                ranks: vec![*rank],
                                calls: calls.len(),
                            }),
                        }
                    }
                }
            }
        }
        let shared = chosen.iter().map(|at| &*distinct[*at].1.shared);
        problems.extend(agree::check(calls, shared));
        problems.iter_mut().for_each(|problem| problem.ranks.sort_unstable());
        self.keep(distinct);
        if problems.is_empty() { Ok(programs) } else { Err(problems) }
    }

    fn get(&self, key: &Key) -> Option<Outcome> {
        self.kept().iter().find(|(k, _)| k == key).map(|(_, outcome)| outcome.clone())
    }

    /// Puts programs in front, and forgets those that were not used for the longest time.
    fn keep(&self, used: Vec<(Key, Outcome)>) {
        let mut kept = self.kept();
        for (key, outcome) in used.into_iter().filter(|(_, outcome)| outcome.compiled.is_ok()) {
            kept.retain(|(k, _)| *k != key);
            kept.push_front((key, outcome));
        }
        kept.truncate(KEPT);
    }
}
