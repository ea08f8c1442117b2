//! What would have ordered two accesses that race, or a read after the write that it lacks: where the ranks stood among the collectives, notifies
//! and waits.

use crate::check::clock::Stamp;
use crate::env::Env;
use crate::exec::site_of_entry;
use crate::follow::{self, Element};
use crate::machine::Machine;
use crate::plan::Plan;
use crate::stuck::{rank_state, window_of};
use pl_core::fault::{Learnt, Passed, Race, Reached, Uninitialised, Writer};
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

/// A read of an element that nothing wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwritten {
    /// The call of the rank that reads.
    pub(crate) reader: usize,
    /// The memory, as its plan numbers it.
    pub(crate) memory: u32,
    /// The rank whose memory it is, in the domain of the window.
    pub(crate) owner: usize,
    /// The element.
    pub(crate) element: usize,
}

/// Completes the report of a read of what nothing wrote, once no rank runs.
pub(crate) fn explain_missing(
    mut missing: Uninitialised,
    found: Unwritten,
    machines: &[Machine<'_>],
    env: &Env<'_>,
) -> Uninitialised {
    let Unwritten { reader, memory, owner, element } = found;
    let site = |stamp: Stamp| env.site(stamp.rank as usize, stamp.pc as usize);
    missing.learnt = machines[reader]
        .trail
        .waits(u32::MAX)
        .next()
        .map(|(wait, from)| Box::new(Passed { wait: site(wait), notify: site(from) }));
    missing.idle = machines[reader].trail.idle().map(|pc| Box::new(env.site(reader, pc)));
    let Some(window) = window_of(&machines[reader], memory) else { return missing };
    let element = Element { window, owner, index: element };
    let writer = |machine: &Machine<'_>| {
        let ahead = follow::write_ahead(machine, element)?;
        let site = machine.plan.site(machine.rank, ahead.pc);
        Some(Writer { site, still: ahead.certain, state: rank_state(machine) })
    };
    let others = machines.iter().filter(|machine| machine.call() != reader);
    missing.writers = others.filter_map(writer).take(Uninitialised::MAX_WRITERS).collect();
    if missing.writers.is_empty() {
        missing.writers.extend(writer(&machines[reader]).filter(|own| own.still));
    }
    let of_owner = env.call_of(window, owner).map(|call| &machines[call]);
    let discard = of_owner.and_then(|machine| Some((machine, follow::discarded(machine, element)?)));
    missing.discarded = discard.map(|(machine, pc)| Box::new(machine.plan.site(machine.rank, pc)));
    missing
}

/// Completes the report of a race, once no rank runs.
pub(crate) fn explain(mut race: Race, found: Unordered, machines: &[Machine<'_>], env: &Env<'_>) -> Race {
    let Unordered { first, second, domain } = found;
    let site = |stamp: Stamp| env.site(stamp.rank as usize, stamp.pc as usize);
    let machine = |stamp: Stamp| &machines[stamp.rank as usize];
    race.first.reached = reached(machine(first), first, domain, env);
    race.second.reached = reached(machine(second), second, domain, env);
    race.polled = machine(second).trail.polled().map(|pc| env.site(second.rank as usize, pc));
    race.idle = machine(second).trail.idle().map(|pc| env.site(second.rank as usize, pc));
    race.notify = machine(first).trail.notify_in(first.epoch).map(site);
    let notify = machine(first).trail.notify_in(race.acquired).map(site);
    let waits = machine(second).trail.waits(second.epoch);
    race.learnt = waits.filter(|_| race.acquired > 0).find_map(|(wait, from)| {
        if from.rank == first.rank {
            return Some(Learnt { wait: site(wait), notify: notify.clone(), through: None });
        }
        // What the other rank had learnt before that notify of it.
        let mut theirs = machine(from).trail.waits(from.epoch);
        theirs.find(|(_, from)| from.rank == first.rank && from.epoch == race.acquired)?;
        Some(Learnt { wait: site(wait), notify: notify.clone(), through: Some(env.ranks[from.rank as usize]) })
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
