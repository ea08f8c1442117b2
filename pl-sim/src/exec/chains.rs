//! What tiles stand for while their elements are not needed yet, and when they are computed: before the rank changes what they read, before it lets others
//! change that, and where a chain would be computed twice or become too long.

use super::deferred::{Reader, Sink, evaluate};
use super::{Exec, Halt, Part};
use crate::machine::{Machine, Memory};
use crate::memory::Lines;
use crate::plan::OpInst;
use crate::region::{Runs, Shape};
use crate::tiles::{MOST_STEPS, MOST_VALUES, Source, Step};
use pl_core::dtype::DType;

impl Machine<'_> {
    /// Computes a tile, straight to where it goes.
    pub(super) fn compute(&mut self, tile: u32, sink: Sink<'_>) {
        let mut strips = std::mem::take(&mut self.strips);
        self.compute_with(tile, sink, &mut strips);
        self.strips = strips;
    }

    /// The same, in these strips.
    pub(super) fn compute_with(&self, tile: u32, sink: Sink<'_>, strips: &mut Lines) {
        let Machine { tiles, memories, clock, .. } = self;
        let (dtype, elements) = (self.plan.tiles[tile as usize].dtype, tiles.shape(tile).elements());
        if let Some(chain) = tiles.chain(tile) {
            return evaluate(&Reader { memories, tiles, clock }, chain, (dtype, elements), sink, false, strips);
        }
        let data = tiles.bytes(tile, dtype.bytes()).unwrap_or_default();
        let whole = Runs::first(elements);
        match sink {
            Sink::Window(grant) => grant.copy_from_box(data, &whole),
            Sink::Bytes(bytes, runs) => super::transfer::scatter(bytes, runs, dtype.bytes(), data),
        }
    }

    /// Whether a source reads memory of which a box changes, and some element of that box.
    fn reads(&self, source: &Source, part: &Part) -> bool {
        let base = |memory: u32| self.plan.base(memory);
        match source {
            Source::Buffer(..) => false,
            Source::Tensor(memory, rows) => *memory == base(part.memory) && rows.meets(&part.runs),
            Source::Window { memory, owner, held } => {
                let window = |memory: u32| match self.memories[memory as usize] {
                    Memory::Window(window) => Some(window.id),
                    _ => None,
                };
                *owner as usize == part.owner && window(*memory) == window(part.memory) && held.rows().meets(&part.runs)
            }
        }
    }
}

impl Exec<'_, '_, '_> {
    /// Computes a tile into a buffer, when it stands for a chain.
    pub(super) fn materialise(&mut self, tile: u32) -> Result<(), Halt> {
        if self.machine.tiles.chain(tile).is_none() {
            return Ok(());
        }
        let shape = *self.machine.tiles.shape(tile);
        let (dtype, elements) = (self.machine.plan.tiles[tile as usize].dtype, shape.elements());
        let mut output = self.output(tile, elements * dtype.bytes())?;
        let machine = &mut *self.machine;
        let Machine { tiles, memories, clock, strips, .. } = machine;
        if let Some(chain) = tiles.chain(tile) {
            let (in_place, whole) = (output.in_place, Runs::first(elements));
            let sink = Sink::Bytes(output.bytes(), &whole);
            evaluate(&Reader { memories, tiles, clock }, chain, (dtype, elements), sink, in_place, strips);
        }
        tiles.put(tile, output, shape);
        Ok(())
    }

    /// Lets a tile be used without being computed twice.
    fn ready(&mut self, (tile, last): (u32, bool)) -> Result<(), Halt> {
        if self.machine.tiles.is_usable(tile, last) { Ok(()) } else { self.materialise(tile) }
    }

    /// The same for a store into a box, which may change what the tile reads.
    pub(super) fn ready_for(&mut self, tile: u32, last: bool, to: &Part) -> Result<(), Halt> {
        let machine = &*self.machine;
        let rows = to.runs.rows();
        let is_window = machine.plan.memories[to.memory as usize].window;
        let in_the_way = |source: &Source| match source {
            // An element is read before it is written, and not after: only other boxes are in the way. The strips of a tensor are where its tile is computed.
            Source::Window { held, .. } if Some(*held.rows()) == rows => false,
            Source::Tensor(memory, _) if !is_window => *memory == machine.plan.base(to.memory),
            _ => machine.reads(source, to),
        };
        if machine.tiles.chain(tile).is_some_and(|chain| chain.sources().any(in_the_way)) {
            return self.materialise(tile);
        }
        self.ready((tile, last))
    }

    /// Lets `tile` be used by an op of one tile.
    pub(super) fn unary(
        &mut self,
        dst: u32,
        tile: (u32, bool),
        dtype: DType,
        step: Step,
        shape: Shape,
    ) -> Result<(), Halt> {
        self.ready(tile)?;
        if self.machine.tiles.length(tile.0).0 + 1 > MOST_STEPS {
            self.materialise(tile.0)?;
        }
        self.machine.tiles.unary(dst, tile, dtype, step, shape);
        Ok(())
    }

    /// Lets two tiles be used by an op.
    pub(super) fn join(&mut self, left: (u32, bool), right: (u32, bool)) -> Result<(), Halt> {
        self.ready((left.0, left.1 && left.0 != right.0))?;
        self.ready(right)?;
        let length = |exec: &Self, tile: u32| exec.machine.tiles.length(tile);
        if length(self, left.0).1.max(1 + length(self, right.0).1) > MOST_VALUES {
            self.materialise(right.0)?;
        }
        let steps = |exec: &Self| length(exec, left.0).0 + length(exec, right.0).0 + 1;
        if steps(self) > MOST_STEPS {
            self.materialise(left.0)?;
        }
        if steps(self) > MOST_STEPS {
            self.materialise(right.0)?;
        }
        Ok(())
    }

    /// `dst` becomes another name for the tile `src`.
    pub(crate) fn copy_tile(&mut self, dst: u32, src: (u32, bool)) -> Result<(), Halt> {
        self.ready(src)?;
        let dtype = self.machine.plan.tiles[dst as usize].dtype;
        self.machine.tiles.copy(dst, src, dtype);
        Ok(())
    }

    /// Called before the rank changes a box: what reads it is computed.
    pub(super) fn before_change(&mut self, op: &OpInst, part: &Part) -> Result<(), Halt> {
        let stored = op.stored();
        for tile in self.machine.tiles.changing() {
            let machine = &*self.machine;
            if Some(tile) != stored
                && machine.tiles.is_changing(tile)
                && let Some(chain) = machine.tiles.chain(tile)
                && chain.sources().any(|source| machine.reads(source, part))
            {
                self.let_go(op, tile)?;
            }
        }
        Ok(())
    }

    /// Called before the rank notifies, when others may change what it read.
    #[inline(always)]
    pub(super) fn before_notify(&mut self, op: &OpInst) -> Result<(), Halt> {
        if self.machine.tiles.any_changing() { self.let_windows_go(op) } else { Ok(()) }
    }

    fn let_windows_go(&mut self, op: &OpInst) -> Result<(), Halt> {
        for tile in self.machine.tiles.changing() {
            let of_window = |source: &Source| matches!(source, Source::Window { .. });
            if self.machine.tiles.chain(tile).is_some_and(|chain| chain.sources().any(of_window)) {
                self.let_go(op, tile)?;
            }
        }
        Ok(())
    }

    /// Computes a tile, unless nothing uses it any more.
    fn let_go(&mut self, op: &OpInst, tile: u32) -> Result<(), Halt> {
        if op.live.contains(&tile) {
            return self.materialise(tile);
        }
        self.machine.tiles.forget(tile);
        Ok(())
    }
}
