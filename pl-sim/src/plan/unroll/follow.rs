//! Follows a plan for one rank, and writes down what is left to do for it.

use super::{Act, Doing, SignalAct, Unrolled, series};
use crate::machine::Place;
use crate::plan::{Dst, Inst, OpInst, Operand, Part, Plan, Reg, SignalInst, scalar};
use pl_core::op::OpCode;

/// The most acts of all ranks together.
const MOST_OF_ALL: usize = 2048;
/// The most acts of one rank.
const MOST_OF_ONE: usize = 256;
/// Instructions that are followed at most, for each act that there may be.
const FOLLOWED: usize = 8;

/// It becomes too long.
struct TooLong;

pub(super) fn unroll(plan: &Plan, places: &[Place], ranks: usize) -> Option<Unrolled> {
    let mut unroller = Unroller {
        plan,
        places,
        known: plan.registers.iter().map(|reg| reg.constant).collect(),
        held: vec![],
        pending: vec![],
        passed: 0,
        behind: 0,
        made: Unrolled::default(),
        parts: vec![],
        from: 0,
        most: MOST_OF_ONE.min(MOST_OF_ALL / ranks),
        followed: 0,
    };
    unroller.follow(0, None).ok()?;
    let mut made = unroller.made;
    series::join(&mut made);
    // Nothing is won where the plan goes on at once.
    (made.acts.len() > 1).then_some(made)
}

pub(super) struct Unroller<'p> {
    pub(super) plan: &'p Plan,
    places: &'p [Place],
    /// The values of the registers, where they are known.
    known: Vec<Option<u64>>,
    /// Registers that hold the result of a scalar instruction whose operands have not changed since.
    held: Vec<(Reg, Inst)>,
    /// What the next act sets, and how much it counts.
    pending: Vec<(Reg, u64)>,
    passed: u32,
    /// The instruction behind the last act.
    behind: usize,
    pub(super) made: Unrolled,
    /// Per act: the box that it moves.
    pub(super) parts: Vec<Option<Part>>,
    /// The act from which on acts always follow one another.
    pub(super) from: usize,
    /// The most acts.
    most: usize,
    followed: usize,
}

impl Unroller<'_> {
    /// Follows the plan from an instruction on, up to the end of the loop whose [`Inst::Next`] stands at `until`. Whether it came there.
    fn follow(&mut self, mut pc: usize, until: Option<usize>) -> Result<bool, TooLong> {
        while until != Some(pc) {
            self.followed += 1;
            if self.followed > FOLLOWED * self.most {
                return Err(TooLong);
            }
            let (inst, acts) = (self.plan.code[pc], self.made.acts.len());
            pc = match inst {
                Inst::Jump { to } => to as usize,
                Inst::Again { to } => {
                    self.passed += 1;
                    to as usize
                }
                Inst::Unless { cond, to } | Inst::When { cond, to } => match self.value(cond) {
                    Some(value) if (value != 0) == matches!(inst, Inst::When { .. }) => to as usize,
                    Some(_) => pc + 1,
                    None => return self.leave(pc),
                },
                Inst::UnlessIndex { op, a, b, to } => match self.value(a).zip(self.value(b)) {
                    Some((a, b)) if scalar::compares(op, a, b) => pc + 1,
                    Some(_) => to as usize,
                    None => return self.leave(pc),
                },
                Inst::Step { step } => match self.value(step) {
                    Some(1..) => pc + 1,
                    _ => return self.leave(pc),
                },
                Inst::Head { counter, end, var, exit } => match self.value(counter).zip(self.value(end)) {
                    Some((counter, end)) if counter >= end => exit as usize,
                    Some((counter, _)) => {
                        self.give(var, counter);
                        pc + 1
                    }
                    None if !self.follow_loop(pc, (counter, end, var), exit)? => return self.leave(pc),
                    None => exit as usize,
                },
                Inst::Next { counter, step, end, var, head } => {
                    let Some(((value, step), end)) = self.value(counter).zip(self.value(step)).zip(self.value(end))
                    else {
                        return self.leave(pc);
                    };
                    let value = value.saturating_add(step);
                    self.give(counter, value);
                    self.passed += 1;
                    if value < end {
                        self.give(var, value);
                        head as usize + 1
                    } else {
                        pc + 1
                    }
                }
                Inst::End => {
                    self.act(Doing::End, pc, 0)?;
                    return Ok(false);
                }
                Inst::Skip => pc + 1,
                Inst::Op { op } => {
                    self.op(op, pc)?;
                    pc + 1
                }
                Inst::Notify { signal } => {
                    self.fold_before(&self.plan.ops[self.plan.signals[signal as usize].op as usize]);
                    let number = self.signal(signal);
                    self.act(Doing::Notify(number), pc, 1)?;
                    pc + 1
                }
                Inst::Wait { signal } => {
                    let number = self.signal(signal);
                    self.act(Doing::Wait(number), pc, 1)?;
                    pc + 1
                }
                Inst::Extent { dst, .. } => {
                    self.act(Doing::Other(inst), pc, 0)?;
                    self.lose(dst);
                    pc + 1
                }
                Inst::CopyTile { .. } | Inst::Check { .. } => {
                    self.act(Doing::Other(inst), pc, 0)?;
                    pc + 1
                }
                _ => {
                    if !self.scalar(inst, pc)? {
                        return self.leave(pc);
                    }
                    pc + 1
                }
            };
            if self.made.acts.len() > acts {
                self.behind = pc;
            }
        }
        Ok(true)
    }

    /// Follows a loop with bounds that only a run knows: its body once, with nothing known of what the body changes. False, with nothing done, where its
    /// instructions do not stand together.
    fn follow_loop(&mut self, head: usize, (counter, end, var): (Reg, Reg, Reg), exit: u32) -> Result<bool, TooLong> {
        let plan = self.plan;
        // The loop's instructions stand together, its end last.
        let step = match plan.code.get(exit as usize - 1) {
            Some(&Inst::Next { step, head: of, .. }) if of as usize == head => step,
            _ => return Ok(false),
        };
        let at = self.made.acts.len();
        self.act(Doing::Head { counter, end, var, exit: 0 }, head, 0)?;
        for &inst in &plan.code[head..exit as usize] {
            plan.assigns(inst).into_iter().flatten().for_each(|reg| self.lose(reg));
        }
        let before = self.known.clone();
        self.behind = head + 1;
        self.begin();
        // Where the body goes on in the plan, it does not come back.
        if self.follow(head + 1, Some(exit as usize - 1))? {
            self.act(Doing::Next { counter, step, end, var, body: at as u32 + 1 }, exit as usize - 1, 1)?;
        }
        let behind = self.made.acts.len() as u32;
        if let Doing::Head { exit, .. } = &mut self.made.acts[at].does {
            *exit = behind;
        }
        // After no round of it as after many.
        (self.known, self.passed) = (before, 0);
        self.pending.clear();
        self.begin();
        Ok(true)
    }

    /// Acts from here on may come after others than the last one.
    fn begin(&mut self) {
        self.held.clear();
        self.from = self.made.acts.len();
    }

    fn value(&self, reg: Reg) -> Option<u64> {
        self.known[reg as usize]
    }

    /// The rank's number in the domain of a memory.
    pub(super) fn own(&self, memory: u32) -> usize {
        self.places[memory as usize].rank
    }

    /// A register gets a known value.
    fn give(&mut self, reg: Reg, value: u64) {
        self.lose(reg);
        self.known[reg as usize] = Some(value);
        self.pending.retain(|(other, _)| *other != reg);
        self.pending.push((reg, value));
    }

    /// A register gets a value that only a run knows.
    fn lose(&mut self, reg: Reg) {
        self.known[reg as usize] = None;
        let reads = |inst: Inst| inst.computes().is_some_and(|(_, read)| read.contains(&Some(reg)));
        self.held.retain(|&(holder, inst)| holder != reg && !reads(inst));
    }

    fn act(&mut self, does: Doing, pc: usize, ops: u32) -> Result<(), TooLong> {
        if self.made.acts.len() >= self.most {
            return Err(TooLong);
        }
        let start = self.made.sets.len() as u32;
        self.made.sets.append(&mut self.pending);
        let sets = (start, self.made.sets.len() as u32);
        let (pc, before, passed) = (pc as u32, self.behind as u32, std::mem::take(&mut self.passed));
        self.made.acts.push(Act { does, pc, before, sets, passed, ops });
        self.parts.push(None);
        Ok(())
    }

    /// The rank goes on in the plan itself.
    fn leave(&mut self, pc: usize) -> Result<bool, TooLong> {
        self.act(Doing::Leave, pc, 0)?;
        Ok(false)
    }

    /// A scalar instruction; false where it has no result, which the plan says.
    fn scalar(&mut self, inst: Inst, pc: usize) -> Result<bool, TooLong> {
        let Some((dst, read)) = inst.computes() else { return Ok(false) };
        let values = read.map(|reg| reg.map_or(Some(0), |reg| self.value(reg)));
        if let [Some(a), Some(b)] = values {
            let Ok(value) = inst.compute([a, b]) else { return Ok(false) };
            self.give(dst, value);
        } else if !self.held.contains(&(dst, inst)) {
            self.act(Doing::Scalar(inst), pc, 0)?;
            self.lose(dst);
            if !read.contains(&Some(dst)) {
                self.held.push((dst, inst));
            }
        }
        Ok(true)
    }

    fn op(&mut self, number: u32, pc: usize) -> Result<(), TooLong> {
        let op = &self.plan.ops[number as usize];
        let place = match op.args.first() {
            Some(&Operand::Context(memory)) => Some(self.places[memory as usize]),
            _ => None,
        };
        match (op.code, op.dst, place) {
            (OpCode::Rank, Dst::Scalar(dst), Some(place)) => {
                self.give(dst, place.rank as u64);
                self.passed += 1;
            }
            (OpCode::Nranks, Dst::Scalar(dst), Some(place)) => {
                self.give(dst, place.ranks as u64);
                self.passed += 1;
            }
            (OpCode::GetCommCtx, ..) => self.passed += 1,
            _ => {
                self.act(Doing::Op(number), pc, 1)?;
                if let Dst::Scalar(dst) = op.dst {
                    self.lose(dst);
                }
                if let Some(part) = self.parts.last_mut() {
                    *part = part_of(self.plan, self.places, &self.known, op);
                }
                let last = self.made.acts.len() - 1;
                if op.code == OpCode::Store
                    && !self.pass(number)
                    && let (Some(to), Some(tile)) = (self.parts[last], op.stored())
                    && op.is_last(0)
                    && op.tiles.is_none()
                {
                    self.fold_store(tile, number, to);
                }
            }
        }
        Ok(())
    }

    /// A signal op with its cell, as far as that is known: its number.
    fn signal(&mut self, number: u32) -> u32 {
        let signal = &self.plan.signals[number as usize];
        let own = self.own(signal.memory) as u64;
        let owner = signal.peer.map_or(Some(own), |peer| self.value(peer));
        let resolved = SignalInst { axes: Box::default(), around: None, owner, ..signal.clone() };
        let (mut resolved, mut axes) = (resolved, vec![]);
        for axis in &signal.axes {
            match self.value(axis.offset) {
                Some(offset) if offset < axis.extent => resolved.first += offset * axis.stride,
                _ => axes.push(*axis),
            }
        }
        resolved.axes = axes.into();
        self.made.signals.push(SignalAct { signal: resolved, series: 1, ops: 0, sets: (0, 0) });
        self.made.signals.len() as u32 - 1
    }
}

/// The box that a load or store moves, where all of it is known.
fn part_of(plan: &Plan, places: &[Place], known: &[Option<u64>], op: &OpInst) -> Option<Part> {
    let (param, offsets, peer) = match op.code {
        OpCode::Load => (0, 1, None),
        OpCode::RemoteLoad => (0, 2, Some(op.args.get(1)?)),
        OpCode::Store => (2, 1, None),
        _ => return None,
    };
    let (&Operand::Memory(memory), &Operand::List(start, len)) = (op.args.get(param)?, op.args.get(offsets)?) else {
        return None;
    };
    let place = places[memory as usize];
    let owner = match peer {
        None => place.rank,
        Some(&Operand::Scalar(peer)) => known[peer as usize].filter(|&peer| peer < place.ranks as u64)? as usize,
        Some(_) => return None,
    };
    let offsets = plan.list(start, len).iter().map(|&reg| known[reg as usize]).collect::<Option<Vec<u64>>>()?;
    Some(Part { param, memory, owner, runs: op.fixed.as_ref()?.at(offsets.into_iter())? })
}
