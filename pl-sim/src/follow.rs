//! What a rank did before it came to where it stands, and does after that: found by following its plan with the scalars that do not depend on data, without
//! executing an op. For reports alone.

use crate::machine::{Machine, Place, State};
use crate::plan::scalar;
use crate::plan::{Dst, Extents, Inst, OpInst, Operand, Plan, Reg};
use crate::region::{Shape, indices};
use crate::stuck::window_of;
use crate::window::Window;
use pl_core::op::{OpCode, ParamKind, ResultKind, Space};

/// How many instructions of a rank are followed.
const FOLLOWED: usize = 1 << 17;

/// An element of a window, in the memory of one rank.
#[derive(Clone, Copy)]
pub(crate) struct Element<'w> {
    pub(crate) window: &'w Window,
    /// The rank, in the domain of the window.
    pub(crate) owner: usize,
    pub(crate) index: usize,
}

/// A write that a rank can still come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// The instruction.
    pub(crate) pc: usize,
    /// Whether it comes there and writes the element in any case; otherwise that depends on data.
    pub(crate) certain: bool,
}

/// The first write of an element that a rank can still come to.
pub(crate) fn write_ahead(machine: &Machine<'_>, element: Element<'_>) -> Option<Ahead> {
    if machine.state == State::Done {
        return None;
    }
    let mut possible = None;
    let mut follower = Follower::from_here(machine);
    loop {
        if let Some(op) = machine.plan.op_at(follower.pc) {
            match follower.writes(op, element) {
                Some(true) => return Some(Ahead { pc: follower.pc, certain: true }),
                Some(false) => {}
                None => possible = possible.or(Some(Ahead { pc: follower.pc, certain: false })),
            }
        }
        match follower.step() {
            Step::Next => {}
            Step::End => return possible,
            Step::Lost => return possible.or_else(|| possible_write(machine, element)),
        }
    }
}

/// A write of an element that nothing rules out for a rank, which goes on as data decides.
fn possible_write(machine: &Machine<'_>, element: Element<'_>) -> Option<Ahead> {
    let Machine { plan, places, .. } = machine;
    let outlook = plan.outlook_from(machine.pc, &machine.registers, places);
    let is_this = |memory: u32| is(machine, memory, element);
    let pc = plan.reaches(&outlook, places, is_this, |_, access| access.writes(), element.owner, element.index)?;
    Some(Ahead { pc, certain: false })
}

/// The last op by which a rank declared an element of its own memory no data, before it came to where it stands: the instruction.
pub(crate) fn discarded(machine: &Machine<'_>, element: Element<'_>) -> Option<usize> {
    let mut found = None;
    let mut follower = Follower::from_start(machine);
    while !follower.is_here() {
        let discard = machine.plan.op_at(follower.pc).filter(|op| op.code == OpCode::Discard);
        if discard.is_some_and(|op| follower.writes(op, element) == Some(true)) {
            found = Some(follower.pc);
        }
        match follower.step() {
            Step::Next => {}
            Step::End if machine.state == State::Done => return found,
            Step::End | Step::Lost => return None,
        }
    }
    found
}

fn is(machine: &Machine<'_>, memory: u32, element: Element<'_>) -> bool {
    window_of(machine, memory).is_some_and(|window| window.id == element.window.id)
}

/// How it goes on after an instruction.
enum Step {
    Next,
    /// The kernel returned.
    End,
    /// That depends on data, or is too far.
    Lost,
}

struct Follower<'m, 'a> {
    machine: &'m Machine<'a>,
    /// The values of the registers, where they are known.
    known: Vec<Option<u64>>,
    /// The shapes of the tiles, where they are known.
    tiles: Vec<Option<Shape>>,
    pc: usize,
    left: usize,
}

impl<'m, 'a> Follower<'m, 'a> {
    fn from_here(machine: &'m Machine<'a>) -> Self {
        let known = machine.registers.iter().copied().map(Some).collect();
        let tiles = (0..machine.plan.tiles.len()).map(|tile| Some(*machine.tiles.shape(tile as u32))).collect();
        Follower { machine, known, tiles, pc: machine.pc, left: FOLLOWED }
    }

    fn from_start(machine: &'m Machine<'a>) -> Self {
        let plan = machine.plan;
        let mut known: Vec<_> = plan.registers.iter().map(|reg| Some(reg.constant.unwrap_or(0))).collect();
        for scalar in &plan.scalars {
            let is_changed = plan.code.iter().any(|inst| plan.assigns(*inst).contains(&Some(scalar.reg)));
            known[scalar.reg as usize] = (!is_changed).then(|| machine.registers[scalar.reg as usize]);
        }
        Follower { machine, known, tiles: vec![None; plan.tiles.len()], pc: 0, left: FOLLOWED }
    }

    /// Whether the rank stands here, as far as is known.
    fn is_here(&self) -> bool {
        let alike = |(known, held): (&Option<u64>, &u64)| known.is_none_or(|value| value == *held);
        self.pc == self.machine.pc && self.known.iter().zip(self.machine.registers.iter()).all(alike)
    }

    fn value(&self, reg: Reg) -> Option<u64> {
        self.known[reg as usize]
    }

    /// Whether an op writes an element; `None`: that depends on data.
    fn writes(&self, op: &OpInst, element: Element<'_>) -> Option<bool> {
        let args = op.args.iter().zip(op.code.info().params).enumerate();
        let spares = args.map(|(at, (arg, param))| match (*arg, param.kind) {
            (Operand::Memory(memory), ParamKind::Memory(access, space))
                if access.writes() && is(self.machine, memory, element) =>
            {
                let writes =
                    all([self.is_at(op, space, memory, element.owner), self.has(op, at, memory, element.index)]);
                writes.map(|writes| !writes)
            }
            _ => Some(true),
        });
        all(spares).map(|spares| !spares)
    }

    /// Whether an op accesses the memory of a rank of the window's domain.
    fn is_at(&self, op: &OpInst, space: Space, memory: u32, owner: usize) -> Option<bool> {
        match (op.code.info().peer().map(|at| op.args[at]), space) {
            (Some(Operand::Scalar(peer)), Space::Window) => Some(self.value(peer)? == owner as u64),
            _ => Some(self.machine.places[memory as usize].rank == owner),
        }
    }

    /// Whether the box of an op in its argument `at` has an element.
    fn has(&self, op: &OpInst, at: usize, memory: u32, element: usize) -> Option<bool> {
        let plan: &Plan = self.machine.plan;
        let (offsets, extents) = plan.box_of(op, at);
        let extent = |axis: usize| match extents {
            Extents::Listed(list) => self.value(list[axis]),
            Extents::Tile(tile) => self.extent(tile, axis),
            Extents::Element | Extents::Whole => Some(1),
        };
        let indices = indices(&plan.memories[memory as usize].shape, element);
        all(offsets.iter().zip(indices).enumerate().map(|(axis, (&offset, index))| {
            match (index as u64).checked_sub(self.value(offset)?) {
                Some(behind) => Some(behind < extent(axis)?),
                None => Some(false),
            }
        }))
    }

    /// Goes on to the next instruction.
    fn step(&mut self) -> Step {
        let inst = self.machine.plan.code[self.pc];
        if matches!(inst, Inst::End) {
            return Step::End;
        }
        let next = self.left.checked_sub(1).and_then(|left| {
            self.left = left;
            self.after(inst)
        });
        match next {
            Some(next) => {
                self.pc = next;
                Step::Next
            }
            None => Step::Lost,
        }
    }

    /// What comes after an instruction; `None`: that depends on data.
    fn after(&mut self, inst: Inst) -> Option<usize> {
        let next = self.pc + 1;
        let go = |jumps: bool, to: u32| if jumps { to as usize } else { next };
        Some(match inst {
            Inst::Jump { to } | Inst::Again { to } => to as usize,
            Inst::Unless { cond, to } => go(self.value(cond)? == 0, to),
            Inst::When { cond, to } => go(self.value(cond)? != 0, to),
            Inst::UnlessIndex { op, a, b, to } => go(!scalar::compares(op, self.value(a)?, self.value(b)?), to),
            Inst::Head { counter, end, var, exit } => {
                let counter = self.value(counter)?;
                let leaves = counter >= self.value(end)?;
                if !leaves {
                    self.known[var as usize] = Some(counter);
                }
                go(leaves, exit)
            }
            Inst::Next { counter, step, head, .. } => {
                self.known[counter as usize] = Some(self.value(counter)?.saturating_add(self.value(step)?));
                head as usize
            }
            _ => {
                self.assign(inst);
                next
            }
        })
    }

    /// Gives the register or tile of an instruction that goes on to the next one what is known of it.
    fn assign(&mut self, inst: Inst) {
        let plan = self.machine.plan;
        if let Some((dst, read)) = inst.computes() {
            let value = |reg: Option<Reg>| reg.map_or(Some(0), |reg| self.value(reg));
            let operands = value(read[0]).zip(value(read[1]));
            self.known[dst as usize] = operands.and_then(|(a, b)| inst.compute([a, b]).ok());
            return;
        }
        match inst {
            Inst::CopyTile { dst, src, .. } => self.tiles[dst as usize] = self.tiles[src as usize],
            Inst::Extent { dst, tile, axis } => self.known[dst as usize] = self.extent(tile, axis as usize),
            _ => match plan.op_of(inst).map(|op| (op, op.dst)) {
                Some((op, Dst::Scalar(dst))) => self.known[dst as usize] = self.result(op),
                Some((op, Dst::Tile(dst))) => self.tiles[dst as usize] = self.shape(op),
                _ => {}
            },
        }
    }

    fn extent(&self, tile: u32, axis: usize) -> Option<u64> {
        self.tiles[tile as usize]?.extents().get(axis).map(|extent| *extent as u64)
    }

    /// The shape of the tile that an op gives.
    fn shape(&self, op: &OpInst) -> Option<Shape> {
        let arg = |at: u8| op.args.get(usize::from(at)).copied();
        match op.code.info().result {
            ResultKind::Box(_, shape) | ResultKind::Filled(shape) => match arg(shape) {
                Some(Operand::List(start, len)) => {
                    let extents: Option<Vec<u64>> =
                        self.machine.plan.list(start, len).iter().map(|reg| self.value(*reg)).collect();
                    Shape::new(extents?)
                }
                _ => None,
            },
            ResultKind::Like(of) | ResultKind::CastOf(of) => match arg(of) {
                Some(Operand::Tile(tile)) => self.tiles[tile as usize],
                _ => None,
            },
            _ => None,
        }
    }

    /// The result of an op that is a scalar.
    fn result(&self, op: &OpInst) -> Option<u64> {
        let place = |op: &OpInst| -> Option<Place> {
            match op.args.first() {
                Some(&Operand::Context(memory)) => self.machine.places.get(memory as usize).copied(),
                _ => None,
            }
        };
        match op.code.info().result {
            ResultKind::Rank => Some(place(op)?.rank as u64),
            ResultKind::Nranks => Some(place(op)?.ranks as u64),
            _ => None,
        }
    }
}

/// Whether all hold, as far as is known: one that does not is enough to know it.
fn all(facts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for fact in facts {
        match fact {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}
