//! What would have ordered two accesses that race: where both ranks stood among the collectives, notifies and waits.

use crate::check::clock::Stamp;
use crate::exec::site_of_entry;
use crate::machine::{Env, Machine};
use crate::plan::Plan;
use pl_core::fault::{Learnt, Race, Reached};
use pl_core::op::OpCode;

/// Two accesses that nothing orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unordered {
    /// The one that happened.
    pub(crate) first: Stamp,
    /// The one that was stopped.
    pub(crate) second: Stamp,
    /// The domain of their window: its number in the launch.
    pub(crate) domain: usize,
}

/// Completes the report of a race, once no rank runs.
pub(crate) fn explain(mut race: Race, found: Unordered, machines: &[Machine<'_>], env: &Env<'_>) -> Race {
    let Unordered { first, second, domain } = found;
    let site = |stamp: Stamp| env.site(stamp.rank as usize, stamp.pc as usize);
    let machine = |stamp: Stamp| &machines[stamp.rank as usize];
    race.first.reached = reached(machine(first), first, domain, env);
    race.second.reached = reached(machine(second), second, domain, env);
    race.notify = machine(first).trail.notify_in(first.epoch).map(site);
    let waits = machine(second).trail.waits(second.epoch);
    race.learnt = waits.filter(|_| race.acquired > 0).find_map(|(wait, from)| {
        if from.rank == first.rank {
            return Some(Learnt { wait: site(wait), through: None });
        }
        // What the other rank had learnt before that notify of it.
        let mut theirs = machine(from).trail.waits(from.epoch);
        theirs.find(|(_, from)| from.rank == first.rank && from.epoch == race.acquired)?;
        Some(Learnt { wait: site(wait), through: Some(env.ranks[from.rank as usize]) })
    });
    race
}

/// The collective of a domain that a rank was in when it made an access, or had passed last.
fn reached(machine: &Machine<'_>, access: Stamp, domain: usize, env: &Env<'_>) -> Option<Reached> {
    let mut of_domain = machine.trail.collectives().filter(|entered| entered.domain == domain);
    of_domain.find_map(|entered| {
        let inside = (entered.pc..leave_of(machine.plan, entered.pc)).contains(&(access.pc as usize));
        // An access in the epoch in which the rank entered came before, unless it is one of the collective's own.
        let after = access.epoch > entered.epoch || access.epoch == entered.epoch && inside;
        let site = || site_of_entry(env, machine.call(), entered.pc);
        after.then(|| Reached { number: entered.number, inside, site: site() })
    })
}

/// The instruction by which a rank leaves the collective that it enters at `pc`.
fn leave_of(plan: &Plan, pc: usize) -> usize {
    let leaves = |at: &usize| plan.op_at(*at).is_some_and(|op| op.code == OpCode::Leave);
    (pc..plan.code.len()).find(leaves).unwrap_or(plan.code.len())
}
