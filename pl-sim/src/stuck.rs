//! Why nobody can run: the report of a deadlock or livelock, made from the ranks as they stand.

use crate::check::Awaited;
use crate::check::cell::Change;
use crate::env::Env;
use crate::exec::Entered;
use crate::machine::{Machine, Memory, State};
use crate::plan::scalar::ScalarTy;
use crate::plan::senders::Outlook;
use crate::plan::{OpInst, Plan};
use crate::region::indices;
use crate::sched::Groups;
use crate::window::Window;
use pl_core::dtype::DType;
use pl_core::fault::{
    Blocked, CellChange, CellEvent, CellHistory, Compare, Deadlock, Fault, Livelock, NotEntered, RankState, Region,
    Sender, Spinning, Stopped, StoppedRank,
};
use pl_core::op::Access;
use pl_core::runtime::WindowId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What a rank does.
pub(crate) fn rank_state(machine: &Machine<'_>) -> RankState {
    match machine.state {
        State::Done => RankState::Finished,
        State::Ready => RankState::Running(machine.site()),
        State::Waiting(..) => RankState::Blocked(machine.site()),
        State::Spinning(..) => RankState::Spinning(machine.site()),
        State::Stopped(_) => RankState::Stopped(machine.site()),
    }
}

/// What a rank could do from its start on, and what it still can.
struct Outlooks {
    start: Outlook,
    now: Outlook,
}

/// The fault of a group of ranks of which none can run and not all are done.
pub(crate) fn explain(machines: &[Machine<'_>], env: &Env<'_>, groups: &Groups, group: u32) -> Fault {
    let members: Vec<&Machine<'_>> = machines.iter().filter(|m| groups.of(m.call()) == group).collect();
    let outlooks: Vec<Outlooks> = members
        .iter()
        .map(|machine| Outlooks {
            start: machine.plan.outlook(machine.places),
            now: machine.plan.outlook_from(machine.pc, &machine.registers, machine.places),
        })
        .collect();
    let mut blocked = vec![];
    let mut spinning = vec![];
    let mut stopped = vec![];
    let mut sent = BTreeMap::new();
    for machine in &members {
        match machine.state {
            State::Waiting(memory, awaited) => {
                blocked.extend(explain_wait(&members, &outlooks, &mut sent, env, machine, memory, awaited));
            }
            State::Spinning(memory, element) => spinning.extend(explain_spin(machine, memory, element)),
            State::Stopped(op) => stopped.push(StoppedRank { site: machine.site(), op }),
            State::Ready | State::Done => {}
        }
    }
    blocked.sort_by_key(|b: &Blocked| b.site.rank);
    spinning.sort_by_key(|s: &Spinning| s.site.rank);
    stopped.sort_by_key(|s: &StoppedRank| s.site.rank);
    let finished = members.iter().filter(|m| m.state == State::Done).count();
    let mut among = vec![];
    if groups.count() > 1 {
        among.extend(members.iter().map(|m| m.rank));
        among.sort_unstable();
    }
    if !stopped.is_empty() {
        return Fault::Stopped(Stopped { among, stopped, spinning, blocked, finished });
    }
    let not_entered = not_entered(machines, &members, env);
    if !spinning.is_empty() {
        return Fault::Livelock(Livelock { among, not_entered, spinning, blocked, finished });
    }
    let in_collective = |rank: usize| members.iter().any(|m| m.rank == rank && m.trail.is_inside());
    let ring = ring(&blocked, in_collective);
    blocked.sort_by_key(|b| ring.iter().position(|rank| *rank == b.site.rank).unwrap_or(ring.len()));
    Fault::Deadlock(Deadlock { among, not_entered, ring, blocked, finished })
}

/// The shortest ring of ranks each of which waits for the next one, which could notify it still, were it not blocked itself. Of the ranks that could
/// notify a cell the one counts that did it least; the own rank only where no other has notified the cell, and not at the end of a collective.
fn ring(blocked: &[Blocked], in_collective: impl Fn(usize) -> bool) -> Vec<usize> {
    let at = |rank: usize| blocked.binary_search_by_key(&rank, |b| b.site.rank).ok();
    let next = |from: usize| {
        let wait = &blocked[from];
        let others = wait.senders.iter().any(|s| s.site.rank != wait.site.rank && s.sent > 0);
        let ends = |s: &Sender| s.site.rank == wait.site.rank && (others || in_collective(s.site.rank));
        let senders = wait.senders.iter().filter(|s| s.still && !ends(s));
        senders.filter_map(|s| Some((s.sent, at(s.site.rank)?))).min().map(|(_, next)| next)
    };
    let mut shortest: Vec<usize> = vec![];
    let mut seen = vec![false; blocked.len()];
    for start in 0..blocked.len() {
        let mut path = vec![];
        let mut now = Some(start);
        while let Some(rank) = now.filter(|rank| !seen[*rank]) {
            seen[rank] = true;
            path.push(rank);
            now = next(rank);
        }
        let ring = path.iter().position(|rank| Some(*rank) == now).map_or(&[][..], |at| &path[at..]);
        if !ring.is_empty() && (shortest.is_empty() || ring.len() < shortest.len()) {
            shortest = ring.to_vec();
        }
    }
    let least = shortest.iter().enumerate().min_by_key(|(_, rank)| **rank).map_or(0, |(at, _)| at);
    shortest.rotate_left(least);
    shortest.into_iter().map(|at| blocked[at].site.rank).collect()
}

/// The collectives in which ranks wait for others that did not enter them.
fn not_entered(machines: &[Machine<'_>], members: &[&Machine<'_>], env: &Env<'_>) -> Vec<NotEntered> {
    let state = |rank: usize| match env.calls.get(rank) {
        Some(&Some(call)) => rank_state(&machines[call as usize]),
        _ => RankState::NoCall,
    };
    let of_domain = |entered: &Mutex<Entered>| {
        let open = entered.lock().unwrap_or_else(PoisonError::into_inner).open(env)?;
        let absent = open.absent.iter().map(|&rank| (rank, state(rank))).collect();
        Some(NotEntered { first: open.first, entered: open.entered, absent })
    };
    // A domain's ranks share its windows, so they are all of one group.
    let of_group = |entered: &NotEntered| members.iter().any(|m| m.rank == entered.first.rank);
    env.entered.iter().filter_map(of_domain).filter(of_group).collect()
}

/// What a launch did to a cell of `owner`, a rank of the window's domain.
pub(crate) fn history_of(env: &Env<'_>, window: &Window, owner: usize, index: usize) -> CellHistory {
    let found = window.memory(owner).cell_history(index);
    let events = found.events.iter().map(|event| CellEvent {
        site: env.site(event.call as usize, event.pc as usize),
        change: match event.change {
            Change::Notify(deposit) => deposit.into(),
            Change::Store => CellChange::Store,
        },
        value: event.value,
    });
    CellHistory { initial: found.initial, earlier: found.earlier, events: events.collect() }
}

/// One element of a window's memory of `owner`, a rank of its domain; the plan says what the window is called.
pub(crate) fn cell_of(plan: &Plan, memory: u32, window: &Window, owner: usize, index: usize) -> Region {
    let info = &plan.memories[memory as usize];
    let offsets = indices(&info.shape, index);
    let extents = vec![1; offsets.len()];
    let (owner, domain_rank) = window.owner(owner);
    Region { memory: info.name.clone(), owner, domain_rank, offsets, extents }
}

pub(crate) fn window_of<'a>(machine: &Machine<'a>, memory: u32) -> Option<&'a Window> {
    match machine.memories[memory as usize] {
        Memory::Window(window) => Some(window),
        _ => None,
    }
}

/// What a rank sent to the cells of a window: how many notifies, and two of the cells, each with its owner in the domain.
#[derive(Clone, Default)]
struct Sent {
    count: u32,
    cells: Vec<(usize, usize)>,
}

/// What the rank of each call sent to the cells of a window.
fn sent_to(window: &Window, calls: usize) -> Vec<Sent> {
    let mut sent = vec![Sent::default(); calls];
    for owner in 0..window.domain.len() {
        window.memory(owner).for_each_sent(&mut |index, call, count| {
            let sent = &mut sent[call];
            sent.count = sent.count.saturating_add(count);
            if sent.cells.len() < 2 {
                sent.cells.push((owner, index));
            }
        });
    }
    sent
}

fn explain_wait(
    machines: &[&Machine<'_>],
    outlooks: &[Outlooks],
    sent: &mut BTreeMap<WindowId, Vec<Sent>>,
    env: &Env<'_>,
    machine: &Machine<'_>,
    memory: u32,
    awaited: Awaited,
) -> Option<Blocked> {
    let window = window_of(machine, memory)?;
    let owner = machine.own(memory);
    let all_sent = sent.entry(window.id).or_insert_with(|| sent_to(window, env.plans.len()));
    let mut senders = vec![];
    let mut more_senders = 0;
    for (sender, outlook) in machines.iter().zip(outlooks) {
        let call = sender.call();
        let is_this = |m: u32| window_of(sender, m).is_some_and(|w| w.id == window.id);
        let notify = |outlook| {
            let helps = |op: &OpInst| awaited.compare != Compare::Ge || !sender.plan.takes_back(outlook, op);
            let notifies = |op: &OpInst, access| access == Access::Notify && helps(op);
            sender.plan.reaches(outlook, sender.places, is_this, notifies, owner, awaited.index)
        };
        let still = notify(&outlook.now);
        let Some(possible) = still.or_else(|| notify(&outlook.start)) else { continue };
        if senders.len() == Blocked::MAX_SENDERS {
            more_senders += 1;
            continue;
        }
        let (sent, last) = window.memory(owner).sent(awaited.index, call);
        // Where it did notify is more than where it could have.
        let pc = if still.is_none() && sent > 0 { last as usize } else { possible };
        let other = all_sent[call].cells.iter().find(|cell| **cell != (owner, awaited.index));
        let elsewhere =
            other.map(|&(at, index)| (all_sent[call].count - sent, cell_of(machine.plan, memory, window, at, index)));
        senders.push(Sender {
            site: sender.plan.site(sender.rank, pc),
            sent,
            elsewhere,
            still: still.is_some(),
            state: rank_state(sender),
        });
    }
    Some(Blocked {
        site: machine.site(),
        cell: cell_of(machine.plan, memory, window, owner, awaited.index),
        value: window.memory(owner).peek_cell(awaited.index),
        expected: awaited.expected,
        compare: awaited.compare,
        history: history_of(env, window, owner, awaited.index),
        senders,
        more_senders,
    })
}

fn explain_spin(machine: &Machine<'_>, memory: u32, element: usize) -> Option<Spinning> {
    let window = window_of(machine, memory)?;
    let value = match window.dtype {
        DType::I32 => {
            let value = window.memory(machine.own(memory)).peek_cell(element);
            ScalarTy::Elem(DType::I32).show(i64::from(value) as u64)
        }
        _ => "as it is".into(),
    };
    let cell = cell_of(machine.plan, memory, window, machine.own(memory), element);
    Some(Spinning { site: machine.site(), cell, value })
}
