//! Ops on tiles, and the count of tile memory.

use super::{Exec, Flow, Out, bad};
use crate::elementwise::{self, Binary, Left, Right};
use crate::machine::Halt;
use crate::plan::{Dst, OpInst, Operand};
use pl_core::fault::{ElementDivision, ExtentMismatch, Fault, TileMemory};

impl<'a> Exec<'_, 'a, '_> {
    fn dst(&self, op: &OpInst) -> Option<u32> {
        match op.dst {
            Dst::Tile(tile) => Some(tile),
            _ => None,
        }
    }

    /// The element-wise ops of two operands.
    pub(super) fn binary<F: Binary>(&mut self, op: &'a OpInst) -> Out {
        let lhs = self.tile(op, 0)?;
        let plan = self.machine.plan;
        let dtype = plan.tiles[lhs as usize].dtype;
        let shape = *self.machine.tiles.shape(lhs);
        let bytes = shape.elements() * dtype.bytes();
        let rhs = match op.args.get(1) {
            Some(&Operand::Tile(tile)) => Some(tile),
            Some(&Operand::Scalar(_)) => None,
            _ => return Err(bad(op, 1)),
        };
        if let Some(rhs) = rhs
            && *self.machine.tiles.shape(rhs) != shape
        {
            let side =
                |tile: u32| (plan.tiles[tile as usize].name.clone(), self.machine.tiles.shape(tile).extents().to_vec());
            let mismatch = ExtentMismatch { site: self.machine.site(), lhs: side(lhs), rhs: side(rhs) };
            return Err(Fault::Extents(mismatch).into());
        }
        if F::DIVIDES && !dtype.is_float() {
            let divisor = self.right(op, rhs, dtype.bytes())?;
            if let Some(position) = elementwise::find_zero(dtype, divisor)
                && bytes > 0
            {
                let element = rhs.map(|_| shape.indices(position));
                return Err(
                    Fault::ElementDivision(ElementDivision { site: self.machine.site(), dtype, element }).into()
                );
            }
        }
        self.count_tiles(op, bytes, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        let size = dtype.bytes();
        if dst == lhs && self.machine.tiles.replaceable(dst, rhs) {
            let mut output = self.machine.tiles.take(dst, bytes);
            let right = self.right(op, rhs, size)?;
            elementwise::binary::<F>(dtype, Left::InPlace(output.bytes()), right);
            self.finish_tile(dst, output, shape)
        } else {
            let operands = [lhs, rhs.unwrap_or(lhs)];
            let mut output = self.output(dst, bytes, &operands)?;
            let left = self.machine.tiles.bytes(lhs, size);
            let right = self.right(op, rhs, size)?;
            elementwise::binary::<F>(dtype, Left::Apart(left, output.bytes()), right);
            self.finish_tile(dst, output, shape)
        }
    }

    /// The right side of an op.
    fn right(&self, op: &OpInst, tile: Option<u32>, size: usize) -> Result<Right<'_>, Halt> {
        match tile {
            Some(tile) => Ok(Right::Tile(self.machine.tiles.bytes(tile, size))),
            None => self.scalar(op, 1).map(Right::Scalar),
        }
    }

    /// `pl::neg`
    pub(super) fn negate(&mut self, op: &'a OpInst) -> Out {
        let tile = self.tile(op, 0)?;
        let dtype = self.machine.plan.tiles[tile as usize].dtype;
        let shape = *self.machine.tiles.shape(tile);
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        if dst == tile && self.machine.tiles.replaceable(dst, None) {
            let mut output = self.machine.tiles.take(dst, bytes);
            elementwise::neg(dtype, Left::InPlace(output.bytes()));
            self.finish_tile(dst, output, shape)
        } else {
            let mut output = self.output(dst, bytes, &[tile])?;
            elementwise::neg(dtype, Left::Apart(self.machine.tiles.bytes(tile, dtype.bytes()), output.bytes()));
            self.finish_tile(dst, output, shape)
        }
    }

    /// `pl::cast`
    pub(super) fn convert(&mut self, op: &'a OpInst) -> Out {
        let tile = self.tile(op, 0)?;
        let Some(dst) = self.dst(op) else { return Ok(Flow::Next) };
        let plan = self.machine.plan;
        let (from, to) = (plan.tiles[tile as usize].dtype, plan.tiles[dst as usize].dtype);
        let shape = *self.machine.tiles.shape(tile);
        let bytes = shape.elements() * to.bytes();
        self.count_tiles(op, bytes, 0)?;
        let mut output = self.output(dst, bytes, &[tile])?;
        elementwise::cast(from, self.machine.tiles.bytes(tile, from.bytes()), to, output.bytes());
        self.finish_tile(dst, output, shape)
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
        let mut output = self.output(dst, bytes, &[])?;
        elementwise::full(dtype, value, output.bytes());
        self.finish_tile(dst, output, shape)
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
