//! Ops that move data between tiles, tensors and windows.

use super::{Exec, Flow, Out, Part};
use crate::check::Refused;
use crate::check::clock::Stamp;
use crate::machine::{Halt, Memory};
use crate::num::{Element, with_element};
use crate::plan::{Dst, OpInst};
use crate::region::Runs;
use pl_core::dtype::DType;
use pl_core::fault::{AccessKind, LintData, LintKind};
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
        let extents = self.list(op, shape_at)?;
        let part = self.part(op, 0, owner, offsets_at, self.values(extents))?;
        let dtype = self.machine.plan.memories[part.memory as usize].dtype;
        let dst = match op.dst {
            Dst::Tile(dst) => Some(dst),
            _ => None,
        };
        let shape = self.shape(extents, dst, dtype.bytes())?;
        let bytes = shape.elements() * dtype.bytes();
        self.count_tiles(op, bytes, 0)?;
        // A load whose result is not used moves its bytes all the same.
        let mut output = match dst {
            Some(dst) => Some((dst, self.output(dst, bytes, &[])?)),
            None => None,
        };
        self.read_box(op, &part, output.as_mut().map(|(_, output)| output.bytes()))?;
        self.pulled(&part);
        match output {
            Some((dst, output)) => self.finish_tile(dst, output, shape),
            None => Ok(Flow::Next),
        }
    }

    /// Counts what came from a peer.
    pub(super) fn pulled(&mut self, part: &Part) {
        let machine = &mut *self.machine;
        let info = &machine.plan.memories[part.memory as usize];
        if info.window && part.owner != machine.own(part.memory) {
            let bytes = (part.runs.elements() * info.dtype.bytes()) as u64;
            machine.cost.remote_loads += 1;
            machine.cost.bytes_received += bytes;
            if let Some(call) = self.call_of(part) {
                self.env.mail[call].served.fetch_add(bytes, Relaxed);
            }
        }
    }

    /// The call of the rank whose memory a box lies in, when it takes part in the launch.
    pub(super) fn call_of(&self, part: &Part) -> Option<usize> {
        self.env.call_of(self.window(part.memory).ok()?, part.owner)
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

    /// Writes a box; the data comes from `source`.
    fn write_box(&mut self, op: &OpInst, part: &Part, source: Source<'_>) -> Result<(), Halt> {
        let machine = &mut *self.machine;
        let info = &machine.plan.memories[part.memory as usize];
        let size = info.dtype.bytes();
        let data = match source {
            Source::Tile(tile) => machine.tiles.bytes(tile, size),
            Source::Bytes(bytes) => bytes,
        };
        match &mut machine.memories[info.view_of.unwrap_or(part.memory) as usize] {
            Memory::In(_) | Memory::View(_) => {
                return Err(Halt::Internal(format!("a store into the `In` tensor `{}`", info.name)));
            }
            Memory::Out(bytes, init) => {
                scatter(bytes, &part.runs, size, data);
                init.fill(&part.runs);
                machine.cost.result_elements += part.runs.elements() as u64;
            }
            Memory::Window(window) => {
                machine.accesses += 1;
                match window.memory(part.owner).write(&part.runs, &machine.clock, machine.pc) {
                    Ok(grant) => grant.copy_from(data),
                    Err(refused) => return Err(self.refused(refused, AccessKind::Write, op, part)),
                }
            }
        }
        self.machine.effects += 1;
        Ok(())
    }

    /// `pl::store`
    pub(super) fn store_tile(&mut self, op: &'a OpInst) -> Out {
        let tile = self.tile(op, 0)?;
        let shape = *self.machine.tiles.shape(tile);
        let part = self.part(op, 2, self.own(op, 2)?, 1, shape.extents().iter().map(|&e| e as u64))?;
        self.write_box(op, &part, Source::Tile(tile))?;
        self.machine.spend(part.runs.elements() * self.machine.plan.memories[part.memory as usize].dtype.bytes());
        Ok(Flow::Next)
    }

    /// `pl::write`
    pub(super) fn write_element(&mut self, op: &'a OpInst) -> Out {
        let (cell, value) = (self.cell(op, 0, self.own(op, 0)?, 1)?, self.scalar(op, 2)?);
        let dtype = self.machine.plan.memories[cell.memory as usize].dtype;
        with_element!(dtype, T => {
            let element = T::from_register(value);
            self.write_box(op, &cell, Source::Bytes(bytemuck::bytes_of(&element)))
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
enum Source<'s> {
    /// A tile.
    Tile(u32),
    /// An element.
    Bytes(&'s [u8]),
}
