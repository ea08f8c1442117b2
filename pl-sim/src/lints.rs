//! What was odd about a run that went well.

use crate::env::Env;
use crate::machine::{Machine, Memory};
use pl_core::fault::{Lint, LintData, LintKind, Lints, Site};
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// What is told of several ranks together: the kind, the place whatever the rank, and of a tensor that is not written which, and how many elements.
type Alike = (LintKind, Site, Option<(usize, usize)>);

/// Whether a kind was found, allowed or not.
pub(crate) fn found(env: &Env<'_>, kind: LintKind) -> bool {
    env.lints.lock().unwrap_or_else(PoisonError::into_inner).keys().any(|(.., found)| *found == kind)
}

/// What was found, each place of a kernel once, without what is allowed: for the launch, or where it was found.
pub(crate) fn collect<'m, 'a: 'm>(
    machines: impl Iterator<Item = &'m Machine<'a>>,
    env: &Env<'_>,
    allow: Lints,
) -> Vec<Lint> {
    let mut found: BTreeMap<Alike, Lint> = BTreeMap::new();
    let mut add = |site: Site, data: LintData| {
        let allowed = allow.union(site.place.as_ref().map_or(Lints::NONE, |place| place.allow));
        if allowed.contains(data.kind()) {
            return;
        }
        let unwritten = match &data {
            LintData::OutUnwritten { param, missing, .. } => Some((*param, *missing)),
            _ => None,
        };
        let key = (data.kind(), Site { rank: 0, ..site.clone() }, unwritten);
        let rank = site.rank;
        found.entry(key).or_insert_with(|| Lint { site, ranks: vec![], data }).ranks.push(rank);
    };
    for (&(call, pc, _), data) in &*env.lints.lock().unwrap_or_else(PoisonError::into_inner) {
        add(env.site(call, pc), data.clone());
    }
    for machine in machines {
        for (memory, info) in machine.memories.iter().zip(&machine.plan.memories) {
            if let Memory::Out(_, init) = memory
                && init.count_missing() > 0
            {
                let (param, missing) = (info.param, init.count_missing());
                let data =
                    LintData::OutUnwritten { memory: info.name.clone(), param, missing, elements: info.elements };
                add(machine.plan.kernel_site(machine.rank), data);
            }
        }
    }
    let mut lints: Vec<Lint> = found.into_values().collect();
    lints.iter_mut().for_each(|lint| {
        lint.ranks.sort_unstable();
        lint.ranks.dedup();
    });
    lints
}
