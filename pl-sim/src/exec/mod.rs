//! The execution of the ops: [`Execute`] for a rank. Each method resolves its arguments, has them checked, and only then touches memory.

mod bulk;
mod chains;
mod collective;
mod compute;
mod deferred;
mod pass;
mod refuse;
mod series;
mod signal;
mod transfer;
mod unrolled;

pub(crate) use collective::{Entered, site as site_of_entry};

use crate::elementwise::{Binary, Unary};
use crate::env::Env;
use crate::machine::{Halt, Machine, Memory, Place, Wake};
use crate::plan::{Dst, OpInst, Operand, Part, Reg};
use crate::region::{Runs, Shape};
use crate::tiles::Output;
use crate::window::Window;
use pl_core::fault::{Fault, OutOfBounds, PeerOutOfRange, TileMemory};
use pl_core::op::{Execute, OpCode};
pub(crate) use signal::Test;

/// A rank that executes an op.
pub(crate) struct Exec<'m, 'a, 'e> {
    /// The rank.
    pub(crate) machine: &'m mut Machine<'a>,
    /// What all ranks share.
    pub(crate) env: &'e Env<'a>,
    /// Whom to tell about ranks that can run again.
    pub(crate) wake: &'e dyn Wake,
}

/// How the rank goes on after an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// With the next instruction.
    Next,
    /// With the next instruction, after other ranks had their turn.
    Yield,
    /// With this op again, once it is woken.
    Park,
}

type Out = Result<Flow, Halt>;

/// An argument that the verifier should have refused.
fn bad(op: &OpInst, index: usize) -> Halt {
    Halt::Internal(format!("argument {index} of `{}` is of the wrong kind", op.code.path()))
}

impl<'a> Exec<'_, 'a, '_> {
    fn memory(&self, op: &OpInst, index: usize) -> Result<u32, Halt> {
        match op.args.get(index) {
            Some(&Operand::Memory(memory)) => Ok(memory),
            _ => Err(bad(op, index)),
        }
    }

    /// A tile, and whether this is its last use.
    fn tile(&self, op: &OpInst, index: usize) -> Result<(u32, bool), Halt> {
        match op.args.get(index) {
            Some(&Operand::Tile(tile)) => Ok((tile, op.is_last(index))),
            _ => Err(bad(op, index)),
        }
    }

    fn scalar(&self, op: &OpInst, index: usize) -> Result<u64, Halt> {
        match op.args.get(index) {
            Some(&Operand::Scalar(reg)) => Ok(self.machine.get(reg)),
            _ => Err(bad(op, index)),
        }
    }

    fn constant(&self, op: &OpInst, index: usize) -> Result<i32, Halt> {
        match op.args.get(index) {
            Some(&Operand::Enum(value)) => Ok(value),
            _ => Err(bad(op, index)),
        }
    }

    /// The registers of a list.
    fn list(&self, op: &OpInst, index: usize) -> Result<&'a [Reg], Halt> {
        match op.args.get(index) {
            Some(&Operand::List(start, len)) => Ok(self.machine.plan.list(start, len)),
            _ => Err(bad(op, index)),
        }
    }

    /// The values of a list.
    fn values<'s>(&'s self, list: &'s [Reg]) -> impl Iterator<Item = u64> + Clone + 's {
        list.iter().map(|&reg| self.machine.get(reg))
    }

    /// A rank that an op names: one of the domain of the window through which the op reaches it.
    fn peer(&self, op: &OpInst, index: usize) -> Result<usize, Halt> {
        let peer = self.scalar(op, index)?;
        let window = op.window.ok_or_else(|| bad(op, index))?;
        let ranks = self.machine.places[window as usize].ranks;
        if peer < ranks as u64 {
            return Ok(peer as usize);
        }
        let window = self.machine.plan.memories[window as usize].name.clone();
        Err(Fault::Peer(PeerOutOfRange { site: self.machine.site(), window, peer, ranks }).into())
    }

    /// The place of the rank in the domain whose context an op takes.
    fn place(&self, op: &OpInst) -> Result<Place, Halt> {
        match op.args.first() {
            Some(&Operand::Context(memory)) => Ok(self.machine.places[memory as usize]),
            _ => Err(bad(op, 0)),
        }
    }

    /// A window's memory, as a report names its owner: the rank in the world, and in the domain where that is another number.
    fn owner(&self, memory: u32, rank: usize) -> (Option<usize>, Option<usize>) {
        match self.machine.memories[memory as usize] {
            Memory::Window(window) => window.owner(rank),
            _ => (None, None),
        }
    }

    /// The box of a memory at `offsets`, of these extents.
    #[inline(always)]
    fn region(&self, memory: u32, offsets: &[Reg], extents: impl Iterator<Item = u64> + Clone) -> Result<Runs, Halt> {
        let info = &self.machine.plan.memories[memory as usize];
        if offsets.len() != info.shape.len() || extents.clone().count() != info.shape.len() {
            return Err(Halt::Internal(format!("a box of another rank than `{}`", info.name)));
        }
        Runs::new(&info.shape, self.values(offsets), extents.clone()).map_err(|axis| {
            Fault::OutOfBounds(OutOfBounds {
                site: self.machine.site(),
                memory: info.name.clone(),
                extents: info.shape.to_vec(),
                offsets: self.values(offsets).collect(),
                shape: extents.collect(),
                axis,
            })
            .into()
        })
    }

    /// The box in the argument `param` at the offsets in the argument `offsets`, for a tile.
    #[inline(always)]
    fn part_of_tile(
        &self,
        op: &'a OpInst,
        param: usize,
        owner: usize,
        offsets: usize,
        shape: &Shape,
    ) -> Result<Part, Halt> {
        match self.fixed_part(op, param, owner, offsets) {
            Some((part, known)) if known == shape => Ok(part),
            _ => self.part(op, param, owner, offsets, shape.extents().iter().map(|&extent| extent as u64)),
        }
    }

    /// The box in the argument `param` at the offsets in the argument `offsets`.
    // Inlined, like what it calls: a part is large, and each return of one a copy.
    #[inline(always)]
    fn part(
        &self,
        op: &'a OpInst,
        param: usize,
        owner: usize,
        offsets: usize,
        extents: impl Iterator<Item = u64> + Clone,
    ) -> Result<Part, Halt> {
        let memory = self.memory(op, param)?;
        let runs = self.region(memory, self.list(op, offsets)?, extents)?;
        Ok(Part { param, memory, owner, runs })
    }

    /// The same where the extents were known when the plan was made; `None` where they were not, or it is out of bounds.
    #[inline(always)]
    fn fixed_part(&self, op: &'a OpInst, param: usize, owner: usize, offsets: usize) -> Option<(Part, &'a Shape)> {
        let (Some(fixed), Some(&Operand::Memory(memory))) = (&op.fixed, op.args.get(param)) else { return None };
        let Some(&Operand::List(start, len)) = op.args.get(offsets) else { return None };
        let runs = fixed.at(self.values(self.machine.plan.list(start, len)))?;
        Some((Part { param, memory, owner, runs }, &fixed.shape))
    }

    /// One element of the argument `param`.
    #[inline(always)]
    fn cell(&self, op: &'a OpInst, param: usize, owner: usize, offsets: usize) -> Result<Part, Halt> {
        let ones = self.list(op, offsets)?.iter().map(|_| 1);
        self.part(op, param, owner, offsets, ones)
    }

    /// The rank in the domain of the argument `param`, a window.
    fn own(&self, op: &OpInst, param: usize) -> Result<usize, Halt> {
        Ok(self.machine.own(self.memory(op, param)?))
    }

    /// The window that a memory is.
    fn window(&self, memory: u32) -> Result<&'a Window, Halt> {
        match self.machine.memories[memory as usize] {
            Memory::Window(window) => Ok(window),
            _ => Err(Halt::Internal("a tensor where a window belongs".into())),
        }
    }

    /// A tile's shape from a list of extents.
    fn shape(&self, extents: &[Reg], dst: Option<u32>, size: usize) -> Result<Shape, Halt> {
        Shape::new(self.values(extents))
            .ok_or_else(|| self.no_memory(dst, self.values(extents).fold(size as u64, u64::saturating_mul)))
    }

    /// A buffer for a value of the tile `dst`.
    fn output(&mut self, dst: u32, bytes: usize) -> Result<Output, Halt> {
        let output = self.machine.tiles.output(dst, bytes);
        output.ok_or_else(|| self.no_memory(Some(dst), bytes as u64))
    }

    /// The fault of a tile that the host cannot hold.
    #[cold]
    fn no_memory(&self, tile: Option<u32>, needed: u64) -> Halt {
        let name = |tile: u32| (self.machine.plan.tiles[tile as usize].name.clone(), needed);
        let tiles = tile.map(name).into_iter().collect();
        let platform = self.env.platform.name;
        Fault::TileMemory(TileMemory { site: self.machine.site(), needed, limit: None, platform, tiles }).into()
    }

    /// Counts an op that gave a tile of so many bytes.
    fn made_tile(&mut self, bytes: usize) -> Out {
        self.machine.effects += 1;
        self.machine.spend(bytes);
        Ok(Flow::Next)
    }

    /// An op of `Host` functions, which run on no device.
    fn of_host(&self, op: &OpInst) -> Out {
        Err(Halt::Internal(format!("`{}` reached a device", op.code.path())))
    }

    /// Gives a scalar result to its register.
    fn finish(&mut self, op: &OpInst, value: u64) {
        if let Dst::Scalar(reg) = op.dst {
            self.machine.set(reg, value);
        }
    }
}

impl<'a> Execute<&'a OpInst> for Exec<'_, 'a, '_> {
    type Out = Out;

    fn load(&mut self, op: &'a OpInst) -> Out {
        let own = self.own(op, 0)?;
        self.fetch(op, own, 1, 2)
    }

    fn store(&mut self, op: &'a OpInst) -> Out {
        self.store_tile(op)
    }

    fn read(&mut self, op: &'a OpInst) -> Out {
        self.read_element(op)
    }

    fn write(&mut self, op: &'a OpInst) -> Out {
        self.write_element(op)
    }

    fn add(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Add)
    }

    fn sub(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Sub)
    }

    fn mul(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Mul)
    }

    fn div(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Div)
    }

    fn maximum(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Maximum)
    }

    fn minimum(&mut self, op: &'a OpInst) -> Out {
        self.binary(op, Binary::Minimum)
    }

    fn neg(&mut self, op: &'a OpInst) -> Out {
        self.each(op, Unary::Neg)
    }

    fn cast(&mut self, op: &'a OpInst) -> Out {
        self.convert(op)
    }

    fn full(&mut self, op: &'a OpInst) -> Out {
        self.fill(op)
    }

    fn get_comm_ctx(&mut self, _op: &'a OpInst) -> Out {
        Ok(Flow::Next)
    }

    fn rank(&mut self, op: &'a OpInst) -> Out {
        let rank = self.place(op)?.rank as u64;
        self.finish(op, rank);
        Ok(Flow::Next)
    }

    fn nranks(&mut self, op: &'a OpInst) -> Out {
        let ranks = self.place(op)?.ranks as u64;
        self.finish(op, ranks);
        Ok(Flow::Next)
    }

    fn notify(&mut self, op: &'a OpInst) -> Out {
        self.deposit(self.signal(op)?)
    }

    fn wait(&mut self, op: &'a OpInst) -> Out {
        self.await_cell(self.signal(op)?)
    }

    fn remote_load(&mut self, op: &'a OpInst) -> Out {
        let peer = self.peer(op, 1)?;
        self.fetch(op, peer, 2, 3)
    }

    fn remote_store(&mut self, op: &'a OpInst) -> Out {
        self.store_remote(op)
    }

    fn put(&mut self, op: &'a OpInst) -> Out {
        self.push(op, 6)
    }

    fn get(&mut self, op: &'a OpInst) -> Out {
        self.pull(op)
    }

    fn put_with_signal(&mut self, op: &'a OpInst) -> Out {
        self.push(op, 10)?;
        self.deposit(self.signal(op)?)
    }

    fn reshape(&mut self, _op: &'a OpInst) -> Out {
        Ok(Flow::Next)
    }

    fn discard(&mut self, op: &'a OpInst) -> Out {
        self.forget(op)
    }

    fn check_count(&mut self, op: &'a OpInst) -> Out {
        self.count(op)
    }

    fn enter(&mut self, op: &'a OpInst) -> Out {
        self.enter_collective(op)
    }

    fn leave(&mut self, _op: &'a OpInst) -> Out {
        self.leave_collective()
    }

    fn world_size(&mut self, op: &'a OpInst) -> Out {
        self.of_host(op)
    }

    fn alloc_window_buffer(&mut self, op: &'a OpInst) -> Out {
        self.of_host(op)
    }

    fn window(&mut self, op: &'a OpInst) -> Out {
        self.of_host(op)
    }

    fn part(&mut self, op: &'a OpInst) -> Out {
        self.of_host(op)
    }

    fn composite(&mut self, code: OpCode, _op: &'a OpInst) -> Out {
        Err(Halt::Internal(format!("`{}` was not lowered", code.path())))
    }
}
