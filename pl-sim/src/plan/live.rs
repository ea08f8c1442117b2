//! Which tiles count against the platform's tile memory at each op: those that live across it, its operands and its result.
//!
//! Binding counts them where every extent is known. Where one is not, the op carries the list, and the machine counts at actual extents.

use super::{Dst, Inst, Operand, Plan};
use pl_core::bind::Program;
use pl_core::ir::Type;

/// The tiles that count at an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveTiles {
    /// Tiles whose values are used after the op, the result not among them.
    pub(crate) across: Vec<u32>,
    /// Operands whose values are not used after it: the result may take the place of one.
    pub(crate) dying: Vec<u32>,
}

/// A set of tiles.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(tiles: usize) -> Set {
        Set(vec![0; tiles.div_ceil(64)])
    }

    fn insert(&mut self, tile: u32) {
        self.0[tile as usize / 64] |= 1 << (tile % 64);
    }

    fn remove(&mut self, tile: u32) {
        self.0[tile as usize / 64] &= !(1 << (tile % 64));
    }

    fn contains(&self, tile: u32) -> bool {
        self.0[tile as usize / 64] >> (tile % 64) & 1 == 1
    }

    /// Adds another set; whether this one grew.
    fn extend(&mut self, other: &Set) -> bool {
        let mut grew = false;
        for (a, &b) in self.0.iter_mut().zip(&other.0) {
            grew |= b & !*a != 0;
            *a |= b;
        }
        grew
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).filter(|&tile| self.contains(tile))
    }
}

/// The tiles that an instruction reads.
fn uses(plan: &Plan, inst: Inst) -> Vec<u32> {
    let tile = |arg: &Operand| if let Operand::Tile(tile) = *arg { Some(tile) } else { None };
    match inst {
        Inst::Op { op } => plan.ops[op as usize].args.iter().filter_map(tile).collect(),
        Inst::CopyTile { src, .. } | Inst::Extent { tile: src, .. } => vec![src],
        Inst::Check { check } => match plan.checks[check as usize].found {
            super::Checked::Tile(tile) => vec![tile],
            super::Checked::Memory(_) => vec![],
        },
        _ => vec![],
    }
}

/// The tile that an instruction gives a new value.
fn defines(plan: &Plan, inst: Inst) -> Option<u32> {
    match inst {
        Inst::CopyTile { dst, .. } => Some(dst),
        Inst::Op { op } => match plan.ops[op as usize].dst {
            Dst::Tile(tile) => Some(tile),
            _ => None,
        },
        _ => None,
    }
}

/// Where control can go after an instruction.
fn successors(pc: usize, inst: Inst) -> [Option<usize>; 2] {
    let next = Some(pc + 1);
    match inst {
        Inst::Jump { to } | Inst::Again { to } | Inst::Next { head: to, .. } => [Some(to as usize), None],
        Inst::Unless { to, .. } | Inst::When { to, .. } | Inst::Head { exit: to, .. } => [next, Some(to as usize)],
        Inst::End => [None, None],
        _ => [next, None],
    }
}

/// Gives each op whose tiles have extents that only a run knows the list of tiles to count.
pub(super) fn annotate(plan: &mut Plan, program: &Program) {
    let dynamic = dynamic_tiles(plan, program);
    if !dynamic.contains(&true) {
        return;
    }
    let after = live_after(plan);
    for (pc, after) in after.iter().enumerate() {
        let inst = plan.code[pc];
        let Inst::Op { op } = inst else { continue };
        let result = defines(plan, inst);
        let mut operands = uses(plan, inst);
        operands.sort_unstable();
        operands.dedup();
        let across: Vec<u32> = after.iter().filter(|&tile| Some(tile) != result).collect();
        let dying: Vec<u32> = operands.into_iter().filter(|tile| !across.contains(tile)).collect();
        let counted = across.iter().chain(&dying).chain(&result);
        if (result.is_some() || !dying.is_empty()) && counted.into_iter().any(|&tile| dynamic[tile as usize]) {
            plan.ops[op as usize].tiles = Some(Box::new(LiveTiles { across, dying }));
        }
    }
}

/// Which tiles have an extent that only a run knows.
fn dynamic_tiles(plan: &Plan, program: &Program) -> Vec<bool> {
    let known = |name: &str| {
        program.bindings.dims.contains_key(name) || program.function.constant(name).is_some_and(|c| c.value.is_some())
    };
    let is_static = |extent: &pl_core::ir::Expr| {
        let mut fixed = true;
        extent.walk(&mut |e| {
            fixed &= match &e.kind {
                pl_core::ir::ExprKind::Name(name) => known(name),
                pl_core::ir::ExprKind::Local(_) | pl_core::ir::ExprKind::Extent(..) => false,
                _ => true,
            }
        });
        fixed
    };
    let tiles = program.inferred.types.iter().zip(&program.function.locals).filter_map(|(ty, local)| match ty {
        Type::Tile(shaped) => {
            let dynamic = shaped.shape.iter().any(|extent| !extent.as_ref().is_some_and(is_static));
            Some((&local.name, dynamic))
        }
        _ => None,
    });
    let dynamic: std::collections::HashMap<_, _> = tiles.collect();
    plan.tiles.iter().map(|tile| dynamic.get(&tile.name).copied().unwrap_or(true)).collect()
}

/// The tiles whose values are used after each instruction.
fn live_after(plan: &Plan) -> Vec<Set> {
    let empty = Set::new(plan.tiles.len());
    let mut before = vec![empty.clone(); plan.code.len()];
    let mut after = vec![empty; plan.code.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..plan.code.len()).rev() {
            let inst = plan.code[pc];
            for next in successors(pc, inst).into_iter().flatten() {
                if let Some(set) = before.get(next) {
                    after[pc].extend(set);
                }
            }
            let mut live = after[pc].clone();
            if let Some(tile) = defines(plan, inst) {
                live.remove(tile);
            }
            for tile in uses(plan, inst) {
                live.insert(tile);
            }
            changed |= before[pc].extend(&live);
        }
    }
    after
}
