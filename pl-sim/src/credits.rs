//! What builtins leave in their signals: the cells are as they were before, or the next collective goes wrong.

use crate::check::Leftover;
use crate::env::Env;
use crate::exec::site_of_entry;
use crate::machine::Machine;
use crate::plan::{Operand, Plan};
use crate::shared::Lock;
use crate::stuck::{cell_of, history_of};
use crate::window::Window;
use pl_core::fault::{Credits, CreditsFound, Fault, Site};
use pl_core::op::OpCode;

/// The signals of the collectives that a plan enters, by their numbers among the memories.
pub(crate) fn signals(plan: &Plan) -> impl Iterator<Item = u32> + '_ {
    plan.ops.iter().filter_map(|op| match (op.code, op.args.first()) {
        (OpCode::Enter, Some(&Operand::Memory(memory))) => Some(memory),
        _ => None,
    })
}

/// The fault of a cell of `owner` that does not hold what it should.
#[expect(clippy::too_many_arguments, reason = "what a report says")]
pub(crate) fn fault(
    env: &Env<'_>,
    machine: &Machine<'_>,
    site: Site,
    memory: u32,
    window: &Window,
    owner: usize,
    found: Leftover,
    when: CreditsFound,
) -> Fault {
    Fault::Credits(Box::new(Credits {
        site,
        when,
        cell: cell_of(machine.plan, memory, window, owner, found.index),
        value: found.value,
        credit: found.credit,
        history: history_of(env, window, owner, found.index),
    }))
}

/// What builtins of a launch that went well left in the signals of its collectives.
pub(crate) fn left<'w>(
    windows: impl Iterator<Item = &'w Window>,
    machines: &mut [Lock<Machine<'_>>],
    env: &Env<'_>,
) -> Option<Fault> {
    windows.into_iter().find_map(|window| {
        let (owner, found) = (0..window.domain.len()).find_map(|owner| Some((owner, window.memory(owner).left()?)))?;
        let machines: Vec<&Machine<'_>> = machines.iter_mut().map(|machine| &*machine.get_mut()).collect();
        // The owner's last collective with this signal; where it is too long ago, or the owner enters none, any that has it.
        let is_this = |machine: &Machine<'_>, memory: u32| {
            let param = machine.plan.memories[memory as usize].param;
            env.lineup.window(machine.call(), param) == Some(window.id)
        };
        let entered = |machine: &Machine<'_>, pc: usize| match machine.plan.op_at(pc)?.args.first()? {
            &Operand::Memory(memory) if is_this(machine, memory) => Some((memory, pc)),
            _ => None,
        };
        let last = |machine: &Machine<'_>| machine.trail.collectives().find_map(|one| entered(machine, one.pc));
        let owners = env.call_of(window, owner).and_then(|call| machines.get(call));
        let (machine, (memory, pc)) = owners.into_iter().chain(&machines).find_map(|m| Some((*m, last(m)?)))?;
        let site = site_of_entry(env, machine.call(), pc);
        Some(fault(env, machine, site, memory, window, owner, found, CreditsFound::After))
    })
}
