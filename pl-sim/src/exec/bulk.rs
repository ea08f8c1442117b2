//! Boxes that move straight between memories: of tiles, tensors and windows into windows of peers, and back.
//!
//! Both sides are checked before memory is touched. What is copied goes run by run, and nothing is allocated but where a box moves within one memory.

use super::{Exec, Flow, Out, Part, bad};
use crate::check::Refused;
use crate::check::clock::Stamp;
use crate::elementwise::accumulate;
use crate::machine::{Halt, Machine, Memory};
use crate::plan::{OpInst, Operand};
use crate::region::Runs;
use crate::shared::ReadGrant;
use crate::window::Window;
use pl_core::fault::AccessKind;
use pl_core::op::{AtomicType, Chunks, EnumKind};

/// What moves.
enum Data<'d> {
    /// A box of a tile or tensor.
    Bytes(&'d [u8], Runs),
    /// A box of a window.
    Window(ReadGrant<'d>),
}

/// Why a box does not move.
enum Stopped {
    /// The check of the memory that is read.
    Read(Refused),
    /// The check of the memory that is changed.
    Changed(Refused),
    /// The host has not as many bytes for a box that moves within one memory.
    NoMemory(usize),
    /// Something that the verifier should have refused.
    Internal(&'static str),
}

impl Machine<'_> {
    /// Asks to read a box of a window.
    fn grant<'g>(&'g self, window: &'g Window, from: &'g Part) -> Result<ReadGrant<'g>, Refused> {
        window.memory(from.owner).read(&from.runs, &self.clock, self.pc)
    }

    /// Changes a box of a window: replaces it, or adds to it. Of an add: an earlier one to some element that nothing orders before it.
    fn deliver(&self, window: &Window, to: &Part, adds: bool, data: &Data<'_>) -> Result<Option<Stamp>, Refused> {
        let memory = window.memory(to.owner);
        if !adds {
            let grant = memory.write(&to.runs, &self.clock, self.pc)?;
            match data {
                Data::Bytes(bytes, runs) => grant.copy_from_box(bytes, runs),
                Data::Window(source) => grant.copy_from_window(source),
            }
            return Ok(None);
        }
        let (grant, beside) = memory.add(&to.runs, &self.clock, self.pc)?;
        let add = |sum: &mut [u8], data: &[u8]| accumulate(window.dtype, sum, data);
        match data {
            Data::Bytes(bytes, runs) => grant.add_from_box(bytes, runs, add),
            Data::Window(source) => grant.add_from_window(source, add),
        }
        Ok(beside)
    }

    /// Moves a box. Gives what [`Machine::deliver`] does.
    fn transfer(&mut self, from: &Part, to: &Part, adds: bool) -> Result<Option<Stamp>, Stopped> {
        if from.runs.elements() != to.runs.elements() {
            return Err(Stopped::Internal("a transfer between boxes of different sizes"));
        }
        let base = |memory: u32| self.plan.base(memory) as usize;
        let (source, target) = (base(from.memory), base(to.memory));
        let Memory::Window(window) = self.memories[target] else { return self.take_in(from, to, (source, target)) };
        let result = match &self.memories[source] {
            Memory::In(bytes) => self.deliver(window, to, adds, &Data::Bytes(bytes, from.runs)),
            Memory::Out(bytes, init) => match init.missing(&from.runs) {
                None => self.deliver(window, to, adds, &Data::Bytes(bytes, from.runs)),
                Some(missing) => return Err(Stopped::Read(Refused::Missing(missing))),
            },
            &Memory::Window(own) => {
                let within = own.id == window.id && from.owner == to.owner && from.runs.meets(&to.runs);
                self.accesses += 1;
                if within {
                    // All of the box is read before any of it changes.
                    let bytes = from.runs.elements() * window.dtype.bytes();
                    let mut scratch = std::mem::take(&mut self.scratch);
                    if !scratch.grow(bytes) {
                        return Err(Stopped::NoMemory(bytes));
                    }
                    let data = &mut scratch.bytes_mut()[..bytes];
                    self.grant(own, from).map_err(Stopped::Read)?.copy_to(data);
                    let data = Data::Bytes(data, Runs::first(from.runs.elements()));
                    let result = self.deliver(window, to, adds, &data);
                    self.scratch = scratch;
                    result
                } else {
                    let grant = self.grant(own, from).map_err(Stopped::Read)?;
                    self.deliver(window, to, adds, &Data::Window(grant))
                }
            }
            Memory::View(_) => return Err(Stopped::Internal("a view of a view")),
        };
        self.accesses += 1;
        result.map_err(Stopped::Changed)
    }

    /// Moves a box of a window into an `Out` tensor.
    fn take_in(&mut self, from: &Part, to: &Part, (source, target): (usize, usize)) -> Result<Option<Stamp>, Stopped> {
        let Memory::Window(window) = self.memories[source] else {
            return Err(Stopped::Internal("a transfer between tensors"));
        };
        let Memory::Out(bytes, init) = &mut self.memories[target] else {
            return Err(Stopped::Internal("a transfer into an `In` tensor"));
        };
        self.accesses += 1;
        let grant = window.memory(from.owner).read(&from.runs, &self.clock, self.pc).map_err(Stopped::Read)?;
        grant.copy_to_box(bytes, &to.runs);
        init.fill(&to.runs);
        self.cost.result_elements += to.runs.elements() as u64;
        Ok(None)
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// Whether a transfer adds.
    fn adds(&self, op: &OpInst, index: usize) -> Result<bool, Halt> {
        let value = self.constant(op, index)?;
        match AtomicType::from_wire(value) {
            Some(AtomicType::None) => Ok(false),
            Some(AtomicType::Add) => Ok(true),
            None => Err(Halt::Internal(format!("`{}` has no value {value}", EnumKind::AtomicType.name()))),
        }
    }

    /// `pld::tile::remote_store`
    pub(super) fn store_remote(&mut self, op: &'a OpInst) -> Out {
        let ((tile, last), peer, adds) = (self.tile(op, 0)?, self.peer(op, 2)?, self.adds(op, 4)?);
        let shape = *self.machine.tiles.shape(tile);
        let to = self.part_of_tile(op, 1, peer, 3, &shape)?;
        if adds {
            self.materialise(tile)?;
            self.before_change(op, &to)?;
            let window = self.window(to.memory)?;
            let machine = &mut *self.machine;
            machine.accesses += 1;
            let data = machine.tiles.bytes(tile, window.dtype.bytes()).unwrap_or_default();
            let beside = machine.deliver(window, &to, adds, &Data::Bytes(data, Runs::first(shape.elements())));
            let beside = beside.map_err(|refused| self.refused(refused, AccessKind::Add, op, &to))?;
            self.moved(&to, beside);
            self.pushed(&to);
        } else {
            self.store_box(op, (tile, last), &to)?;
            self.pushed(&to);
        }
        if last {
            self.machine.tiles.forget(tile);
        }
        Ok(Flow::Next)
    }

    /// `pld::tensor::put`, also at the start of `pld::tensor::put_with_signal`. `atomic` is the argument that says whether it adds.
    pub(super) fn push(&mut self, op: &'a OpInst, atomic: usize) -> Out {
        let adds = self.adds(op, atomic)?;
        let (own, peer) = self.sides(op)?;
        self.move_box(op, &own, &peer, adds)?;
        self.pushed(&peer);
        Ok(Flow::Next)
    }

    /// `pld::tensor::get`
    pub(super) fn pull(&mut self, op: &'a OpInst) -> Out {
        let (own, peer) = self.sides(op)?;
        self.move_box(op, &peer, &own, false)?;
        self.pulled(&peer);
        Ok(Flow::Next)
    }

    /// `pl::discard`
    pub(super) fn forget(&mut self, op: &'a OpInst) -> Out {
        let extents = self.list(op, 2)?;
        let part = self.part(op, 0, self.own(op, 0)?, 1, self.values(extents))?;
        self.before_change(op, &part)?;
        let window = self.window(part.memory)?;
        let machine = &mut *self.machine;
        machine.accesses += 1;
        let discarded = window.memory(part.owner).discard(&part.runs, &machine.clock, machine.pc);
        discarded.map_err(|refused| self.refused(refused, AccessKind::Write, op, &part))?;
        self.moved(&part, None);
        Ok(Flow::Next)
    }

    /// The boxes of a bulk transfer: the own one, and the peer's. The chunks that it moves are counted.
    fn sides(&mut self, op: &'a OpInst) -> Result<(Part, Part), Halt> {
        let chunks = op.code.info().chunks.as_ref().ok_or_else(|| bad(op, 0))?;
        let at = |index: u8| usize::from(index);
        let (remote, local, shape) = (at(chunks.remote), at(chunks.local), at(chunks.shape));
        let peer = self.peer(op, op.code.info().peer().unwrap_or_default())?;
        let own = self.own(op, local)?;
        let whole = |param: usize, owner: usize| -> Result<Part, Halt> {
            let memory = self.memory(op, param)?;
            Ok(Part { param, memory, owner, runs: Runs::first(self.machine.plan.memories[memory as usize].elements) })
        };
        if op.args.get(shape) == Some(&Operand::Absent) {
            let (own, peer) = (whole(local, own)?, whole(remote, peer)?);
            let extents = &self.machine.plan.memories[peer.memory as usize].shape;
            self.count_chunk(op, chunks, extents.iter().map(|&e| e as u64))?;
            return Ok((own, peer));
        }
        let extents = self.values(self.list(op, shape)?);
        let own = self.part(op, local, own, at(chunks.local_offsets), extents.clone())?;
        let peer = self.part(op, remote, peer, at(chunks.remote_offsets), extents.clone())?;
        self.count_chunk(op, chunks, extents)?;
        Ok((own, peer))
    }

    /// Counts the tile memory that a bulk transfer goes through: its box or a chunk of it, twice in a pipeline.
    fn count_chunk(&self, op: &OpInst, chunks: &Chunks, extents: impl Iterator<Item = u64>) -> Result<(), Halt> {
        if op.tiles.is_none() {
            return Ok(());
        }
        let rows_at = usize::from(chunks.rows);
        let (mut rows, mut columns) = (1_u64, 1_u64);
        for extent in extents {
            rows = rows.saturating_mul(columns);
            columns = extent;
        }
        for (extent, at) in [(&mut rows, rows_at), (&mut columns, rows_at + 1)] {
            let most = self.scalar(op, at)?;
            *extent = if most == 0 { *extent } else { most.min(*extent) };
        }
        let held = if self.scalar(op, rows_at + 2)? == 0 { 1 } else { 2 };
        let memory = self.memory(op, usize::from(chunks.remote))?;
        let size = self.machine.plan.memories[memory as usize].dtype.bytes() as u64;
        self.count_tiles(op, 0, rows.saturating_mul(columns).saturating_mul(size * held))
    }

    fn move_box(&mut self, op: &OpInst, from: &Part, to: &Part, adds: bool) -> Result<(), Halt> {
        self.before_change(op, to)?;
        let kind = if adds { AccessKind::Add } else { AccessKind::Write };
        let beside = self.machine.transfer(from, to, adds).map_err(|stopped| match stopped {
            Stopped::Read(refused) => self.refused(refused, AccessKind::Read, op, from),
            Stopped::Changed(refused) => self.refused(refused, kind, op, to),
            Stopped::NoMemory(bytes) => self.no_memory(None, bytes as u64),
            Stopped::Internal(message) => Halt::Internal(message.into()),
        })?;
        self.moved(to, beside);
        Ok(())
    }

    /// Counts a change of memory.
    fn moved(&mut self, to: &Part, beside: Option<Stamp>) {
        let dtype = self.machine.plan.memories[to.memory as usize].dtype;
        self.machine.effects += 1;
        self.machine.spend(to.runs.elements() * dtype.bytes());
        if let Some(beside) = beside
            && dtype.is_float()
        {
            // In which order floats are added shows in the sum.
            self.order_dependent(self.machine.call(), self.machine.pc);
            self.order_dependent(beside.rank as usize, beside.pc as usize);
        }
    }

    /// Counts what went to a peer.
    fn pushed(&mut self, to: &Part) {
        let machine = &mut *self.machine;
        if to.owner == machine.own(to.memory) {
            return;
        }
        let bytes = (to.runs.elements() * machine.plan.memories[to.memory as usize].dtype.bytes()) as u64;
        machine.cost.remote_stores += 1;
        machine.cost.bytes_sent += bytes;
        if let Some(call) = self.call_of(to) {
            self.machine.moved.add(self.env.mail, call, 0, bytes);
            self.env.changed(call, self.wake);
        }
    }
}
