//! What one rank of a domain executes, as far as it does not depend on data: loops whose bounds are known are unrolled, branches on the rank are taken,
//! and boxes, peers and cells are resolved. It is a second way to execute the same plan, instruction for instruction: at each act the registers hold what they
//! would hold in the plan, and accesses and reports name the plan's instructions. So a rank can go on in the plan itself wherever an act says so.

use super::{Dst, Inst, OpInst, Operand, Part, Plan, Reg, SignalInst};
use crate::elementwise::{Binary, FOLDED};
use crate::machine::Place;
use crate::region::{Rows, Shape};
use pl_core::dtype::DType;
use pl_core::op::OpCode;
use std::sync::OnceLock;

/// Worlds of more ranks than this are not unrolled: what their ranks execute would not stay in the cache.
const MOST_RANKS: usize = 16;
/// The most acts of all ranks together, and of one.
const MOST_ACTS: (usize, usize) = (2048, 256);
/// Instructions that are followed for an act, at most.
const FOLLOWED: usize = 16;

/// What one rank executes.
#[derive(Debug, Default)]
pub(crate) struct Unrolled {
    pub(crate) acts: Vec<Act>,
    /// Values for registers.
    pub(crate) sets: Vec<(Reg, u64)>,
    /// What acts do to signal cells, whose positions are known where that is possible.
    pub(crate) signals: Vec<SignalInst>,
    pub(crate) passes: Vec<Pass>,
    pub(crate) folds: Vec<Fold>,
}

/// One thing that a rank does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Act {
    pub(crate) does: Doing,
    /// The instruction of the plan.
    pub(crate) pc: u32,
    /// The registers that get new values before it: a range of [`Unrolled::sets`].
    pub(crate) sets: (u32, u32),
    /// How many ops and ends of loops come before it of which nothing is left to do, but to count them.
    pub(crate) passed: u32,
    /// How many it is itself.
    pub(crate) ops: u32,
}

/// What an act does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doing {
    /// A scalar instruction.
    Scalar(Inst),
    /// An instruction that is neither scalar nor an op.
    Other(Inst),
    /// An op: an index into [`Plan::ops`].
    Op(u32),
    /// Notifies a cell: an index into [`Unrolled::signals`].
    Notify(u32),
    /// Waits for a cell: an index into [`Unrolled::signals`].
    Wait(u32),
    /// The next two acts, a load and a store, at once.
    Pass(u32),
    /// The next acts, which load boxes, combine them and store the result, at once.
    Fold(u32),
    /// The head of a loop with bounds that only a run knows.
    Head { counter: Reg, end: Reg, var: Reg, exit: u32 },
    /// The end of such a loop's body, which begins at the act `body`.
    Next { counter: Reg, step: Reg, end: Reg, var: Reg, body: u32 },
    /// Goes on in the plan itself.
    Leave,
    /// The kernel returns.
    End,
}

/// A load and a store of the tile, which nothing else uses: indices into [`Plan::ops`], and the boxes.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) load: u32,
    pub(crate) store: u32,
    pub(crate) from: Part,
    pub(crate) to: Part,
    pub(crate) shape: Shape,
}

/// Loads that are combined by one op, one after the other. Nothing else uses the tiles.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) op: Binary,
    pub(crate) dtype: DType,
    pub(crate) sources: Vec<FoldSource>,
    pub(crate) into: Into,
    pub(crate) shape: Shape,
    /// The tiles in between.
    pub(crate) tiles: Vec<u32>,
    /// How many acts it stands for.
    pub(crate) acts: usize,
}

/// Where the result of a fold goes.
#[derive(Debug)]
pub(crate) enum Into {
    /// Into a box, by the last of its acts: that op, an index into [`Plan::ops`].
    Box(u32, Part),
    /// Into a tile that is needed at once: the next act lets others change what was loaded.
    Tile(u32),
}

/// A box of a fold.
#[derive(Debug)]
pub(crate) struct FoldSource {
    pub(crate) part: Part,
    pub(crate) rows: Rows,
    /// The load: its act, counted from the fold's first one, and an index into [`Plan::ops`].
    pub(crate) act: usize,
    pub(crate) load: u32,
}

/// It becomes too long.
struct TooLong;

/// Room for what the ranks of a plan's domain execute; none for those that execute the plan itself.
pub(super) fn room(plan: &Plan) -> Box<[OnceLock<Option<Unrolled>>]> {
    let ranks = match plan.domains[..] {
        // Whether a rank that reads a cell over and over runs in circles is seen by the plan's registers.
        _ if plan.polls => 0,
        [] => 1,
        [ranks] if ranks <= MOST_RANKS => ranks,
        _ => 0,
    };
    (0..ranks).map(|_| OnceLock::new()).collect()
}

impl Plan {
    /// What a rank with these places in the domains of its memories executes; `None` where it is better to execute the plan itself.
    pub(crate) fn unrolled(&self, places: &[Place]) -> Option<&Unrolled> {
        let window = self.memories.iter().position(|memory| memory.window);
        let place = window.map_or(Place { ranks: 1, ..Place::default() }, |memory| places[memory]);
        self.unrolled.get(place.rank)?.get_or_init(|| unroll(self, places, place.ranks)).as_ref()
    }
}

fn unroll(plan: &Plan, places: &[Place], ranks: usize) -> Option<Unrolled> {
    let mut unroller = Unroller {
        plan,
        places,
        known: plan.registers.iter().map(|reg| reg.constant).collect(),
        held: vec![],
        pending: vec![],
        passed: 0,
        made: Unrolled::default(),
        parts: vec![],
        from: 0,
        most: MOST_ACTS.1.min(MOST_ACTS.0 / ranks),
        followed: 0,
    };
    unroller.follow(0, None).ok()?;
    let made = unroller.made;
    // Nothing is won where the plan goes on at once.
    (made.acts.len() > 1).then_some(made)
}

struct Unroller<'p> {
    plan: &'p Plan,
    places: &'p [Place],
    /// The values of the registers, where they are known.
    known: Vec<Option<u64>>,
    /// Registers that hold the result of a scalar instruction whose operands have not changed since.
    held: Vec<(Reg, Inst)>,
    /// What the next act sets, and how much it counts.
    pending: Vec<(Reg, u64)>,
    passed: u32,
    made: Unrolled,
    /// Per act: the box that it moves.
    parts: Vec<Option<Part>>,
    /// The act from which on acts always follow one another.
    from: usize,
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
            let inst = self.plan.code[pc];
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
                    Some((a, b)) if super::scalar::compares(op, a, b) => pc + 1,
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
                Inst::Notify { signal } | Inst::Wait { signal } => {
                    self.fold_before(&self.plan.ops[self.plan.signals[signal as usize].op as usize]);
                    let number = self.made.signals.len() as u32;
                    self.made.signals.push(self.resolved(&self.plan.signals[signal as usize]));
                    let does =
                        if matches!(inst, Inst::Wait { .. }) { Doing::Wait(number) } else { Doing::Notify(number) };
                    self.act(does, pc, 1)?;
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
        if self.made.acts.len() == self.most {
            return Err(TooLong);
        }
        let start = self.made.sets.len() as u32;
        self.made.sets.append(&mut self.pending);
        let sets = (start, self.made.sets.len() as u32);
        self.made.acts.push(Act { does, pc: pc as u32, sets, passed: std::mem::take(&mut self.passed), ops });
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
            (OpCode::GetCommCtx | OpCode::Reshape, ..) => self.passed += 1,
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
                    self.fold(tile, last, Into::Box(number, to));
                }
            }
        }
        Ok(())
    }

    /// The cell of a signal op, as far as it is known.
    fn resolved(&self, signal: &SignalInst) -> SignalInst {
        let own = self.places[signal.memory as usize].rank as u64;
        let owner = signal.peer.map_or(Some(own), |peer| self.value(peer));
        let (mut resolved, mut axes) = (SignalInst { axes: Box::default(), owner, ..signal.clone() }, vec![]);
        for axis in &signal.axes {
            match self.value(axis.offset) {
                Some(offset) if offset < axis.extent => resolved.first += offset * axis.stride,
                _ => axes.push(*axis),
            }
        }
        resolved.axes = axes.into();
        resolved
    }

    /// The op that an act executes.
    fn op_of(&self, act: usize) -> Option<(u32, &OpInst)> {
        match self.made.acts.get(act)?.does {
            Doing::Op(op) if act >= self.from => Some((op, &self.plan.ops[op as usize])),
            _ => None,
        }
    }

    /// Lets the last two acts be done at once, when they are a load and the store of the tile; whether they are.
    fn pass(&mut self, store: u32) -> bool {
        let Some(first) = self.made.acts.len().checked_sub(2) else { return false };
        let Some((load, op)) = self.op_of(first) else { return false };
        let (Some(from), Some(to)) = (self.parts[first], self.parts[first + 1]) else { return false };
        let Some(fixed) = op.fixed.as_ref().filter(|_| op.passes) else { return false };
        let pass = Pass { load, store, from, to, shape: fixed.shape };
        self.made.passes.push(pass);
        self.at_once(first, Doing::Pass(self.made.passes.len() as u32 - 1));
        true
    }

    /// The same when the last acts are loads that are combined, before an op that lets others change what was loaded.
    fn fold_before(&mut self, op: &OpInst) {
        let end = self.made.acts.len();
        if let Some((_, last)) = end.checked_sub(1).and_then(|last| self.op_of(last))
            && let Dst::Tile(tile) = last.dst
            && op.live.contains(&tile)
        {
            self.fold(tile, end, Into::Tile(tile));
        }
    }

    /// Lets acts be done at once, up to `end`, when they are loads that are combined to a tile; `into` is what becomes of that.
    fn fold(&mut self, tile: u32, end: usize, into: Into) {
        if let Some((first, fold)) = self.folded(tile, end, into) {
            self.made.folds.push(fold);
            self.at_once(first, Doing::Fold(self.made.folds.len() as u32 - 1));
        }
    }

    /// The fold that acts are, from the end back to the first load: that act, and the fold.
    fn folded(&self, tile: u32, end: usize, into: Into) -> Option<(usize, Fold)> {
        let plan = self.plan;
        let (dtype, shape) = (plan.tiles[tile as usize].dtype, plan.tiles[tile as usize].shape?);
        // Of windows, which may be the same one, the run says so.
        let apart = |part: &Part| match &into {
            Into::Box(_, to) => {
                plan.memories[to.memory as usize].window || plan.base(part.memory) != plan.base(to.memory)
            }
            Into::Tile(_) => true,
        };
        let load = |act: usize, tile: u32| {
            let (load, op) = self.op_of(act)?;
            let part = self.parts[act].filter(apart)?;
            let loads = matches!(op.code, OpCode::Load | OpCode::RemoteLoad) && op.dst == Dst::Tile(tile);
            let alike = op.tiles.is_none() && op.fixed.as_ref()?.shape == shape;
            let rows = part.runs.rows_to_keep(dtype.bytes()).filter(|_| loads && alike)?;
            Some(FoldSource { part, rows, act, load })
        };
        let (mut act, mut wanted) = (end, tile);
        let (mut sources, mut tiles, mut which) = (vec![], vec![], None);
        loop {
            act = act.checked_sub(1)?;
            tiles.push(wanted);
            if let Some(source) = load(act, wanted) {
                sources.push(source);
                break;
            }
            let (_, op) = self.op_of(act)?;
            let (combines, [Operand::Tile(left), Operand::Tile(right), ..]) = (combines(op.code)?, &op.args[..]) else {
                return None;
            };
            let ends = op.is_last(0) && op.is_last(1) && left != right && op.tiles.is_none();
            if !ends || op.dst != Dst::Tile(wanted) || which.is_some_and(|which| which != combines) {
                return None;
            }
            which = Some(combines);
            act = act.checked_sub(1)?;
            sources.push(load(act, *right)?);
            tiles.push(*right);
            wanted = *left;
        }
        sources.reverse();
        sources.iter_mut().for_each(|source| source.act -= act);
        tiles.sort_unstable();
        tiles.dedup();
        let acts = self.made.acts.len() - act;
        let fold = Fold { op: which?, dtype, sources, into, shape, tiles, acts };
        (fold.sources.len() <= FOLDED).then_some((act, fold))
    }

    /// Puts an act before the last ones, from `first` on, which does all of them.
    fn at_once(&mut self, first: usize, does: Doing) {
        let Unrolled { acts, sets, .. } = &mut self.made;
        let Act { pc, .. } = acts[first];
        let (passed, ops) = acts[first..].iter().fold((0, 0), |sum, act| (sum.0 + act.passed, sum.1 + act.ops));
        let start = sets.len();
        for act in first..acts.len() {
            for at in acts[act].sets.0..acts[act].sets.1 {
                let (reg, value) = sets[at as usize];
                match sets[start..].iter_mut().find(|set| set.0 == reg) {
                    Some(set) => set.1 = value,
                    None => sets.push((reg, value)),
                }
            }
        }
        let sets = (start as u32, sets.len() as u32);
        acts.insert(first, Act { does, pc, sets, passed, ops });
        self.parts.insert(first, None);
    }
}

/// What an op on two tiles does, if it cannot fail.
const fn combines(code: OpCode) -> Option<Binary> {
    Some(match code {
        OpCode::Add => Binary::Add,
        OpCode::Sub => Binary::Sub,
        OpCode::Mul => Binary::Mul,
        OpCode::Maximum => Binary::Maximum,
        OpCode::Minimum => Binary::Minimum,
        _ => return None,
    })
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
