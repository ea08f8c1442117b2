//! Tile memory: which tiles are live at an op.
//!
//! At an op a device holds the tiles live across it, its operands and its result; a result may take the place of an operand of at least its size
//! that is dead after. Liveness is on names: a tile is live where some path may still read the name.

use super::{Inferred, Known};
use crate::bind::{Bindings, Platform};
use crate::diag::Diagnostic;
use crate::ir::{ArgKind, Expr, Function, Loc, LocalId, Op, Shaped, Stmt, StmtKind, Type};
use crate::poly::Poly;
use std::collections::BTreeSet;

/// The tiles at one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// The position of the statement in the order of [`crate::ir::visit`].
    pub stmt: usize,
    /// Where it stands.
    pub loc: Loc,
    /// The tiles live across it and its operands; the result is not among them.
    pub live: Vec<LocalId>,
    /// The tile it makes.
    pub result: Option<LocalId>,
    /// Operands that are dead after it, whose place the result may take.
    pub dying: Vec<LocalId>,
    /// Whether it moves a box through tile memory.
    pub stages: bool,
}

/// The tiles at each op and assignment that touches one, and at each composite.
pub fn pressure(function: &Function, inferred: &Inferred) -> Vec<Pressure> {
    let mut live = Liveness { inferred, found: vec![], record: true };
    live.block(&function.body, 0, BTreeSet::new());
    live.found.sort_by_key(|p| p.stmt);
    live.found
}

struct Liveness<'a> {
    inferred: &'a Inferred,
    found: Vec<Pressure>,
    /// Off while a loop is run through for what its next iteration reads.
    record: bool,
}

/// The number of statements of a block, nested ones included.
fn size(block: &[Stmt]) -> usize {
    let mut count = 0;
    crate::ir::visit(block, &mut |_| count += 1);
    count
}

impl Liveness<'_> {
    fn is_tile(&self, id: LocalId) -> bool {
        matches!(self.inferred.types.get(id.0 as usize), Some(Type::Tile(_)))
    }

    /// The tiles live before the block, given those live after it. `first` is the position of its first statement.
    fn block(&mut self, block: &[Stmt], first: usize, mut live: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        let mut positions = Vec::with_capacity(block.len());
        let mut at = first;
        for stmt in block {
            positions.push(at);
            at += 1 + stmt.kind.blocks().iter().map(|b| size(b)).sum::<usize>();
        }
        for (stmt, position) in block.iter().zip(positions).rev() {
            live = self.stmt(stmt, position, live);
        }
        live
    }

    fn stmt(&mut self, stmt: &Stmt, position: usize, mut live: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        match &stmt.kind {
            StmtKind::For { body, .. } => self.repeated(&[body], position + 1, live),
            StmtKind::While { pre, body, .. } => self.repeated(&[pre, body], position + 1, live),
            StmtKind::If { then, els, .. } => {
                let mut before = self.block(then, position + 1, live.clone());
                before.extend(self.block(els, position + 1 + size(then), live));
                before
            }
            kind => {
                let mut result = None;
                kind.for_each_dst(&mut |id| {
                    if self.is_tile(id) {
                        result = Some(id);
                    }
                });
                if let Some(id) = result {
                    live.remove(&id);
                }
                let mut operands = BTreeSet::new();
                kind.for_each_expr(&mut |e| {
                    e.walk(&mut |e| {
                        if let Some(id) = e.as_local()
                            && self.is_tile(id)
                        {
                            operands.insert(id);
                        }
                    });
                });
                let dying = operands.iter().filter(|id| !live.contains(id)).copied().collect();
                live.extend(&operands);
                let composite = matches!(kind, StmtKind::Op(op) if op.code.is_composite());
                let stages = matches!(kind, StmtKind::Op(op) if op.code.info().chunks.is_some());
                if self.record && (composite || stages || result.is_some() || !operands.is_empty()) {
                    let live = live.iter().copied().collect();
                    self.found.push(Pressure { stmt: position, loc: stmt.loc, live, result, dying, stages });
                }
                live
            }
        }
    }

    /// The blocks of a loop, in order, any number of times.
    fn repeated(&mut self, blocks: &[&[Stmt]], first: usize, after: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        // What an iteration reads before it assigns is live at the end of the one before.
        let record = std::mem::replace(&mut self.record, false);
        let mut live = after;
        live.extend(self.once(blocks, first, BTreeSet::new()));
        self.record = record;
        if record {
            self.once(blocks, first, live.clone());
        }
        live
    }

    fn once(&mut self, blocks: &[&[Stmt]], first: usize, mut live: BTreeSet<LocalId>) -> BTreeSet<LocalId> {
        let mut at = first + blocks.iter().map(|b| size(b)).sum::<usize>();
        for block in blocks.iter().rev() {
            at -= size(block);
            live = self.block(block, at, live);
        }
        live
    }
}

/// The bytes of a tile, when its extents are known.
pub(crate) fn tile_bytes(function: &Function, bindings: &Bindings, tile: &Shaped) -> Option<u128> {
    let crate::ir::Elem::Known(dtype) = tile.elem else { return None };
    tile.shape.iter().try_fold(dtype.bytes() as u128, |bytes, extent| {
        let extent = Poly::of(extent.as_ref()?, &|name| function.value_of_name(name, Some(bindings)))?.as_constant()?;
        bytes.checked_mul(u128::try_from(extent).ok()?)
    })
}

/// The bytes that are live across a statement besides its operands; `None` when some extent is not known.
pub(crate) fn live_bytes(
    function: &Function,
    inferred: &Inferred,
    bindings: &Bindings,
    tiles: &[LocalId],
) -> Option<u128> {
    tiles.iter().try_fold(0u128, |sum, id| match inferred.types.get(id.0 as usize) {
        Some(Type::Tile(tile)) => sum.checked_add(tile_bytes(function, bindings, tile)?),
        _ => Some(sum),
    })
}

/// The tile memory that a bulk transfer moves its box through: the box, or a chunk of it, twice in a pipeline. `None` where an extent is not
/// known and no chunk bounds it.
fn staging_bytes(function: &Function, inferred: &Inferred, bindings: &Bindings, op: &Op) -> Option<u128> {
    let chunks = op.code.info().chunks.as_ref()?;
    let remote = op.args.get(usize::from(chunks.remote))?.as_local()?;
    let shaped = inferred.types.get(remote.0 as usize)?.shaped()?;
    let crate::ir::Elem::Known(dtype) = shaped.elem else { return None };
    let known = Known { function, bindings: Some(bindings), values: &inferred.values };
    let number = |e: &Expr| known.index(e).and_then(|v| u128::try_from(v).ok());
    let value = |index: usize| match op.args.get(index).map(|a| &a.kind) {
        Some(ArgKind::Value(e)) => number(e),
        _ => None,
    };
    let extents: Vec<Option<u128>> = match &op.args.get(usize::from(chunks.shape))?.kind {
        ArgKind::List(list) => list.iter().map(number).collect(),
        _ => shaped.shape.iter().map(|e| number(e.as_ref()?)).collect(),
    };
    let (cols, rows) = extents.split_last()?;
    let rows = rows.iter().try_fold(1u128, |n, e| n.checked_mul((*e)?));
    let bounded = |extent: Option<u128>, chunk: u128| match (extent, chunk) {
        (extent, 0) => extent,
        (Some(extent), chunk) => Some(extent.min(chunk)),
        (None, chunk) => Some(chunk),
    };
    let at = usize::from(chunks.rows);
    let held = bounded(rows, value(at)?)?.checked_mul(bounded(*cols, value(at + 1)?)?)?;
    let pipeline = match &op.args.get(at + 2)?.kind {
        ArgKind::Value(e) => known.truth(e).unwrap_or(false),
        _ => false,
    };
    held.checked_mul(dtype.bytes() as u128 * if pipeline { 2 } else { 1 })
}

/// Checks each op's tiles against the platform's memory, as far as extents are known before the run.
pub(crate) fn check_tile_memory(
    function: &Function,
    inferred: &Inferred,
    bindings: &Bindings,
    platform: &Platform,
) -> Vec<Diagnostic> {
    let Some(limit) = platform.tile_bytes else { return vec![] };
    let mut stmts = vec![];
    crate::ir::visit(&function.body, &mut |stmt| stmts.push(stmt));
    let mut errors: Vec<Diagnostic> = vec![];
    for at in pressure(function, inferred) {
        let bytes_of = |id: LocalId| live_bytes(function, inferred, bindings, &[id]);
        let Some(held) = live_bytes(function, inferred, bindings, &at.live) else { continue };
        let result = match at.result {
            None => 0,
            Some(id) => {
                let Some(bytes) = bytes_of(id) else { continue };
                if at.dying.iter().any(|d| bytes_of(*d).is_some_and(|b| b >= bytes)) { 0 } else { bytes }
            }
        };
        let staged = match stmts.get(at.stmt).map(|s| &s.kind) {
            Some(StmtKind::Op(op)) if at.stages => match staging_bytes(function, inferred, bindings, op) {
                Some(bytes) => bytes,
                None => continue,
            },
            _ => 0,
        };
        let needed = held + result + staged;
        if needed > limit as u128 {
            let what = match stmts.get(at.stmt).map(|s| &s.kind) {
                Some(StmtKind::Op(op)) => format!("`{}`", op.code.path()),
                _ => "this assignment".into(),
            };
            let tiles = at.live.len() + usize::from(at.result.is_some() && result > 0);
            let tiles = match (tiles, staged) {
                (0 | 1, 0) => "1 live tile".into(),
                (n, 0) => format!("{n} live tiles"),
                (0, _) => "the chunk that it moves".into(),
                (n, _) => format!("{n} live {} and the chunk that it moves", if n == 1 { "tile" } else { "tiles" }),
            };
            let help = if staged > 0 {
                "move smaller chunks (`chunk_rows`, `chunk_cols`), or keep fewer tiles live"
            } else {
                "work on smaller tiles in a loop of chunks, or keep fewer tiles live"
            };
            let diagnostic = Diagnostic::new(
                at.loc,
                format!(
                    "{what} needs {needed} bytes of tile memory ({tiles}), platform `{}` has {limit}",
                    platform.name
                ),
                help,
            );
            if !errors.iter().any(|e| e.loc == at.loc) {
                errors.push(diagnostic);
            }
        }
    }
    errors
}
