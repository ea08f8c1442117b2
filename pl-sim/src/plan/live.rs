//! Which tiles count against the platform's tile memory at each op: those that live across it, its operands and its result.
//!
//! Binding counts them where every extent is known. Where one is not, and at bulk transfers, the op carries the list, and the machine counts at actual
//! extents.

use super::Plan;
use pl_core::bind::Program;
use pl_core::ir::{Expr, ExprKind, LocalId, Type};
use pl_core::verify::pressure;
use std::collections::HashMap;

/// The tiles that count at an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveTiles {
    /// Those live across it and its operands, the result not among them.
    pub(crate) held: Vec<u32>,
    /// Operands that are dead after it: the result may take the place of one.
    pub(crate) dying: Vec<u32>,
}

/// Gives each op that has a tile whose extents only a run knows, and each bulk transfer, the list of tiles to count. `ops` are the ops by the position of their
/// statement, `tile_of` the tile that a local is.
pub(super) fn annotate(
    plan: &mut Plan,
    program: &Program,
    ops: &HashMap<usize, u32>,
    tile_of: impl Fn(LocalId) -> Option<u32>,
) {
    let is_dynamic = |id: &LocalId| match program.inferred.types.get(id.0 as usize) {
        Some(Type::Tile(tile)) => {
            !tile.shape.iter().all(|extent| extent.as_ref().is_some_and(|e| is_known(program, e)))
        }
        _ => false,
    };
    for at in pressure(&program.function, &program.inferred) {
        let counted = at.live.iter().chain(&at.result);
        if let Some(&op) = ops.get(&at.stmt)
            && (at.stages || counted.into_iter().any(is_dynamic))
        {
            let tiles = |locals: &[LocalId]| locals.iter().filter_map(|&id| tile_of(id)).collect();
            plan.ops[op as usize].tiles = Some(Box::new(LiveTiles { held: tiles(&at.live), dying: tiles(&at.dying) }));
        }
    }
}

/// Whether an extent is known before the run: nothing but dims and constants.
pub(super) fn is_known(program: &Program, extent: &Expr) -> bool {
    let mut known = true;
    extent.walk(&mut |e| {
        known &= match &e.kind {
            ExprKind::Name(name) => program.function.value_of_name(name, Some(&program.bindings)).is_some(),
            ExprKind::Local(_) | ExprKind::Extent(..) => false,
            _ => true,
        }
    });
    known
}
