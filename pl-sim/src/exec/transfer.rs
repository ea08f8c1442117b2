//! Ops that move data between tiles, tensors and windows.

use super::{Exec, Flow, Out};
use crate::check::Refused;
use crate::machine::{Halt, Memory};
use crate::num::{Element, with_element};
use crate::plan::{Dst, OpInst};
use crate::region::Runs;
use pl_core::dtype::DType;
use pl_core::fault::AccessKind;
use std::sync::atomic::Ordering::Relaxed;

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
fn scatter(bytes: &mut [u8], runs: &Runs, size: usize, data: &[u8]) {
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
        let memory = self.memory(op, 0)?;
        let (offsets, extents) = (self.list(op, offsets_at)?, self.list(op, shape_at)?);
        let runs = self.region(memory, offsets, self.values(extents))?;
        let dtype = self.machine.plan.memories[memory as usize].dtype;
        let dst = match op.dst {
            Dst::Tile(dst) => Some(dst),
            _ => None,
        };
        let shape = self.shape(extents, dst, dtype.bytes())?;
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes)?;
        // A load whose result is not used moves its bytes all the same.
        let mut output = match dst {
            Some(dst) => Some((dst, self.output(dst, bytes, &[])?)),
            None => None,
        };
        self.read_box(memory, owner, &runs, output.as_mut().map(|(_, output)| output.bytes()))?;
        if let Memory::Window(window) = self.machine.memories[memory as usize]
            && owner != self.machine.own(memory)
        {
            self.machine.cost.remote_loads += 1;
            self.machine.cost.bytes_received += bytes as u64;
            if let Some(call) = self.env.call_of(window, owner) {
                self.env.mail[call].served.fetch_add(bytes as u64, Relaxed);
            }
        }
        match output {
            Some((dst, output)) => self.finish_tile(dst, output, shape),
            None => Ok(Flow::Next),
        }
    }

    /// Reads a box as data; without `out` it is checked like any other access, and goes nowhere.
    fn read_box(&mut self, memory: u32, owner: usize, runs: &Runs, out: Option<&mut [u8]>) -> Result<(), Halt> {
        let machine = &mut *self.machine;
        let size = machine.plan.memories[memory as usize].dtype.bytes();
        let refused = match &machine.memories[memory as usize] {
            Memory::In(bytes) => {
                if let Some(out) = out {
                    gather(bytes, runs, size, out);
                }
                return Ok(());
            }
            Memory::Out(bytes, init) => match init.missing(runs) {
                None => {
                    if let Some(out) = out {
                        gather(bytes, runs, size, out);
                    }
                    return Ok(());
                }
                Some(missing) => Refused::Missing(missing),
            },
            Memory::Window(window) => {
                machine.accesses += 1;
                match window.memory(owner).read(runs, &machine.clock, machine.pc) {
                    Ok(grant) => {
                        if let Some(out) = out {
                            grant.copy_to(out);
                        }
                        return Ok(());
                    }
                    Err(refused) => refused,
                }
            }
        };
        Err(self.refused(refused, AccessKind::Read, memory, owner))
    }

    /// Writes a box; the data comes from `source`.
    fn write_box(&mut self, memory: u32, runs: &Runs, source: Source<'_>) -> Result<(), Halt> {
        let machine = &mut *self.machine;
        let info = &machine.plan.memories[memory as usize];
        let (size, rank) = (info.dtype.bytes(), machine.own(memory));
        let data = match source {
            Source::Tile(tile) => machine.tiles.bytes(tile, size),
            Source::Bytes(bytes) => bytes,
        };
        match &mut machine.memories[memory as usize] {
            Memory::In(_) => return Err(Halt::Internal(format!("a store into the `In` tensor `{}`", info.name))),
            Memory::Out(bytes, init) => {
                scatter(bytes, runs, size, data);
                init.fill(runs);
                machine.cost.result_elements += runs.elements() as u64;
            }
            Memory::Window(window) => {
                machine.accesses += 1;
                match window.memory(rank).write(runs, &machine.clock, machine.pc) {
                    Ok(grant) => grant.copy_from(data),
                    Err(refused) => return Err(self.refused(refused, AccessKind::Write, memory, rank)),
                }
            }
        }
        self.machine.effects += 1;
        Ok(())
    }

    /// `pl::store`
    pub(super) fn store_tile(&mut self, op: &'a OpInst) -> Out {
        let (tile, offsets, memory) = (self.tile(op, 0)?, self.list(op, 1)?, self.memory(op, 2)?);
        let shape = *self.machine.tiles.shape(tile);
        let runs = self.region(memory, offsets, shape.extents().iter().map(|&e| e as u64))?;
        self.write_box(memory, &runs, Source::Tile(tile))?;
        self.machine.spend(runs.elements() * self.machine.plan.memories[memory as usize].dtype.bytes());
        Ok(Flow::Next)
    }

    /// `pl::write`
    pub(super) fn write_element(&mut self, op: &'a OpInst) -> Out {
        let (memory, indices, value) = (self.memory(op, 0)?, self.list(op, 1)?, self.scalar(op, 2)?);
        let runs = self.region(memory, indices, indices.iter().map(|_| 1))?;
        let dtype = self.machine.plan.memories[memory as usize].dtype;
        with_element!(dtype, T => {
            let element = T::from_register(value);
            self.write_box(memory, &runs, Source::Bytes(bytemuck::bytes_of(&element)))
        })?;
        Ok(Flow::Next)
    }

    /// `pl::read`. Of a window, other ranks get their turn afterwards; of a cell, the rank is parked when it runs in circles.
    pub(super) fn read_element(&mut self, op: &'a OpInst) -> Out {
        let (memory, indices) = (self.memory(op, 0)?, self.list(op, 1)?);
        let runs = self.region(memory, indices, indices.iter().map(|_| 1))?;
        let dtype = self.machine.plan.memories[memory as usize].dtype;
        let rank = self.machine.own(memory);
        if let Memory::Window(window) = self.machine.memories[memory as usize] {
            if self.machine.circles(self.env, memory, runs.base()) {
                return Ok(Flow::Park);
            }
            if dtype == DType::I32 {
                self.machine.accesses += 1;
                let machine = &mut *self.machine;
                match window.memory(rank).read_cell(runs.base(), &machine.clock, machine.pc) {
                    Ok((value, unordered)) => {
                        self.finish(op, value.to_register());
                        if unordered {
                            self.order_dependent(self.machine.call(), self.machine.pc);
                        }
                        return Ok(Flow::Yield);
                    }
                    Err(refused) => return Err(self.refused(refused, AccessKind::Test, memory, rank)),
                }
            }
        }
        let mut bytes = [0; 8];
        self.read_box(memory, rank, &runs, Some(&mut bytes[..dtype.bytes()]))?;
        let value = with_element!(dtype, T => {
            bytemuck::pod_read_unaligned::<T>(&bytes[..size_of::<T>()]).to_register()
        });
        self.finish(op, value);
        Ok(if op.visible { Flow::Yield } else { Flow::Next })
    }

    /// Remembers a read whose value depends on the schedule.
    #[cold]
    pub(super) fn order_dependent(&self, call: usize, pc: usize) {
        let mut sites = self.env.order_dependent.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        sites.insert(self.env.site(call, pc));
    }
}

/// What is written.
enum Source<'s> {
    /// A tile.
    Tile(u32),
    /// An element.
    Bytes(&'s [u8]),
}
