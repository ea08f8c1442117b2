//! What ranks enter: every rank of a domain enters the same collectives, in one order and with the same arguments.

use super::{Exec, Flow, Out};
use crate::credits;
use crate::env::Env;
use crate::lineup::Lineup;
use crate::machine::{Halt, Place};
use crate::plan::{OpInst, Operand, Plan};
use crate::trail::EnteredOne;
use pl_core::fault::{CollectiveMismatch, CountOutOfRange, CreditsFound, Difference, Fault, RootOutOfRange, Site};
use pl_core::op::{Collective, EnumKind};
use pl_core::runtime::WindowId;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// One entry of a rank into a collective: what it enters stands in its plan.
#[derive(Clone, Copy, Debug)]
struct Entry {
    call: usize,
    pc: usize,
    root: u64,
}

/// The collectives that the ranks of a domain enter. Only those are kept that not all ranks have entered: no rank leaves a collective before.
#[derive(Debug)]
pub(crate) struct Entered {
    /// The ranks of the domain, by their number in the world.
    ranks: Arc<[usize]>,
    /// How many collectives each of them has entered; empty until one does.
    counts: SmallVec<[u64; 8]>,
    /// How many collectives all ranks have entered.
    done: u64,
    /// The others: the first entry, and how many ranks entered.
    open: VecDeque<(Entry, usize)>,
}

/// A collective that some ranks have entered, and others not.
pub(crate) struct Open {
    /// The first that entered.
    pub(crate) first: Site,
    /// How many entered.
    pub(crate) entered: usize,
    /// The ranks of the domain that did not, by their number in the world.
    pub(crate) absent: Vec<usize>,
}

impl Entered {
    /// A domain of these ranks.
    pub(crate) fn new(ranks: Arc<[usize]>) -> Entered {
        Entered { ranks, counts: SmallVec::new(), done: 0, open: VecDeque::new() }
    }

    /// A rank enters its next collective: how many it entered before, and the entry to compare it with: the first into that collective, where it is
    /// not this one.
    fn enter(&mut self, rank: usize, entry: Entry) -> (u64, Option<Entry>) {
        if self.counts.is_empty() {
            self.counts.resize(self.ranks.len(), 0);
        }
        let number = self.counts[rank];
        self.counts[rank] += 1;
        let index = (number - self.done) as usize;
        let Some((first, entered)) = self.open.get_mut(index) else {
            self.open.push_back((entry, 1));
            return (number, None);
        };
        *entered += 1;
        let first = *first;
        // A collective is entered by all ranks before the next one is.
        while self.open.front().is_some_and(|(_, entered)| *entered == self.counts.len()) {
            self.open.pop_front();
            self.done += 1;
        }
        (number, Some(first))
    }

    /// The collective that waits for ranks.
    pub(crate) fn open(&self, env: &Env<'_>) -> Option<Open> {
        let &(first, entered) = self.open.front()?;
        let absent =
            self.ranks.iter().zip(&self.counts).filter(|(_, count)| **count == self.done).map(|(rank, _)| *rank);
        Some(Open { first: site(env, first.call, first.pc), entered, absent: absent.collect() })
    }
}

/// The site of an entry: its op is the collective.
pub(crate) fn site(env: &Env<'_>, call: usize, pc: usize) -> Site {
    let plan = &*env.plans[call];
    let collective =
        plan.op_at(pc).and_then(|op| Entering::new(plan, op)).and_then(|e| Collective::from_wire(e.collective));
    Site { op: collective.map_or("", Collective::path), ..env.site(call, pc) }
}

/// The arguments of an entry that stand in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entering {
    signal: u32,
    target: Option<u32>,
    collective: i32,
    op: Option<i32>,
    mode: Option<i32>,
}

impl Entering {
    fn new(plan: &Plan, op: &OpInst) -> Option<Entering> {
        let memory = |index: usize| match op.args.get(index) {
            Some(&Operand::Memory(memory)) if (memory as usize) < plan.memories.len() => Some(memory),
            _ => None,
        };
        let value = |index: usize| match op.args.get(index) {
            Some(&Operand::Enum(value)) => Some(value),
            _ => None,
        };
        Some(Entering { signal: memory(0)?, target: memory(1), collective: value(2)?, op: value(3), mode: value(4) })
    }
}

/// What is compared of one rank's entry.
struct Arguments<'p> {
    plan: &'p Plan,
    call: usize,
    lineup: &'p Lineup,
    entering: Entering,
    root: u64,
}

impl<'p> Arguments<'p> {
    fn new(env: &'p Env<'_>, entry: Entry) -> Option<Arguments<'p>> {
        let plan = &*env.plans[entry.call];
        let entering = Entering::new(plan, plan.op_at(entry.pc)?)?;
        Some(Arguments { plan, call: entry.call, lineup: env.lineup, entering, root: entry.root })
    }

    /// Which window a memory is, and in which shape.
    fn window(&self, memory: u32) -> (Option<WindowId>, &'p [usize]) {
        let info = &self.plan.memories[memory as usize];
        (self.lineup.window(self.call, info.param), &info.shape)
    }

    fn show(&self, memory: u32) -> String {
        let info = &self.plan.memories[memory as usize];
        format!("`{}`: `{}` {:?}", info.name, info.dtype, info.shape)
    }

    /// What two entries into one collective differ in.
    fn differences(&self, other: &Arguments<'_>) -> Vec<Difference> {
        let (a, b) = (&self.entering, &other.entering);
        let mut found = vec![];
        let mut differ = |argument, first: String, second: String| {
            let other = if first == second { ", another window" } else { "" };
            found.push(Difference { argument, second: second + other, first });
        };
        let named = |kind: EnumKind, value: Option<i32>| {
            let variant =
                value.and_then(|value| usize::try_from(value).ok()).and_then(|v| kind.variants().get(v).copied());
            format!("`{}`", kind.written(variant.unwrap_or("?")))
        };
        if a.op != b.op {
            differ("op", named(EnumKind::ReduceOp, a.op), named(EnumKind::ReduceOp, b.op));
        }
        if a.mode != b.mode {
            differ("mode", named(EnumKind::AllreduceMode, a.mode), named(EnumKind::AllreduceMode, b.mode));
        }
        if self.root != other.root {
            differ("root", self.root.to_string(), other.root.to_string());
        }
        for (argument, x, y) in [("target", a.target, b.target), ("signal", Some(a.signal), Some(b.signal))] {
            if let (Some(x), Some(y)) = (x, y)
                && self.window(x) != other.window(y)
            {
                differ(argument, self.show(x), other.show(y));
            }
        }
        found
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// `pld::system::enter`
    pub(super) fn enter_collective(&mut self, op: &'a OpInst) -> Out {
        let (call, pc) = (self.machine.call(), self.machine.pc);
        let Place { rank, ranks, domain } = self.machine.places[self.memory(op, 0)? as usize];
        let root = match op.args.get(5) {
            Some(Operand::Absent) => 0,
            _ => self.scalar(op, 5)?,
        };
        if root >= ranks as u64 {
            return Err(Fault::Root(RootOutOfRange { site: site(self.env, call, pc), root, ranks }).into());
        }
        let entry = Entry { call, pc, root };
        let mut entered = self.env.entered[domain].lock().unwrap_or_else(PoisonError::into_inner);
        let (before, first) = entered.enter(rank, entry);
        drop(entered);
        if let Some(first) = first {
            self.compare(first, entry, before)?;
        }
        self.check_credits(op, rank)?;
        let machine = &mut *self.machine;
        let epoch = machine.clock.stamp(pc).epoch;
        machine.trail.enter(EnteredOne { domain, number: before + 1, epoch, pc });
        machine.effects += 1;
        Ok(Flow::Next)
    }

    /// A collective begins with a signal whose own cells hold nothing but what peers deposited that are in it already.
    fn check_credits(&self, op: &OpInst, rank: usize) -> Result<(), Halt> {
        let memory = self.memory(op, 0)?;
        let window = self.window(memory)?;
        let Some(found) = window.memory(rank).foreign(&self.machine.clock) else { return Ok(()) };
        let site = site(self.env, self.machine.call(), self.machine.pc);
        Err(credits::fault(self.env, self.machine, site, memory, window, rank, found, CreditsFound::Before).into())
    }

    /// `pld::system::leave`
    pub(super) const fn leave_collective(&mut self) -> Out {
        self.machine.trail.leave();
        Ok(Flow::Next)
    }

    /// Compares an entry with the first one into the same collective.
    fn compare(&self, first: Entry, second: Entry, before: u64) -> Result<(), Halt> {
        let Env { plans, lineup, .. } = self.env;
        let is_same = first.pc == second.pc
            && first.root == second.root
            && Arc::ptr_eq(&plans[first.call], &plans[second.call])
            && lineup.pass_alike(first.call, second.call);
        // As in most launches.
        if is_same {
            return Ok(());
        }
        let wrong = || Halt::Internal("an entry of the wrong kind".into());
        let arguments = |entry| Arguments::new(self.env, entry).ok_or_else(wrong);
        let (a, b) = (arguments(first)?, arguments(second)?);
        let same = a.entering.collective == b.entering.collective;
        let differences = if same { a.differences(&b) } else { vec![] };
        if same && differences.is_empty() {
            return Ok(());
        }
        let [first, second] = [first, second].map(|entry| site(self.env, entry.call, entry.pc));
        Err(Fault::Collective(Box::new(CollectiveMismatch { first, second, before, differences })).into())
    }

    /// `pld::system::check_count`
    pub(super) fn count(&mut self, op: &'a OpInst) -> Out {
        let (count, peer, limit) = (self.scalar(op, 0)? as i32, self.scalar(op, 1)?, self.scalar(op, 2)?);
        match u64::try_from(count) {
            Ok(count) if count <= limit => {
                self.finish(op, count);
                Ok(Flow::Next)
            }
            _ => Err(Fault::Count(CountOutOfRange { site: self.machine.site(), peer, count, limit }).into()),
        }
    }
}
