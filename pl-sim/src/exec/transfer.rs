//! Ops that move data between tiles, tensors and windows.

use super::deferred::Sink;
use super::{Exec, Flow, Out};
use crate::check::Refused;
use crate::check::clock::Stamp;
use crate::elementwise::is_aligned;
use crate::machine::{Halt, Memory};
use crate::num::{Element, with_element};
use crate::plan::{Dst, OpInst, Part};
use crate::region::Runs;
use crate::tiles::{Source, Step};
use pl_core::dtype::DType;
use pl_core::fault::{AccessKind, LintData, LintKind};

/// Copies a box out of a tensor.
fn gather(bytes: &[u8], runs: &Runs, size: usize, out: &mut [u8]) {
    let length = runs.length() * size;
    if length > 0 {
        for (start, out) in runs.starts().zip(out.chunks_exact_mut(length)) {
            out.copy_from_slice(&bytes[start * size..start * size + length]);
        }
    }
}

/// Copies a box into a tensor.
pub(super) fn scatter(bytes: &mut [u8], runs: &Runs, size: usize, data: &[u8]) {
    let length = runs.length() * size;
    if length > 0 {
        for (start, data) in runs.starts().zip(data.chunks_exact(length)) {
            bytes[start * size..start * size + length].copy_from_slice(data);
        }
    }
}

impl<'a> Exec<'_, 'a, '_> {
    /// `pl::load` and `pld::tile::remote_load`: a box of the memory of `owner`, a rank of its domain, becomes a tile.
    pub(super) fn fetch(&mut self, op: &'a OpInst, owner: usize, offsets_at: usize, shape_at: usize) -> Out {
        let fixed = self.fixed_part(op, 0, owner, offsets_at);
        let part = match fixed {
            Some((part, _)) => part,
            None => self.part(op, 0, owner, offsets_at, self.values(self.list(op, shape_at)?))?,
        };
        let dtype = self.machine.plan.memories[part.memory as usize].dtype;
        let dst = match op.dst {
            Dst::Tile(dst) => Some(dst),
            _ => None,
        };
        let shape = match fixed {
            Some((_, shape)) => *shape,
            None => self.shape(self.list(op, shape_at)?, dst, dtype.bytes())?,
        };
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes, 0)?;
        let Some(dst) = dst else {
            // A load whose result is not used is checked like any other.
            self.read_box(op, &part, None)?;
            self.pulled(&part);
            return Ok(Flow::Next);
        };
        match self.source(op, &part, dtype)? {
            Some((source, changing)) => {
                self.machine.tiles.start(dst, Step::Push(dtype, source), shape, changing);
            }
            None => {
                let mut output = self.output(dst, bytes)?;
                self.read_box(op, &part, Some(output.bytes()))?;
                self.machine.tiles.put(dst, output, shape);
            }
        }
        self.pulled(&part);
        self.made_tile(bytes)
    }

    /// Checks that a box may be read, and gives what reads it later, with whether the memory can change; `None` for a box that is to be copied at once.
    #[inline(always)]
    fn source(&mut self, op: &OpInst, part: &Part, dtype: DType) -> Result<Option<(Source, bool)>, Halt> {
        let runs = &part.runs;
        let Some(rows) = runs.rows_to_keep(dtype.bytes()) else { return Ok(None) };
        let machine = &mut *self.machine;
        let base = machine.plan.base(part.memory);
        let refused = match machine.memory(part.memory) {
            Memory::In(bytes) if is_aligned(dtype, bytes) => return Ok(Some((Source::Tensor(base, rows), false))),
            Memory::Out(bytes, init) if is_aligned(dtype, bytes) => match init.missing(runs) {
                None => return Ok(Some((Source::Tensor(base, rows), true))),
                Some(missing) => Refused::Missing(missing),
            },
            Memory::Window(window) => {
                match window.memory(part.owner).read_later(runs, rows, &machine.clock, machine.pc) {
                    Ok(held) => {
                        machine.accesses += 1;
                        return Ok(Some((
                            Source::Window { memory: part.memory, owner: part.owner as u32, held },
                            true,
                        )));
                    }
                    Err(refused) => refused,
                }
            }
            // Tensors that the host lends may stand anywhere.
            Memory::In(_) | Memory::Out(..) => return Ok(None),
            Memory::View(_) => return Err(Halt::Internal("a view of a view".into())),
        };
        Err(self.refused(refused, AccessKind::Read, op, part))
    }

    /// Counts what came from a peer.
    pub(super) fn pulled(&mut self, part: &Part) {
        let machine = &mut *self.machine;
        let info = &machine.plan.memories[part.memory as usize];
        if info.window && part.owner != machine.own(part.memory) {
            let bytes = (part.runs.elements() * info.dtype.bytes()) as u64;
            let call = self.call_of(part);
            self.loaded(call, bytes);
        }
    }

    /// Counts what came from a peer: the rank of that call, when it takes part in the launch.
    #[inline]
    pub(super) fn loaded(&mut self, call: Option<usize>, bytes: u64) {
        let machine = &mut *self.machine;
        machine.cost.remote_loads += 1;
        machine.cost.bytes_received += bytes;
        if let Some(call) = call {
            machine.moved.add(self.env.mail, call, bytes, 0);
        }
    }

    /// The call of the rank whose memory a box lies in, when it takes part in the launch.
    pub(super) fn call_of(&self, part: &Part) -> Option<usize> {
        self.window(part.memory).ok()?.memory(part.owner).call()
    }

    /// Reads a box as data; without `out` it is checked like any other access, and goes nowhere.
    fn read_box(&mut self, op: &OpInst, part: &Part, out: Option<&mut [u8]>) -> Result<(), Halt> {
        let machine = &mut *self.machine;
        let size = machine.plan.memories[part.memory as usize].dtype.bytes();
        let refused = match machine.memory(part.memory) {
            Memory::In(bytes) => {
                if let Some(out) = out {
                    gather(bytes, &part.runs, size, out);
                }
                return Ok(());
            }
            Memory::Out(bytes, init) => match init.missing(&part.runs) {
                None => {
                    if let Some(out) = out {
                        gather(bytes, &part.runs, size, out);
                    }
                    return Ok(());
                }
                Some(missing) => Refused::Missing(missing),
            },
            Memory::Window(window) => match window.memory(part.owner).read(&part.runs, &machine.clock, machine.pc) {
                Ok(grant) => {
                    if let Some(out) = out {
                        grant.copy_to(out);
                    }
                    machine.accesses += 1;
                    return Ok(());
                }
                Err(refused) => refused,
            },
            Memory::View(_) => return Err(Halt::Internal("a view of a view".into())),
        };
        Err(self.refused(refused, AccessKind::Read, op, part))
    }

    /// Writes a box, whose elements `data` has or a tile.
    fn write_box(&mut self, op: &OpInst, part: &Part, data: Data<'_>) -> Result<(), Halt> {
        self.before_change(op, part)?;
        let machine = &mut *self.machine;
        let info = &machine.plan.memories[part.memory as usize];
        let size = info.dtype.bytes();
        let base = machine.plan.base(part.memory) as usize;
        match &mut machine.memories[base] {
            Memory::In(_) | Memory::View(_) => {
                return Err(Halt::Internal(format!("a store into the `In` tensor `{}`", info.name)));
            }
            memory @ Memory::Out(..) => {
                // Taken out while the tile is computed, which reads no box of it: see `ready_for`.
                let Memory::Out(bytes, mut init) = std::mem::replace(memory, Memory::In(&[])) else {
                    return Err(Halt::Internal("a tensor that is none".into()));
                };
                match data {
                    Data::Tile(tile) => machine.compute(tile, Sink::Bytes(bytes, &part.runs)),
                    Data::Bytes(data) => scatter(bytes, &part.runs, size, data),
                }
                init.fill(&part.runs);
                machine.memories[base] = Memory::Out(bytes, init);
                machine.cost.result_elements += part.runs.elements() as u64;
            }
            Memory::Window(window) => {
                let window = *window;
                machine.accesses += 1;
                let mut strips = std::mem::take(&mut machine.strips);
                match window.memory(part.owner).write(&part.runs, &machine.clock, machine.pc) {
                    Ok(grant) => match data {
                        Data::Tile(tile) => machine.compute_with(tile, Sink::Window(&grant), &mut strips),
                        Data::Bytes(data) => grant.copy_from(data),
                    },
                    Err(refused) => return Err(self.refused(refused, AccessKind::Write, op, part)),
                }
                machine.strips = strips;
            }
        }
        self.machine.effects += 1;
        Ok(())
    }

    /// `pl::store`
    pub(super) fn store_tile(&mut self, op: &'a OpInst) -> Out {
        let (tile, last) = self.tile(op, 0)?;
        let shape = *self.machine.tiles.shape(tile);
        let part = self.part_of_tile(op, 2, self.own(op, 2)?, 1, &shape)?;
        self.store_box(op, (tile, last), &part)?;
        if last {
            self.machine.tiles.forget(tile);
        }
        Ok(Flow::Next)
    }

    /// Computes a tile into a box.
    pub(super) fn store_box(&mut self, op: &OpInst, (tile, last): (u32, bool), part: &Part) -> Result<(), Halt> {
        self.ready_for(tile, last, part)?;
        self.write_box(op, part, Data::Tile(tile))?;
        self.machine.spend(part.runs.elements() * self.machine.plan.memories[part.memory as usize].dtype.bytes());
        Ok(())
    }

    /// `pl::write`
    pub(super) fn write_element(&mut self, op: &'a OpInst) -> Out {
        let (cell, value) = (self.cell(op, 0, self.own(op, 0)?, 1)?, self.scalar(op, 2)?);
        let dtype = self.machine.plan.memories[cell.memory as usize].dtype;
        with_element!(dtype, T => {
            let element = T::from_register(value);
            self.write_box(op, &cell, Data::Bytes(bytemuck::bytes_of(&element)))
        })?;
        Ok(Flow::Next)
    }

    /// `pl::read`. Of a window, other ranks get their turn afterwards; of a cell, the rank is parked when it runs in circles.
    pub(super) fn read_element(&mut self, op: &'a OpInst) -> Out {
        let cell = self.cell(op, 0, self.own(op, 0)?, 1)?;
        let dtype = self.machine.plan.memories[cell.memory as usize].dtype;
        if let Memory::Window(window) = self.machine.memories[cell.memory as usize] {
            let index = cell.runs.base();
            if self.machine.circles(self.env, cell.memory, index) {
                return Ok(Flow::Park);
            }
            if dtype == DType::I32 {
                self.machine.accesses += 1;
                let machine = &mut *self.machine;
                match window.memory(cell.owner).read_cell(index, &machine.clock, machine.pc) {
                    Ok((value, unordered)) => {
                        self.finish(op, value.to_register());
                        if unordered {
                            self.machine.trail.poll(self.machine.pc);
                            self.order_dependent(self.machine.call(), self.machine.pc);
                        }
                        return Ok(Flow::Yield);
                    }
                    Err(refused) => return Err(self.refused(refused, AccessKind::Test, op, &cell)),
                }
            }
        }
        let mut bytes = [0; 8];
        self.read_box(op, &cell, Some(&mut bytes[..dtype.bytes()]))?;
        let value = with_element!(dtype, T => {
            bytemuck::pod_read_unaligned::<T>(&bytes[..size_of::<T>()]).to_register()
        });
        self.finish(op, value);
        Ok(if op.visible { Flow::Yield } else { Flow::Next })
    }

    /// Remembers an instruction of a rank whose effect depends on the schedule.
    #[cold]
    pub(super) fn order_dependent(&self, call: usize, pc: usize) {
        let at = Stamp { rank: call as u32, epoch: 0, pc: pc as u32 };
        self.lint(LintKind::OrderDependent, at, || LintData::OrderDependent);
    }
}

/// What is written.
enum Data<'d> {
    /// A tile.
    Tile(u32),
    /// An element.
    Bytes(&'d [u8]),
}
