//! Whether the windows of the calls are of domains that have the ranks which use them.

use super::Error;
use super::call::Call;
use super::error::{BindProblem, Ranks};
use super::launch::Placed;
use super::world::Shared;
use pl_core::diag::{Diagnostic, Located};
use pl_core::ir::{FunctionKind, Loc};
use pl_core::pass;
use std::sync::Arc;

/// The windows that are passed by a rank which does not have them: each parameter once, with the ranks. A window can only be used with the devices on
/// which it was made: one of another world is an error of its own.
pub(super) fn check(shared: &Arc<Shared>, calls: &[Placed<'_>]) -> Result<Vec<BindProblem>, Error> {
    /// A kernel's parameter and the domain of a window that was passed for it.
    type Passed<'a> = (usize, usize, &'a Arc<[usize]>);
    let (mut found, mut problems): (Vec<Passed<'_>>, Vec<BindProblem>) = (vec![], vec![]);
    for Placed { rank, call } in calls {
        for (position, _, window) in call.windows() {
            if !Arc::ptr_eq(window.owner, shared) {
                return Err(Error::usage(
                    format!("{}, called for rank {rank}, is a window of another world", call.argument(position)),
                    "a window can be used only in the world that made it; make one with this world's `window`",
                ));
            }
            if window.domain.get(*rank) == Some(rank) || window.domain.contains(rank) {
                continue;
            }
            let source = std::ptr::from_ref(call.definition.source).addr();
            let passed = (source, position, window.domain);
            match found.iter().position(|known| *known == passed) {
                Some(at) => problems[at].ranks.push(*rank),
                None => {
                    found.push(passed);
                    problems.push(BindProblem {
                        located: outside(call, position, window.domain),
                        ranks: vec![*rank],
                        calls: calls.len(),
                    });
                }
            }
        }
    }
    Ok(problems)
}

fn outside(call: &Call<'_>, position: usize, domain: &[usize]) -> Located {
    let kernel = pass::load(call.definition.source).ok();
    let param = kernel.as_ref().and_then(|f| f.locals.get(f.params.get(position)?.local.0 as usize));
    let name = param.map_or("?", |local| &local.name);
    let loc = param.map_or(Loc::NONE, |local| local.loc);
    let mut sorted = domain.to_vec();
    sorted.sort_unstable();
    let message = format!("the window passed for `{name}` is one of {} only", Ranks(&sorted));
    let help = "a rank uses windows of domains that it is a rank of: pass one that the world, or a subset with this rank, has made";
    let place = kernel.as_ref().and_then(|f| f.place(loc).or_else(|| f.place(f.loc)).cloned());
    let level = kernel.as_ref().map_or(FunctionKind::InCore, |f| f.kind);
    let diagnostic = Diagnostic::new(loc, message, help);
    Located { kernel: call.kernel().into(), level, place, diagnostic, related: vec![] }
}
