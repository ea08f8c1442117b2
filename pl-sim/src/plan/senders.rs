//! Which elements of a window a rank's plan can reach: found without running it, by following what is known of the registers along the paths that
//! are possible with that. Used only to explain why ranks are stuck, and who was to write what they read.

use super::{Does, Dst, Extents, Inst, OpInst, Operand, Plan, Reg};
use crate::machine::Place;
use crate::plan::scalar;
use pl_core::op::{Access, ParamKind, ResultKind, Space};

/// What is known of a register when its rank is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing assigned it yet.
    Nothing,
    /// It has one value.
    Value(u64),
    /// It has several, or depends on data.
    Anything,
}

impl Known {
    fn join(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (Known::Value(a), Known::Value(b)) if a == b => self,
            _ => Known::Anything,
        }
    }
}

/// What a rank can still do, from some moment on.
#[derive(Clone, Debug)]
pub(crate) struct Outlook {
    known: Vec<Known>,
    reachable: Vec<bool>,
}

impl Plan {
    /// What a rank can do from the start of its kernel on. `places` tells, per memory, its place in the domain.
    pub(crate) fn outlook(&self, places: &[Place]) -> Outlook {
        let mut known: Vec<Known> =
            self.registers.iter().map(|r| r.constant.map_or(Known::Nothing, Known::Value)).collect();
        for scalar in &self.scalars {
            known[scalar.reg as usize] = Known::Anything;
        }
        self.follow(0, known, places)
    }

    /// What a rank can do from an instruction on, with these registers.
    pub(crate) fn outlook_from(&self, pc: usize, registers: &[u64], places: &[Place]) -> Outlook {
        self.follow(pc, registers.iter().copied().map(Known::Value).collect(), places)
    }

    fn follow(&self, start: usize, known: Vec<Known>, places: &[Place]) -> Outlook {
        let mut outlook = Outlook { known, reachable: vec![false; self.code.len()] };
        outlook.reachable[start] = true;
        // Registers only become less known, twice at most each, and instructions only become reachable.
        loop {
            let before = outlook.clone();
            for (pc, &inst) in self.code.iter().enumerate() {
                if outlook.reachable[pc] {
                    self.learn(inst, places, &mut outlook.known);
                    for next in successors(pc, inst, &outlook.known).into_iter().flatten() {
                        if let Some(reachable) = outlook.reachable.get_mut(next) {
                            *reachable = true;
                        }
                    }
                }
            }
            if outlook.known == before.known && outlook.reachable == before.reachable {
                return outlook;
            }
        }
    }

    /// An op that may access an element of the memory of `owner`, a rank of the window's domain, as far as nothing rules it out: its instruction.
    /// `is_this` tells whether a memory is the window, `places` the own place in its domain, `access` whether the op counts that does this.
    pub(crate) fn reaches(
        &self,
        outlook: &Outlook,
        places: &[Place],
        is_this: impl Fn(u32) -> bool,
        access: impl Fn(&OpInst, Access) -> bool,
        owner: usize,
        element: usize,
    ) -> Option<usize> {
        let value = |reg: Reg| match outlook.known[reg as usize] {
            Known::Value(value) => Some(value),
            _ => None,
        };
        let is = |reg: Reg, number: usize| value(reg).is_none_or(|v| v == number as u64);
        let has = |op: &OpInst, at: usize, memory: u32| {
            let (offsets, extents) = self.box_of(op, at);
            let indices = crate::region::indices(&self.memories[memory as usize].shape, element);
            offsets.iter().zip(indices).enumerate().all(|(axis, (&offset, index))| {
                let extent = match extents {
                    Extents::Element => Some(1),
                    Extents::Listed(list) => value(list[axis]),
                    Extents::Tile(_) | Extents::Whole => None,
                };
                let behind = |offset: u64| (index as u64).checked_sub(offset);
                value(offset).is_none_or(|o| behind(o).is_some_and(|behind| extent.is_none_or(|e| behind < e)))
            })
        };
        let reaches = |op: &OpInst| {
            let params = op.code.info().params;
            let peer = op.code.info().peer().map(|at| op.args[at]);
            op.args.iter().zip(params).enumerate().any(|(at, (arg, param))| match (*arg, param.kind) {
                (Operand::Memory(memory), ParamKind::Memory(does, space)) if access(op, does) && is_this(memory) => {
                    let there = match (peer, space) {
                        (Some(Operand::Scalar(peer)), Space::Window) => is(peer, owner),
                        _ => places[memory as usize].rank == owner,
                    };
                    there && has(op, at, memory)
                }
                _ => false,
            })
        };
        let may = |(pc, inst): (usize, &Inst)| outlook.reachable[pc] && self.op_of(*inst).is_some_and(reaches);
        self.code.iter().enumerate().position(may)
    }

    /// Whether a notify takes something away from its cell, for all that is known: no wait for at least so much passes because of it.
    pub(crate) fn takes_back(&self, outlook: &Outlook, op: &OpInst) -> bool {
        let signal = op.signal.map(|signal| &self.signals[signal as usize]);
        signal.is_some_and(|signal| {
            let value = outlook.known[signal.value as usize];
            signal.does == Does::Add && matches!(value, Known::Value(value) if (value as i32) < 0)
        })
    }

    fn learn(&self, inst: Inst, places: &[Place], known: &mut [Known]) {
        let place = |op: &OpInst| match op.args.first() {
            Some(&Operand::Context(memory)) => places.get(memory as usize),
            _ => None,
        };
        let (dst, value) = match inst {
            Inst::Extent { dst, .. } => (dst, Known::Anything),
            Inst::Head { counter, var, .. } => (var, known[counter as usize]),
            Inst::Next { counter, .. } => (counter, Known::Anything),
            Inst::Op { op } => {
                let op = &self.ops[op as usize];
                let Dst::Scalar(dst) = op.dst else { return };
                let value = match op.code.info().result {
                    ResultKind::Rank => place(op).map_or(Known::Anything, |at| Known::Value(at.rank as u64)),
                    ResultKind::Nranks => place(op).map_or(Known::Anything, |at| Known::Value(at.ranks as u64)),
                    ResultKind::None => return,
                    _ => Known::Anything,
                };
                (dst, value)
            }
            _ => match inst.computes() {
                Some((dst, read)) => (dst, computed(inst, read, known)),
                None => return,
            },
        };
        known[dst as usize] = known[dst as usize].join(value);
    }
}

/// What a scalar instruction computes from what is known of the registers that it reads.
fn computed(inst: Inst, read: [Option<Reg>; 2], known: &[Known]) -> Known {
    let mut values = [0; 2];
    let mut unassigned = false;
    for (value, reg) in values.iter_mut().zip(read) {
        match reg.map(|reg| known[reg as usize]) {
            None => {}
            Some(Known::Value(found)) => *value = found,
            Some(Known::Anything) => return Known::Anything,
            Some(Known::Nothing) => unassigned = true,
        }
    }
    if unassigned { Known::Nothing } else { inst.compute(values).map_or(Known::Anything, Known::Value) }
}

/// Where control can go after an instruction, with what is known of the registers.
fn successors(pc: usize, inst: Inst, known: &[Known]) -> [Option<usize>; 2] {
    let next = Some(pc + 1);
    let either = |reg: Reg, when_false: Option<usize>, when_true: Option<usize>| match known[reg as usize] {
        Known::Nothing => [None, None],
        Known::Value(0) => [when_false, None],
        Known::Value(_) => [when_true, None],
        Known::Anything => [when_false, when_true],
    };
    match inst {
        Inst::Jump { to } | Inst::Again { to } | Inst::Next { head: to, .. } => [Some(to as usize), None],
        Inst::Unless { cond, to } => either(cond, Some(to as usize), next),
        Inst::UnlessIndex { op, a, b, to } => match (known[a as usize], known[b as usize]) {
            (Known::Nothing, _) | (_, Known::Nothing) => [None, None],
            (Known::Value(a), Known::Value(b)) if scalar::index(op, a, b) == Ok(0) => [Some(to as usize), None],
            (Known::Value(_), Known::Value(_)) => [next, None],
            _ => [next, Some(to as usize)],
        },
        Inst::When { cond, to } => either(cond, next, Some(to as usize)),
        Inst::Head { counter, end, exit, .. } => match (known[counter as usize], known[end as usize]) {
            (Known::Value(counter), Known::Value(end)) if counter >= end => [Some(exit as usize), None],
            (Known::Value(counter), Known::Value(end)) if counter < end => [next, None],
            _ => [next, Some(exit as usize)],
        },
        Inst::End => [None, None],
        _ => [next, None],
    }
}
