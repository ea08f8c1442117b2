//! Acts that are done at once: a load and the store of its tile, and loads that are combined.

use super::follow::Unroller;
use super::{Act, Doing, Fold, FoldSource, Pass, Target, Unrolled, merge};
use crate::elementwise::{Binary, FOLDED};
use crate::plan::{Dst, OpInst, Operand, Part};
use pl_core::op::OpCode;

/// So many bytes are passed at once: what is copied for long is better done in turns.
const MOST_AT_ONCE: usize = 64 << 10;

impl Unroller<'_> {
    /// The op that an act executes.
    fn op_of(&self, act: usize) -> Option<(u32, &OpInst)> {
        match self.made.acts.get(act)?.does {
            Doing::Op(op) if act >= self.from => Some((op, &self.plan.ops[op as usize])),
            _ => None,
        }
    }

    /// Lets the last two acts be done at once, when they are a load and the store of the tile; whether they are.
    pub(super) fn pass(&mut self, store: u32) -> bool {
        let Some(first) = self.made.acts.len().checked_sub(2) else { return false };
        let Some((load, op)) = self.op_of(first) else { return false };
        let (Some(from), Some(to)) = (self.parts[first], self.parts[first + 1]) else { return false };
        let Some(fixed) = op.fixed.as_ref().filter(|_| op.passes) else { return false };
        let pass = Pass { load, store, from, to, shape: fixed.shape, times: 1 };
        if !self.extend(first, &pass) {
            self.made.passes.push(pass);
            self.at_once(first, Doing::Pass(self.made.passes.len() as u32 - 1));
        }
        true
    }

    /// Adds a pass, whose acts begin with `first`, to the one right before, when both are of the same two ops and their boxes stand side by side; whether they do.
    fn extend(&mut self, first: usize, new: &Pass) -> bool {
        let (plan, Unrolled { acts, sets, passes, .. }) = (self.plan, &mut self.made);
        let Some(pass) = passes.last_mut() else { return false };
        let Some(head) = first.checked_sub(2 * pass.times + 1) else { return false };
        if head < self.from || !matches!(acts[head].does, Doing::Pass(_)) {
            return false;
        }
        let (read, written) = (&plan.memories[new.from.memory as usize], &plan.memories[new.to.memory as usize]);
        // What is refused is done again one by one. So only one side may be a window, of which nothing is recorded then; and each box of a peer counts.
        let is_alike = (pass.load, pass.store) == (new.load, new.store)
            && plan.ops[new.load as usize].code == OpCode::Load
            && read.window != written.window;
        let joined = pass.from.runs.join(&new.from.runs).zip(pass.to.runs.join(&new.to.runs));
        let Some((from, to)) = joined.filter(|_| is_alike) else { return false };
        if to.elements() * written.dtype.bytes() > MOST_AT_ONCE {
            return false;
        }
        (pass.from.runs, pass.to.runs) = (from, to);
        pass.times += 1;
        let [all, load, store] = [acts[head], acts[first], acts[first + 1]];
        let (passed, ops) = (all.passed + load.passed + store.passed, all.ops + load.ops + store.ops);
        acts[head] = Act { passed, ops, sets: merge(&[all, load, store], sets), ..all };
        true
    }

    /// The same when the last acts are loads that are combined, before a notify that lets others change what was loaded.
    pub(super) fn fold_before(&mut self, op: &OpInst) {
        let end = self.made.acts.len();
        if let Some((_, last)) = end.checked_sub(1).and_then(|last| self.op_of(last))
            && let Dst::Tile(tile) = last.dst
            && op.live.contains(&tile)
            && let Some((first, fold)) = self.folded(tile, end, Target::Tile(tile))
            && fold.sources.iter().any(|source| self.plan.memories[source.part.memory as usize].window)
        {
            self.fold(first, fold);
        }
    }

    /// The same when the last acts are loads that are combined to a tile, and the store of that into this box.
    pub(super) fn fold_store(&mut self, tile: u32, store: u32, to: Part) {
        if let Some((first, fold)) = self.folded(tile, self.made.acts.len() - 1, Target::Box(store, to)) {
            self.fold(first, fold);
        }
    }

    fn fold(&mut self, first: usize, fold: Fold) {
        self.made.folds.push(fold);
        self.at_once(first, Doing::Fold(self.made.folds.len() as u32 - 1));
    }

    /// The fold that acts are, from the end back to the first load: that act, and the fold.
    fn folded(&self, tile: u32, end: usize, into: Target) -> Option<(usize, Fold)> {
        let plan = self.plan;
        let (dtype, shape) = (plan.tiles[tile as usize].dtype, plan.tiles[tile as usize].shape?);
        // Of windows, which may be the same one, the run says so.
        let apart = |part: &Part| match &into {
            Target::Box(_, to) => {
                plan.memories[to.memory as usize].window || plan.base(part.memory) != plan.base(to.memory)
            }
            Target::Tile(_) => true,
        };
        let load = |act: usize, tile: u32| {
            let (load, op) = self.op_of(act)?;
            let part = self.parts[act].filter(apart)?;
            let loads = matches!(op.code, OpCode::Load | OpCode::RemoteLoad) && op.dst == Dst::Tile(tile);
            let alike = op.tiles.is_none() && op.fixed.as_ref()?.shape == shape;
            let rows = part.runs.rows_to_keep(dtype.bytes()).filter(|_| loads && alike)?;
            let is_peer = plan.memories[part.memory as usize].window && part.owner != self.own(part.memory);
            let pulled = if is_peer { (part.runs.elements() * dtype.bytes()) as u64 } else { 0 };
            Some(FoldSource { part, rows, at: act, load, pulled })
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
        sources.iter_mut().for_each(|source| source.at -= act);
        tiles.sort_unstable();
        tiles.dedup();
        let length = self.made.acts.len() - act;
        let fold = Fold { op: which?, dtype, sources, into, shape, tiles, length };
        (fold.sources.len() <= FOLDED).then_some((act, fold))
    }

    /// Puts an act before the last ones, from `first` on, which does all of them.
    fn at_once(&mut self, first: usize, does: Doing) {
        let Unrolled { acts, sets, .. } = &mut self.made;
        let Act { pc, before, .. } = acts[first];
        let (passed, ops) = acts[first..].iter().fold((0, 0), |sum, act| (sum.0 + act.passed, sum.1 + act.ops));
        let sets = merge(&acts[first..], sets);
        acts.insert(first, Act { does, pc, before, sets, passed, ops });
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
