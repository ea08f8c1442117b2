//! The calls of a launch, checked against their plans and the windows that there are.

use crate::credits;
use crate::plan::scalar::ScalarTy;
use crate::plan::{MemoryInfo, Plan};
use crate::window::Window;
use crate::windows::{Table, Users, usage};
use pl_core::ir::{ConstValue, Mode};
use pl_core::runtime::{ArgValue, EngineError, Injection, RankCall, WindowId};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Each fault to inject befalls a rank of the launch.
pub(crate) fn check_injections(injections: &[Injection], calls: &[RankCall<'_>]) -> Result<(), EngineError> {
    for injection in injections {
        if !calls.iter().any(|call| call.rank == injection.rank()) {
            let mut ranks: Vec<usize> = calls.iter().map(|call| call.rank).collect();
            ranks.sort_unstable();
            return Err(usage(
                format!("the fault `{injection}` names rank {}, which has no call in the launch", injection.rank()),
                format!("the ranks of the launch are {ranks:?}"),
            ));
        }
        if injection.number() == 0 {
            return Err(usage(
                format!("the fault `{injection}` names number 0"),
                "the ops and notifies of a rank count from 1",
            ));
        }
    }
    Ok(())
}

/// The windows that are signals of the collectives of a launch.
pub(crate) fn signals(calls: &[RankCall<'_>], plans: &[&Arc<Plan>]) -> BTreeSet<WindowId> {
    let mut found = BTreeSet::new();
    let mut params: Vec<usize> = vec![];
    for (at, (call, plan)) in calls.iter().zip(plans).enumerate() {
        if at == 0 || !Arc::ptr_eq(plan, plans[at - 1]) {
            params = credits::signals(plan).map(|memory| plan.memories[memory as usize].param).collect();
        }
        found.extend(params.iter().filter_map(|param| match call.args[*param] {
            ArgValue::Window(id) => Some(id),
            _ => None,
        }));
    }
    found
}

/// Checks the calls against the plans. Gives the windows that they use, each with what the first kernel calls it.
pub(crate) fn check_calls(table: &Table, calls: &[RankCall<'_>], plans: &[&Arc<Plan>]) -> Result<Users, EngineError> {
    let mut used = Users::default();
    let mut domains: SmallVec<[Option<&Arc<[usize]>>; 4]> = SmallVec::new();
    // Per memory, the window of the call before, where that has the same plan.
    let mut before: SmallVec<[Option<&Window>; 8]> = SmallVec::new();
    for (at, (call, plan)) in calls.iter().zip(plans).enumerate() {
        if call.args.len() != plan.params {
            return Err(usage(
                format!("kernel `{}` takes {} arguments, not {}", plan.kernel, plan.params, call.args.len()),
                "give one argument per parameter",
            ));
        }
        if at == 0 || !Arc::ptr_eq(plan, plans[at - 1]) {
            before.clear();
            before.resize(plan.memories.len(), None);
        }
        domains.clear();
        domains.resize(plan.domains.len(), None);
        for (memory, (info, before)) in plan.memories.iter().zip(&mut *before).enumerate() {
            if info.view_of.is_some() {
                continue;
            }
            let window = match (&call.args[info.param], *before) {
                // Most launches have the same windows on every rank.
                (ArgValue::Window(id), Some(window)) if *id == window.id => window,
                (arg, _) => {
                    let Some(window) = check_memory(table, plan, info, arg)? else { continue };
                    used.add(window.id, plan, memory as u32);
                    *before = Some(window);
                    window
                }
            };
            check_domain(window, info, plan, call.rank, &mut domains)?;
        }
        for scalar in &plan.scalars {
            scalar_bits(plan, scalar.ty, &call.args[scalar.param])?;
        }
    }
    Ok(used)
}

/// Checks that the rank is one of the window's domain, and that this is the domain that the kernel was bound with.
fn check_domain<'w>(
    window: &'w Window,
    info: &MemoryInfo,
    plan: &Plan,
    rank: usize,
    domains: &mut [Option<&'w Arc<[usize]>>],
) -> Result<(), EngineError> {
    let ranks = &window.domain;
    let bound = info.domain.and_then(|domain| Some((domain, *plan.domains.get(domain)?)));
    let problem = match bound {
        Some((_, size)) if size != ranks.len() => {
            format!("`{}` was bound for a domain of {size} ranks, the window's has {}", info.name, ranks.len())
        }
        Some((domain, _)) => match domains[domain].get_or_insert(ranks) {
            first if !Arc::ptr_eq(first, ranks) && *first != ranks => {
                format!("`{}` was bound for the domain of another window, and its window is of another one", info.name)
            }
            _ if place_of(ranks, rank).is_some() => return Ok(()),
            _ => format!("rank {rank} is not of the domain of the window that it has as `{}`", info.name),
        },
        None => format!("`{}` was bound without a domain", info.name),
    };
    Err(EngineError::Window { window: window.id, problem: format!("{problem} (kernel `{}`)", plan.kernel) })
}

/// The number of a rank in a domain.
pub(crate) fn place_of(domain: &[usize], rank: usize) -> Option<usize> {
    if domain.get(rank) == Some(&rank) { Some(rank) } else { domain.iter().position(|r| *r == rank) }
}

/// Checks one argument that is memory; gives its window.
fn check_memory<'w>(
    table: &'w Table,
    plan: &Plan,
    info: &MemoryInfo,
    arg: &ArgValue<'_>,
) -> Result<Option<&'w Window>, EngineError> {
    let expected = info.elements * info.dtype.bytes();
    let bytes = match arg {
        ArgValue::Window(id) if info.window => {
            let window = table.get(*id)?;
            if window.poisoned {
                return Err(EngineError::Poisoned(*id));
            }
            // A kernel may have it in another shape.
            if (window.dtype, window.elements) != (info.dtype, info.elements) {
                let problem = format!(
                    "it is `{}` {:?}; `{}` of kernel `{}` is `{}` {:?}",
                    window.dtype, window.shape, info.name, plan.kernel, info.dtype, info.shape
                );
                return Err(EngineError::Window { window: *id, problem });
            }
            return Ok(Some(window));
        }
        ArgValue::In(bytes) if !info.window && info.mode == Mode::In => bytes.len(),
        ArgValue::Out(bytes) if !info.window && info.mode != Mode::In => bytes.len(),
        _ => {
            let wanted = match (info.window, info.mode) {
                (true, _) => "a window",
                (false, Mode::In) => "a tensor to read",
                (false, _) => "a tensor to write",
            };
            return Err(usage(format!("`{}` of kernel `{}` takes {wanted}", info.name, plan.kernel), ""));
        }
    };
    if bytes != expected {
        return Err(usage(
            format!("`{}` of kernel `{}` has {expected} bytes, not {bytes}", info.name, plan.kernel),
            "the array must have the shape that the kernel was bound with",
        ));
    }
    Ok(None)
}

/// The register that holds a scalar argument.
pub(crate) fn scalar_bits(plan: &Plan, ty: ScalarTy, arg: &ArgValue<'_>) -> Result<u64, EngineError> {
    let bits = match arg {
        ArgValue::Scalar(ConstValue::Scalar(lit, _)) => ty.literal(*lit),
        _ => None,
    };
    bits.ok_or_else(|| {
        usage(format!("a scalar argument of kernel `{}` is no `{}`: {arg:?}", plan.kernel, ty.name()), "")
    })
}
