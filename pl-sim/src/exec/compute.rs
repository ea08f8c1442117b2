//! Ops on tiles, and the count of tile memory.

use super::{Exec, Flow, Out, bad};
use crate::elementwise::{self, Binary, Unary};
use crate::machine::Halt;
use crate::memory;
use crate::plan::{Dst, OpInst, Operand};
use crate::region::Shape;
use crate::tiles::Step;
use pl_core::dtype::DType;
use pl_core::fault::{ElementDivision, ExtentMismatch, Fault, TileMemory};

/// The right side of an op.
#[derive(Clone, Copy)]
enum Right {
    /// A tile, and whether this is its last use.
    Tile(u32, bool),
    /// A scalar, as a register holds it.
    Scalar(u64),
}

impl<'a> Exec<'_, 'a, '_> {
    fn dst(&self, op: &OpInst) -> Option<u32> {
        match op.dst {
            Dst::Tile(tile) => Some(tile),
            _ => None,
        }
    }

    /// The element-wise ops of two operands.
    pub(super) fn binary(&mut self, op: &'a OpInst, which: Binary) -> Out {
        let lhs = self.tile(op, 0)?;
        let plan = self.machine.plan;
        let dtype = plan.tiles[lhs.0 as usize].dtype;
        let shape = *self.machine.tiles.shape(lhs.0);
        let bytes = shape.elements() * dtype.bytes();
        let rhs = match op.args.get(1) {
            Some(&Operand::Tile(tile)) => Right::Tile(tile, op.is_last(1)),
            Some(&Operand::Scalar(reg)) => Right::Scalar(self.machine.get(reg)),
            _ => return Err(bad(op, 1)),
        };
        if let Right::Tile(rhs, _) = rhs
            && *self.machine.tiles.shape(rhs) != shape
        {
            let side =
                |tile: u32| (plan.tiles[tile as usize].name.clone(), self.machine.tiles.shape(tile).extents().to_vec());
            let mismatch = ExtentMismatch { site: self.machine.site(), lhs: side(lhs.0), rhs: side(rhs) };
            return Err(Fault::Extents(mismatch).into());
        }
        if which.divides() && !dtype.is_float() && bytes > 0 {
            self.check_divisor(rhs, dtype, &shape)?;
        }
        self.count_tiles(op, bytes, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        match rhs {
            Right::Scalar(scalar) => self.unary(dst, lhs, dtype, Step::Scalar(which, dtype, scalar), shape)?,
            Right::Tile(rhs, last) => {
                self.join(lhs, (rhs, last))?;
                self.machine.tiles.binary(dst, lhs, (rhs, last), dtype, which, shape);
            }
        }
        self.made_tile(bytes)
    }

    /// Refuses an integer zero in a divisor.
    fn check_divisor(&mut self, divisor: Right, dtype: DType, shape: &Shape) -> Result<(), Halt> {
        let element = match divisor {
            Right::Scalar(scalar) if elementwise::is_zero(dtype, scalar) => None,
            Right::Scalar(_) => return Ok(()),
            Right::Tile(tile, _) => {
                self.materialise(tile)?;
                let divisor = self.machine.tiles.bytes(tile, dtype.bytes()).unwrap_or_default();
                let Some(position) = elementwise::find_zero(dtype, divisor) else { return Ok(()) };
                Some(shape.indices(position))
            }
        };
        Err(Fault::ElementDivision(ElementDivision { site: self.machine.site(), dtype, element }).into())
    }

    /// The element-wise ops of one operand.
    pub(super) fn each(&mut self, op: &'a OpInst, which: Unary) -> Out {
        let tile = self.tile(op, 0)?;
        let dtype = self.machine.plan.tiles[tile.0 as usize].dtype;
        let shape = *self.machine.tiles.shape(tile.0);
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        self.unary(dst, tile, dtype, Step::Unary(which, dtype), shape)?;
        self.made_tile(bytes)
    }

    /// `pl::cast`
    pub(super) fn convert(&mut self, op: &'a OpInst) -> Out {
        let tile = self.tile(op, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        let plan = self.machine.plan;
        let (from, to) = (plan.tiles[tile.0 as usize].dtype, plan.tiles[dst as usize].dtype);
        let shape = *self.machine.tiles.shape(tile.0);
        let bytes = shape.elements() * to.bytes();
        self.count_tiles(op, bytes, 0)?;
        self.unary(dst, tile, from, Step::Cast { from, to }, shape)?;
        self.made_tile(bytes)
    }

    /// `pl::full`
    pub(super) fn fill(&mut self, op: &'a OpInst) -> Out {
        let extents = self.list(op, 0)?;
        let value = self.scalar(op, 1)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        let dtype = self.machine.plan.tiles[dst as usize].dtype;
        let shape = self.shape(extents, Some(dst), dtype.bytes())?;
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes, 0)?;
        if !memory::holds(bytes) {
            return Err(self.no_memory(Some(dst), bytes as u64));
        }
        self.machine.tiles.start(dst, Step::Fill(dtype, value), shape, false);
        self.made_tile(bytes)
    }

    /// Compares the tile memory that an op needs with what the platform has, where binding could not: for its result, and for the chunks that it
    /// moves.
    pub(super) fn count_tiles(&self, op: &OpInst, result: usize, staged: u64) -> Result<(), Halt> {
        let (Some(live), Some(limit)) = (&op.tiles, self.env.platform.tile_bytes) else { return Ok(()) };
        let machine = &*self.machine;
        let size = |tile: u32| {
            let dtype = machine.plan.tiles[tile as usize].dtype;
            (machine.tiles.shape(tile).elements() * dtype.bytes()) as u64
        };
        let named = |tile: u32| machine.plan.tiles[tile as usize].name.clone();
        let mut tiles: Vec<_> = live.held.iter().map(|&tile| (named(tile), size(tile))).collect();
        let mut needed: u64 = tiles.iter().map(|t| t.1).sum();
        // The result may take the place of an operand that is not used any more.
        let result = result as u64;
        if let Dst::Tile(dst) = op.dst
            && !live.dying.iter().any(|&tile| size(tile) >= result)
        {
            needed += result;
            tiles.push((named(dst), result));
        }
        if staged > 0 {
            needed = needed.saturating_add(staged);
            tiles.push(("chunk".into(), staged));
        }
        if needed <= limit as u64 {
            return Ok(());
        }
        let platform = self.env.platform.name;
        Err(Fault::TileMemory(TileMemory { site: machine.site(), needed, limit: Some(limit), platform, tiles }).into())
    }
}
