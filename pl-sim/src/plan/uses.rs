//! Which uses of a tile are the last ones, and which tiles are still used after an op: so that what a tile stands for is computed once, and only if
//! something needs it.

use super::{Dst, Inst, Operand, Plan};

impl Inst {
    /// Where control can go on, besides the next instruction.
    const fn jumps_to(self) -> Option<u32> {
        match self {
            Inst::Jump { to }
            | Inst::Again { to }
            | Inst::Unless { to, .. }
            | Inst::UnlessIndex { to, .. }
            | Inst::When { to, .. }
            | Inst::Head { exit: to, .. }
            | Inst::Next { head: to, .. } => Some(to),
            _ => None,
        }
    }

    /// Whether the next instruction can follow.
    const fn falls_through(self) -> bool {
        !matches!(self, Inst::Jump { .. } | Inst::Again { .. } | Inst::Next { .. } | Inst::End)
    }
}

impl Plan {
    /// The tiles whose elements an instruction uses.
    fn uses(&self, inst: Inst) -> impl Iterator<Item = u32> {
        let (copied, op) = match inst {
            Inst::CopyTile { src, .. } => (Some(src), None),
            _ => (None, self.op_of(inst)),
        };
        let of_op = op.into_iter().flat_map(|op| op.args.iter()).filter_map(|arg| match arg {
            Operand::Tile(tile) => Some(*tile),
            _ => None,
        });
        copied.into_iter().chain(of_op)
    }

    /// The tile to which an instruction gives a new value.
    fn defines(&self, inst: Inst) -> Option<u32> {
        match inst {
            Inst::CopyTile { dst, .. } => Some(dst),
            _ => match self.op_of(inst)?.dst {
                Dst::Tile(tile) => Some(tile),
                Dst::None | Dst::Scalar(_) => None,
            },
        }
    }

    /// The instructions that can come before each one.
    pub(super) fn predecessors(&self) -> Vec<Vec<u32>> {
        let mut before = vec![vec![]; self.code.len()];
        for (pc, inst) in self.code.iter().enumerate() {
            if inst.falls_through() && pc + 1 < before.len() {
                before[pc + 1].push(pc as u32);
            }
            if let Some(to) = inst.jumps_to() {
                before[to as usize].push(pc as u32);
            }
        }
        before
    }

    /// Per instruction, the tiles that something uses afterwards.
    fn live_after(&self) -> Vec<Vec<u32>> {
        let before = self.predecessors();
        let mut users: Vec<Vec<u32>> = vec![vec![]; self.tiles.len()];
        for (pc, inst) in self.code.iter().enumerate() {
            self.uses(*inst).for_each(|tile| users[tile as usize].push(pc as u32));
        }
        let mut live: Vec<Vec<u32>> = vec![vec![]; self.code.len()];
        // From each use back to where the tile got its value: the work is as large as the result.
        for (tile, users) in users.into_iter().enumerate() {
            let tile = tile as u32;
            let mut work = users;
            while let Some(at) = work.pop() {
                for &pc in &before[at as usize] {
                    let live = &mut live[pc as usize];
                    if live.last() == Some(&tile) {
                        continue;
                    }
                    live.push(tile);
                    if self.defines(self.code[pc as usize]) != Some(tile) {
                        work.push(pc);
                    }
                }
            }
        }
        live
    }

    /// Takes copies out that nothing uses; whether there were any.
    fn skip_copies(&mut self, live: &[Vec<u32>]) -> bool {
        let mut any = false;
        for (inst, live) in self.code.iter_mut().zip(live) {
            if let Inst::CopyTile { dst, .. } = inst
                && !live.contains(dst)
            {
                (*inst, any) = (Inst::Skip, true);
            }
        }
        any
    }

    /// The instructions that give a tile the value which the one at `pc` finds.
    fn definitions(&self, before: &[Vec<u32>], pc: u32, tile: u32) -> Vec<u32> {
        let (mut found, mut seen, mut work) = (vec![], vec![false; self.code.len()], vec![pc]);
        while let Some(at) = work.pop() {
            for &pc in &before[at as usize] {
                if std::mem::replace(&mut seen[pc as usize], true) {
                    continue;
                }
                if self.defines(self.code[pc as usize]) == Some(tile) {
                    found.push(pc);
                } else {
                    work.push(pc);
                }
            }
        }
        found
    }

    /// The instructions whose work is done together with that at `pc`, strip by strip, as far as nothing in between needs their tiles earlier.
    pub(super) fn together(&self, before: &[Vec<u32>], pc: u32) -> Vec<u32> {
        let (mut found, mut work) = (vec![], vec![pc]);
        while let Some(at) = work.pop() {
            let inst = self.code[at as usize];
            for tile in self.uses(inst) {
                for definition in self.definitions(before, at, tile) {
                    // What is computed for another use, too, is in a buffer; a box is read once more.
                    let makes = self.code[definition as usize];
                    if (self.is_last(inst, tile) || self.uses(makes).next().is_none()) && !found.contains(&definition) {
                        found.push(definition);
                        work.push(definition);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether an instruction uses a tile for the last time.
    fn is_last(&self, inst: Inst, tile: u32) -> bool {
        match inst {
            Inst::CopyTile { last, .. } => last,
            Inst::Op { op } => {
                let op = &self.ops[op as usize];
                op.args.iter().enumerate().any(|(index, arg)| *arg == Operand::Tile(tile) && op.is_last(index))
            }
            _ => false,
        }
    }
}

/// Tells each op which of its uses are the last ones, and those that may change memory which tiles are used afterwards.
pub(super) fn annotate(plan: &mut Plan) {
    if plan.tiles.is_empty() {
        return;
    }
    let mut live = plan.live_after();
    // A copy that nothing uses would be one more use of the old name.
    while plan.skip_copies(&live) {
        live = plan.live_after();
    }
    for (pc, live) in live.into_iter().enumerate() {
        let inst = plan.code[pc];
        let defined = plan.defines(inst);
        let is_last = |tile: u32| defined == Some(tile) || !live.contains(&tile);
        if let Inst::CopyTile { dst, src, .. } = inst {
            plan.code[pc] = Inst::CopyTile { dst, src, last: dst != src && is_last(src) };
        } else if let Some(op) = plan.number_of(inst) {
            let op = &mut plan.ops[op as usize];
            for (index, arg) in op.args.iter().enumerate() {
                if let Operand::Tile(tile) = arg
                    && is_last(*tile)
                {
                    op.last |= 1 << index;
                }
            }
            if !matches!(op.dst, Dst::Tile(_)) {
                op.live = live.into();
            }
        }
    }
}
