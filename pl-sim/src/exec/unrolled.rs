//! Execution of what is unrolled: acts, one after the other, most of them resolved before the launch.

use super::deferred::{Sink, fold_all};
use super::{Exec, Flow};
use crate::check::{self, Refused};
use crate::elementwise::{FOLDED, is_aligned};
use crate::env::Env;
use crate::machine::{Halt, Machine, Memory, State, Wake};
use crate::plan::{Act, Doing, Fold, FoldSource, Part, Pass, Target, Unrolled};
use crate::region::Runs;
use crate::sched::Stop;
use crate::shared::RowsGrant;
use pl_core::fault::AccessKind;
use pl_core::op::dispatch;
use std::ptr;

impl<'a> Machine<'a> {
    /// Runs for what is left of a turn: how that ends; `None` when the rank goes on in the plan itself.
    pub(crate) fn run_unrolled(
        &mut self,
        unrolled: &'a Unrolled,
        env: &Env<'a>,
        wake: &dyn Wake,
    ) -> Result<Option<Stop>, Box<Halt>> {
        loop {
            let act = &unrolled.acts[self.act];
            let has = self.count.has(act.passed + act.ops);
            if let Doing::Pass(_) | Doing::Fold(_) = act.does {
                // Otherwise what it does at once is done one by one, as far as the turn lasts.
                let done = if has { Exec { machine: self, env, wake }.at_once(unrolled, act.does)? } else { None };
                if let Some(acts) = done {
                    self.arrive(unrolled, act);
                    self.count.take(act.passed + act.ops);
                    self.act += acts;
                }
                self.act += 1;
                continue;
            }
            if !has {
                return Ok(self.turn_over(act));
            }
            self.arrive(unrolled, act);
            let flow = match act.does {
                Doing::Notify(signal) => {
                    let mut exec = Exec { machine: self, env, wake };
                    if exec.series(unrolled, signal, false)?.is_some() {
                        continue;
                    }
                    exec.deposit(&unrolled.signals[signal as usize].signal)?
                }
                Doing::Wait(signal) => {
                    let mut exec = Exec { machine: self, env, wake };
                    match exec.series(unrolled, signal, true)? {
                        Some(Flow::Park) => return Ok(Some(Stop::Parked)),
                        Some(_) => continue,
                        None => exec.await_cell(&unrolled.signals[signal as usize].signal)?,
                    }
                }
                Doing::Op(op) => {
                    let op = &self.plan.ops[op as usize];
                    dispatch(&mut Exec { machine: self, env, wake }, op.code, op)?
                }
                Doing::Scalar(inst) => {
                    if let Some((dst, read)) = inst.computes() {
                        let value = inst.compute(read.map(|reg| reg.map_or(0, |reg| self.get(reg))));
                        self.set(dst, value.map_err(|problem| self.arithmetic(problem))?);
                    }
                    Flow::Next
                }
                Doing::Head { counter, end, var, exit } => {
                    let value = self.get(counter);
                    if value >= self.get(end) {
                        self.count.take(act.passed);
                        self.act = exit as usize;
                        continue;
                    }
                    self.set(var, value);
                    Flow::Next
                }
                Doing::Next { counter, step, end, var, body } => {
                    let value = self.get(counter).saturating_add(self.get(step));
                    self.set(counter, value);
                    if value < self.get(end) {
                        self.set(var, value);
                        self.count.take(act.passed + act.ops);
                        self.act = body as usize;
                        continue;
                    }
                    Flow::Next
                }
                Doing::Other(inst) => {
                    self.other(inst, env, wake)?;
                    Flow::Next
                }
                Doing::Leave => {
                    self.count.take(act.passed);
                    self.unrolled = None;
                    return Ok(None);
                }
                Doing::End => {
                    self.count.take(act.passed);
                    self.state = State::Done;
                    return Ok(Some(Stop::Done));
                }
                Doing::Pass(_) | Doing::Fold(_) => Flow::Next,
            };
            if flow == Flow::Park {
                return Ok(Some(Stop::Parked));
            }
            let act = &unrolled.acts[self.act];
            self.count.take(act.passed + act.ops);
            self.act += 1;
            if flow == Flow::Yield {
                return Ok(Some(Stop::Yield));
            }
        }
    }

    /// The rank did an act, and stands at the next one.
    #[inline]
    pub(super) fn go_on(&mut self, unrolled: &'a Unrolled) {
        let [act, next] = [&unrolled.acts[self.act], &unrolled.acts[self.act + 1]];
        self.count.take(act.passed + act.ops);
        self.act += 1;
        self.arrive(unrolled, next);
    }

    /// The rank stands at an act: as it would in the plan.
    #[inline(always)]
    fn arrive(&mut self, unrolled: &Unrolled, act: &Act) {
        self.pc = act.pc as usize;
        self.set_all(unrolled, act.sets);
    }

    /// Registers get values: those of a range of [`Unrolled::sets`].
    #[inline(always)]
    pub(super) fn set_all(&mut self, unrolled: &Unrolled, sets: (u32, u32)) {
        for &(reg, value) in &unrolled.sets[sets.0 as usize..sets.1 as usize] {
            self.set(reg, value);
        }
    }

    /// An act before which the turn ends; `None` when the rank has fewer ops left than it and those before it are: then the plan itself tells them apart.
    #[cold]
    fn turn_over(&mut self, act: &Act) -> Option<Stop> {
        self.pc = act.before as usize;
        if self.count.ops() + u64::from(act.passed + act.ops) <= self.count.budget {
            return Some(Stop::Yield);
        }
        self.unrolled = None;
        None
    }

    /// The boxes of a fold, where each can be read in one loop that writes the result: elements of the type may be there, they are data, and not what changes, unless it is the
    /// first box and the same.
    fn foldable(&self, fold: &Fold) -> Option<Read<'a>> {
        let target = match &fold.into {
            Target::Box(_, to) => match self.memory(to.memory) {
                Memory::Window(window) => Some((window.memory(to.owner), to)),
                _ => None,
            },
            Target::Tile(_) => None,
        };
        let mut read = [None; FOLDED];
        for (at, (source, read)) in fold.sources.iter().zip(&mut read).enumerate() {
            let part = &source.part;
            let fits = match self.memory(part.memory) {
                Memory::In(bytes) => is_aligned(fold.dtype, bytes),
                Memory::Out(bytes, init) => is_aligned(fold.dtype, bytes) && init.missing(&part.runs).is_none(),
                Memory::Window(window) => {
                    let memory = window.memory(part.owner);
                    *read = Some(memory);
                    target.is_none_or(|(written, to)| {
                        !ptr::eq(written, memory) || at == 0 && part.runs == to.runs || !part.runs.meets(&to.runs)
                    })
                }
                Memory::View(_) => false,
            };
            if !fits {
                return None;
            }
        }
        Some(read)
    }

    /// Checks that the boxes of a fold may be read, one after the other.
    fn open<'o>(
        &'o self,
        (fold, read): (&'o Fold, &Read<'a>),
        acts: &[Act],
        grants: &mut [RowsGrant<'o>; FOLDED],
    ) -> Result<(), RefusedAt> {
        for (at, ((grant, source), read)) in grants.iter_mut().zip(&fold.sources).zip(read).enumerate() {
            let FoldSource { part, rows, at: act, .. } = source;
            *grant = match (read, self.memory(part.memory)) {
                (Some(memory), _) => {
                    let opened = memory.read_rows((&part.runs, rows), &self.clock, acts[*act].pc as usize);
                    opened.map_err(|refused| (Some(at), refused))?
                }
                (None, Memory::In(bytes)) => RowsGrant::of_bytes(bytes, rows, fold.dtype.bytes()),
                (None, Memory::Out(bytes, _)) => RowsGrant::of_bytes(bytes, rows, fold.dtype.bytes()),
                (None, Memory::Window(_) | Memory::View(_)) => RowsGrant::NONE,
            };
        }
        Ok(())
    }
}

/// The memory that each box of a fold lies in, where it is a window's.
type Read<'a> = [Option<&'a check::Memory>; FOLDED];

/// An access of a fold that is refused: the number of the source, or none for the store.
type RefusedAt = (Option<usize>, Refused);

impl<'a> Exec<'_, 'a, '_> {
    /// Does several acts at once: how many; `None`, with nothing done, where they are to be done one by one.
    fn at_once(&mut self, unrolled: &'a Unrolled, does: Doing) -> Result<Option<usize>, Halt> {
        let plan = self.machine.plan;
        // The acts stand behind the one for all of them.
        let acts = &unrolled.acts[self.machine.act + 1..];
        match does {
            Doing::Pass(pass) => {
                let Pass { load, store, from, to, shape, times } = &unrolled.passes[pass as usize];
                let (load, store) = (&plan.ops[*load as usize], &plan.ops[*store as usize]);
                // Each op takes of the turn what it would take alone, and none of them ends it.
                let bytes = shape.elements() * plan.memories[to.memory as usize].dtype.bytes();
                let cost = 2 * times * (bytes >> 8);
                let Act { passed, ops, .. } = unrolled.acts[self.machine.act];
                if *times > 1 && !self.machine.count.has(passed + ops + cost as u32) {
                    return Ok(None);
                }
                // All are of the instructions of the first two, whose registers a refusal finds.
                self.machine.arrive(unrolled, &acts[0]);
                let passed = self.pass_box((load, from), (store, to), shape, *times)?;
                if passed {
                    self.machine.spend(cost << 8);
                }
                Ok(passed.then_some(2 * *times))
            }
            Doing::Fold(fold) => {
                let fold = &unrolled.folds[fold as usize];
                Ok(self.fold(unrolled, fold, &acts[..fold.length])?.then_some(fold.length))
            }
            _ => Ok(None),
        }
    }

    /// Loads boxes, combines them and puts the result where it goes, in one loop; false, with nothing done, where something speaks against that.
    fn fold(&mut self, unrolled: &'a Unrolled, fold: &'a Fold, acts: &[Act]) -> Result<bool, Halt> {
        let plan = self.machine.plan;
        let Some(read) = self.machine.foldable(fold) else { return Ok(false) };
        // Where it may turn out that the host has no memory.
        self.machine.pc = acts[fold.length - 1].pc as usize;
        let machine = &*self.machine;
        if let Target::Box(store, to) = &fold.into {
            if let Memory::Out(bytes, _) = &machine.memories[plan.base(to.memory) as usize]
                && !is_aligned(fold.dtype, bytes)
            {
                return Ok(false);
            }
            self.before_change(&plan.ops[*store as usize], to)?;
        }
        let bytes = fold.shape.elements() * fold.dtype.bytes();
        let done = match &fold.into {
            Target::Box(_, to) => self.fold_into_box((fold, &read), to, acts),
            Target::Tile(tile) => {
                let mut output = self.output(*tile, bytes)?;
                let mut grants = [RowsGrant::NONE; FOLDED];
                let done = self.machine.open((fold, &read), acts, &mut grants).map(|()| {
                    let runs = Runs::first(fold.shape.elements());
                    combine(fold, &grants, Sink::Bytes(output.bytes(), &runs));
                });
                self.machine.tiles.put(*tile, output, fold.shape);
                done
            }
        };
        if let Err((source, refused)) = done {
            return Err(self.refused_fold(source, refused, fold, (unrolled, acts)));
        }
        let mut accesses = 0;
        for (source, memory) in fold.sources.iter().zip(read) {
            let Some(memory) = memory else { continue };
            accesses += 1;
            if source.pulled > 0 {
                self.loaded(memory.call(), source.pulled);
            }
        }
        let machine = &mut *self.machine;
        machine.accesses += accesses;
        for &tile in &fold.tiles {
            if !matches!(fold.into, Target::Tile(result) if result == tile) {
                machine.tiles.pass(tile, &fold.shape);
            }
        }
        machine.effects += fold.length as u64;
        machine.spend(fold.length * bytes);
        Ok(true)
    }

    /// Checks the accesses in their order, and computes.
    fn fold_into_box(&mut self, (fold, read): (&'a Fold, &Read<'a>), to: &Part, acts: &[Act]) -> Result<(), RefusedAt> {
        let machine = &mut *self.machine;
        let base = machine.plan.base(to.memory) as usize;
        if let Memory::Window(window) = machine.memories[base] {
            let mut grants = [RowsGrant::NONE; FOLDED];
            machine.open((fold, read), acts, &mut grants)?;
            let pc = acts[fold.length - 1].pc as usize;
            let grant =
                window.memory(to.owner).write(&to.runs, &machine.clock, pc).map_err(|refused| (None, refused))?;
            combine(fold, &grants, Sink::Window(&grant));
            machine.accesses += 1;
            return Ok(());
        }
        // The tensor is taken out meanwhile: none of the boxes lies in it.
        let mut target = std::mem::replace(&mut machine.memories[base], Memory::In(&[]));
        let mut grants = [RowsGrant::NONE; FOLDED];
        let done = machine.open((fold, read), acts, &mut grants).map(|()| {
            if let Memory::Out(bytes, init) = &mut target {
                combine(fold, &grants, Sink::Bytes(bytes, &to.runs));
                init.fill(&to.runs);
            }
        });
        machine.memories[base] = target;
        machine.cost.result_elements += to.runs.elements() as u64;
        done
    }

    /// The fault of a fold whose access is refused: with the registers that the access finds.
    #[cold]
    fn refused_fold(
        &mut self,
        source: Option<usize>,
        refused: Refused,
        fold: &Fold,
        (unrolled, acts): (&Unrolled, &[Act]),
    ) -> Halt {
        let (act, kind, op, part) = match (source.map(|at| &fold.sources[at]), &fold.into) {
            (Some(source), _) => (source.at, AccessKind::Read, source.load, &source.part),
            (None, Target::Box(store, to)) => (fold.length - 1, AccessKind::Write, *store, to),
            (None, Target::Tile(_)) => return Halt::Internal("a tile that is refused".into()),
        };
        acts[..=act].iter().for_each(|act| self.machine.arrive(unrolled, act));
        // What is told of a store's box is the shape of its tile.
        fold.tiles.iter().for_each(|&tile| self.machine.tiles.pass(tile, &fold.shape));
        self.refused(refused, kind, &self.machine.plan.ops[op as usize], part)
    }
}

/// Combines boxes, of which nothing speaks against that.
fn combine(fold: &Fold, grants: &[RowsGrant<'_>], mut sink: Sink<'_>) {
    let (grants, elements) = (&grants[..fold.sources.len()], fold.shape.elements());
    let done = fold_all((fold.op, fold.dtype), grants, elements, &mut sink, false);
    assert!(done, "boxes that cannot be combined");
}
