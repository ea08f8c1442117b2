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
use std::sync::{Arc, Mutex, PoisonError};

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
fn compile(call: &Call<'_>, platform: &Platform) -> Outcome {
    match pass::link(&call.definition) {
        Ok(linked) => {
            let shared = agree::shared(&linked).into();
            Outcome { compiled: lower(linked, call, platform).map(Arc::new), shared }
        }
        Err(error) => Outcome { compiled: Err(error), shared: [].into() },
    }
}

fn lower(linked: Function, call: &Call<'_>, platform: &Platform) -> Result<Compiled, BindError> {
    let bindings = bind::bind(&linked, &call.shapes())?;
    let program = bind::program(&linked, &bindings, platform, collectives::library())?;
    Ok(Compiled { linked, program: Arc::new(program) })
}

/// The programs of a world, the last used first.
#[derive(Debug, Default)]
pub(super) struct Programs(Mutex<VecDeque<(Key, Outcome)>>);

impl Programs {
    /// The program of each call, or everything that is wrong with any of them.
    pub(super) fn of(&self, calls: &[Placed<'_>], platform: &Platform) -> Result<Vec<Arc<Compiled>>, Vec<BindProblem>> {
        let mut distinct: Vec<(Key, Outcome)> = vec![];
        let mut chosen = vec![];
        let mut programs = vec![];
        let mut problems = domain::check(calls);
        for Placed { rank, call } in calls {
            let key = Key::new(call);
            let at = distinct.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
                let outcome = self.get(&key).unwrap_or_else(|| compile(call, platform));
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
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(k, _)| k == key).map(|(_, outcome)| outcome.clone())
    }

    /// Puts programs in front, and forgets those that were not used for the longest time.
    fn keep(&self, used: Vec<(Key, Outcome)>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, outcome) in used.into_iter().filter(|(_, outcome)| outcome.compiled.is_ok()) {
            kept.retain(|(k, _)| *k != key);
            kept.push_front((key, outcome));
        }
        kept.truncate(KEPT);
    }
}
