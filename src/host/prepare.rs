//! From calls to programs: linked, bound, lowered, and kept, so that calls that differ only in data are bound once.

use super::Call;
use super::error::BindProblem;
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

/// Compiles one call.
fn compile(call: &Call<'_>, platform: &Platform, world: usize) -> Result<Compiled, BindError> {
    let linked = pass::link(&call.definition)?;
    let bindings = bind::bind(&linked, &call.shapes(), world)?;
    let program = bind::program(&linked, &bindings, platform, collectives::library())?;
    Ok(Compiled { linked, program: Arc::new(program) })
}

/// The programs of a world, the last used first.
#[derive(Debug, Default)]
pub(super) struct Programs(Mutex<VecDeque<(Key, Arc<Compiled>)>>);

impl Programs {
    /// The program of each call, or everything that is wrong with any of them.
    pub(super) fn of(
        &self,
        calls: &[Call<'_>],
        platform: &Platform,
        world: usize,
    ) -> Result<Vec<Arc<Compiled>>, Vec<BindProblem>> {
        let mut distinct: Vec<(Key, Result<Arc<Compiled>, BindError>)> = vec![];
        let mut programs = vec![];
        let mut problems: Vec<BindProblem> = vec![];
        for (rank, call) in calls.iter().enumerate() {
            let key = Key::new(call);
            let at = distinct.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
                let program = self.get(&key).map_or_else(|| compile(call, platform, world).map(Arc::new), Ok);
                distinct.push((key, program));
                distinct.len() - 1
            });
            match &distinct[at].1 {
                Ok(program) => programs.push(program.clone()),
                Err(BindError(found)) => {
                    for located in found {
                        match problems.iter_mut().find(|p| p.located == *located) {
                            Some(problem) if problem.ranks.last() == Some(&rank) => {}
                            Some(problem) => problem.ranks.push(rank),
                            None => problems.push(BindProblem { located: located.clone(), ranks: vec![rank], world }),
                        }
                    }
                }
            }
        }
        self.keep(distinct);
        if problems.is_empty() { Ok(programs) } else { Err(problems) }
    }

    fn get(&self, key: &Key) -> Option<Arc<Compiled>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(k, _)| k == key).map(|(_, program)| program.clone())
    }

    /// Puts programs in front, and forgets those that were not used for the longest time.
    fn keep(&self, used: Vec<(Key, Result<Arc<Compiled>, BindError>)>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, program) in used {
            let Ok(program) = program else { continue };
            kept.retain(|(k, _)| *k != key);
            kept.push_front((key, program));
        }
        kept.truncate(KEPT);
    }
}
