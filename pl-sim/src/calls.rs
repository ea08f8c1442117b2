//! The calls of a launch, checked against their plans and the windows that there are.

use crate::plan::scalar::ScalarTy;
use crate::plan::{MemoryInfo, Plan};
use crate::window::Window;
use crate::windows::{Table, usage};
use pl_core::ir::{ConstValue, Mode};
use pl_core::runtime::{ArgValue, EngineError, Injection, RankCall, WindowId};
use smallvec::{SmallVec, smallvec};
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

/// Checks a call against its plan. Gives the window that each memory is, if it is one; for one that is a view of another, none.
pub(crate) fn check_call<'w>(
    table: &'w Table,
    call: &RankCall<'_>,
    plan: &Plan,
) -> Result<SmallVec<[Option<&'w Window>; 8]>, EngineError> {
    if call.args.len() != plan.params {
        return Err(usage(
            format!("kernel `{}` takes {} arguments, not {}", plan.kernel, plan.params, call.args.len()),
            "give one argument per parameter",
        ));
    }
    let mut windows = SmallVec::with_capacity(plan.memories.len());
    let mut domains: SmallVec<[Option<&Arc<[usize]>>; 4]> = smallvec![None; plan.domains.len()];
    for info in &plan.memories {
        let window = match info.view_of {
            Some(_) => None,
            None => check_memory(table, plan, info, &call.args[info.param])?,
        };
        if let Some(window) = window {
            check_domain(window, info, plan, call.rank, &mut domains)?;
        }
        windows.push(window);
    }
    for scalar in &plan.scalars {
        scalar_bits(plan, scalar.ty, &call.args[scalar.param])?;
    }
    Ok(windows)
}

/// Whether a plan takes the arguments of a call, of which the windows are those that it was once checked with.
pub(crate) fn takes(plan: &Plan, call: &RankCall<'_>, passed: impl Fn(usize) -> Option<WindowId>) -> bool {
    let takes = |info: &MemoryInfo| {
        info.view_of.is_some()
            || match &call.args[info.param] {
                ArgValue::Window(id) => passed(info.param) == Some(*id),
                arg => bytes_of(info, arg) == Some(info.elements * info.dtype.bytes()),
            }
    };
    call.args.len() == plan.params
        && plan.memories.iter().all(takes)
        && plan.scalars.iter().all(|scalar| scalar_bits(plan, scalar.ty, &call.args[scalar.param]).is_ok())
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
    if let ArgValue::Window(id) = arg
        && info.window
    {
        let window = table.get(*id)?;
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
    let Some(bytes) = bytes_of(info, arg) else {
        let wanted = match (info.window, info.mode) {
            (true, _) => "a window",
            (false, Mode::In) => "a tensor to read",
            (false, _) => "a tensor to write",
        };
        return Err(usage(format!("`{}` of kernel `{}` takes {wanted}", info.name, plan.kernel), ""));
    };
    let expected = info.elements * info.dtype.bytes();
    if bytes != expected {
        return Err(usage(
            format!("`{}` of kernel `{}` has {expected} bytes, not {bytes}", info.name, plan.kernel),
            "the array must have the shape that the kernel was bound with",
        ));
    }
    Ok(None)
}

/// How many bytes an argument has; `None` where it is no tensor, or not one to do that with.
fn bytes_of(info: &MemoryInfo, arg: &ArgValue<'_>) -> Option<usize> {
    match arg {
        ArgValue::In(bytes) if !info.window && info.mode == Mode::In => Some(bytes.len()),
        ArgValue::Out(bytes) if !info.window && info.mode != Mode::In => Some(bytes.len()),
        _ => None,
    }
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
