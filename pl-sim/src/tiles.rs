//! The tiles of one rank.
//!
//! A tile local names a buffer, or a [chain](Chain): what is to be computed for it, which is done in strips when its elements are needed. So a tile that
//! only goes from memory through some ops to memory is never held as a whole. A chain is what was executed, in that order: it gives the same elements,
//! as long as what it reads does not change; whoever changes that has the chain evaluated before.
//!
//! Copying a local shares its buffer. Buffers and chains are used again: a loop allocates nothing.

use crate::check::Held;
use crate::elementwise::{Binary, Unary};
use crate::memory::Lines;
use crate::region::{Rows, Shape};
use pl_core::dtype::DType;

/// The most steps of a chain. Longer ones read more streams of memory than the processor follows.
pub(crate) const MOST_STEPS: usize = 32;
/// The most values that a chain holds at a time.
pub(crate) const MOST_VALUES: usize = 4;

/// Elements to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A box of a tensor, which has this number in the plan.
    Tensor(u32, Rows),
    /// A box of a window.
    Window {
        /// Its number in the plan.
        memory: u32,
        /// The rank of the window's domain in whose memory it lies.
        owner: u32,
        /// The box, and the right to read it.
        held: Held,
    },
    /// A buffer, of which so many elements.
    Buffer(u32, Rows),
}

impl Source {
    /// The box.
    pub(crate) const fn rows(&self) -> &Rows {
        match self {
            Source::Tensor(_, rows) | Source::Buffer(_, rows) => rows,
            Source::Window { held, .. } => held.rows(),
        }
    }
}

/// A step of a chain, which works on a stack of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Pushes elements of this type.
    Push(DType, Source),
    /// Pushes a scalar for each element, as a register holds it.
    Fill(DType, u64),
    /// Replaces the last two values by the result of an op.
    Binary(Binary, DType),
    /// Replaces the last value by the result of an op with a scalar on the right.
    Scalar(Binary, DType, u64),
    /// Replaces the last value by the result of an op.
    Unary(Unary, DType),
    /// Converts the last value.
    Cast {
        /// Its type.
        from: DType,
        /// The new one.
        to: DType,
    },
}

impl Step {
    /// The type of what it pushes or leaves.
    pub(crate) const fn dtype(&self) -> DType {
        match *self {
            Step::Push(dtype, _)
            | Step::Fill(dtype, _)
            | Step::Binary(_, dtype)
            | Step::Scalar(_, dtype, _)
            | Step::Unary(_, dtype)
            | Step::Cast { to: dtype, .. } => dtype,
        }
    }
}

/// What is to be computed for a tile.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) steps: Vec<Step>,
    /// How many values it holds at most.
    pub(crate) values: usize,
    /// Whether it reads memory that can change: of windows, or of tensors that the rank writes.
    changing: bool,
}

impl Chain {
    /// The boxes that it reads.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.steps.iter().filter_map(|step| match step {
            Step::Push(_, source) => Some(source),
            _ => None,
        })
    }
}

/// What a tile local stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Nothing.
    None,
    /// A buffer.
    Buffer(u32),
    /// A chain.
    Chain(u32),
}

#[derive(Clone, Copy, Debug)]
struct Local {
    value: Value,
    shape: Shape,
}

#[derive(Debug, Default)]
struct Buffer {
    lines: Lines,
    /// How many locals name it, and how many steps of chains.
    users: u32,
}

/// A buffer that takes a result.
pub(crate) struct Output {
    buffer: u32,
    lines: Lines,
    bytes: usize,
    /// Whether it holds the first value of the chain already.
    pub(crate) in_place: bool,
}

impl Output {
    /// The result's bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.lines.bytes_mut()[..self.bytes]
    }
}

/// The tiles.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    locals: Vec<Local>,
    buffers: Vec<Buffer>,
    free: Vec<u32>,
    chains: Vec<Chain>,
    free_chains: Vec<u32>,
    /// How many locals stand for chains that read memory that can change.
    changing: usize,
}

impl Tiles {
    /// Makes them those of another rank, in the same memory: as many locals, none with a tile yet.
    pub(crate) fn renew(&mut self, locals: usize) {
        self.locals.clear();
        self.locals.resize(locals, Local { value: Value::None, shape: Shape::default() });
        self.buffers.iter_mut().for_each(|buffer| buffer.users = 0);
        self.chains.iter_mut().for_each(|chain| chain.steps.clear());
        self.free.clear();
        self.free.extend((0..self.buffers.len() as u32).rev());
        self.free_chains.clear();
        self.free_chains.extend((0..self.chains.len() as u32).rev());
        self.changing = 0;
    }

    /// The bytes of its buffers and chains.
    pub(crate) fn held(&self) -> usize {
        let buffers: usize = self.buffers.iter().map(|buffer| buffer.lines.held()).sum();
        buffers + self.chains.iter().map(|chain| chain.steps.capacity() * size_of::<Step>()).sum::<usize>()
    }

    /// The extents of a tile.
    pub(crate) fn shape(&self, tile: u32) -> &Shape {
        &self.locals[tile as usize].shape
    }

    /// The bytes of a tile of elements of `size` bytes, when it is in a buffer.
    pub(crate) fn bytes(&self, tile: u32, size: usize) -> Option<&[u8]> {
        let local = &self.locals[tile as usize];
        match local.value {
            Value::Buffer(buffer) => Some(&self.buffer(buffer)[..local.shape.elements() * size]),
            _ => None,
        }
    }

    /// The bytes of a buffer.
    pub(crate) fn buffer(&self, buffer: u32) -> &[u8] {
        self.buffers[buffer as usize].lines.bytes()
    }

    /// The chain that a tile stands for.
    pub(crate) fn chain(&self, tile: u32) -> Option<&Chain> {
        match self.locals[tile as usize].value {
            Value::Chain(chain) => Some(&self.chains[chain as usize]),
            _ => None,
        }
    }

    /// Whether any tile stands for a chain that reads memory that can change.
    #[inline(always)]
    pub(crate) const fn any_changing(&self) -> bool {
        self.changing > 0
    }

    /// The tiles that stand for chains which read memory that can change.
    pub(crate) fn changing(&self) -> impl Iterator<Item = u32> + use<> {
        let count = if self.changing > 0 { self.locals.len() as u32 } else { 0 };
        0..count
    }

    /// Whether a tile stands for such a chain.
    pub(crate) fn is_changing(&self, tile: u32) -> bool {
        self.chain(tile).is_some_and(|chain| chain.changing)
    }

    /// Lets a tile stand for one step: a box, or a scalar. `changing` tells whether the memory can change.
    #[inline(always)]
    pub(crate) fn start(&mut self, dst: u32, step: Step, shape: Shape, changing: bool) {
        self.forget(dst);
        let chain = self.new_chain();
        let new = &mut self.chains[chain as usize];
        new.steps.push(step);
        (new.values, new.changing) = (1, changing);
        self.assign(dst, Value::Chain(chain), shape);
    }

    /// How many steps and values a chain has that goes on from a tile.
    pub(crate) fn length(&self, tile: u32) -> (usize, usize) {
        self.chain(tile).map_or((1, 1), |chain| (chain.steps.len(), chain.values))
    }

    /// Whether an op may use a tile as it is: its elements are not computed twice. `last` tells whether this is its last use.
    pub(crate) fn is_usable(&self, tile: u32, last: bool) -> bool {
        last || self.chain(tile).is_none_or(|chain| chain.steps.len() == 1)
    }

    /// The value of a tile as a chain that nobody else has; the tile has none afterwards when this is its last use.
    fn take(&mut self, (tile, last): (u32, bool), dtype: DType) -> u32 {
        let Local { value, shape } = self.locals[tile as usize];
        if let Value::Chain(chain) = value
            && last
        {
            self.assign(tile, Value::None, shape);
            return chain;
        }
        let new = self.new_chain();
        let (step, changing) = match value {
            Value::Chain(chain) => {
                let chain = &self.chains[chain as usize];
                (chain.steps[0], chain.changing)
            }
            Value::Buffer(buffer) => {
                let rows = Rows::first(shape.elements());
                (Step::Push(dtype, Source::Buffer(buffer, rows)), false)
            }
            Value::None => return new,
        };
        if let Step::Push(_, Source::Buffer(buffer, _)) = step {
            self.buffers[buffer as usize].users += 1;
        }
        let chain = &mut self.chains[new as usize];
        chain.steps.push(step);
        (chain.values, chain.changing) = (1, changing);
        if last {
            self.forget(tile);
        }
        new
    }

    /// Lets `dst` stand for an op of one tile.
    pub(crate) fn unary(&mut self, dst: u32, (tile, last): (u32, bool), dtype: DType, step: Step, shape: Shape) {
        let chain = self.take((tile, last), dtype);
        self.chains[chain as usize].steps.push(step);
        self.forget(dst);
        self.assign(dst, Value::Chain(chain), shape);
    }

    /// Lets `dst` stand for an op of two tiles.
    pub(crate) fn binary(
        &mut self,
        dst: u32,
        left: (u32, bool),
        right: (u32, bool),
        dtype: DType,
        op: Binary,
        shape: Shape,
    ) {
        // Of one tile twice, the first use is not the last one.
        let chain = self.take((left.0, left.1 && left.0 != right.0), dtype);
        let other = self.take(right, dtype);
        let mut right = std::mem::take(&mut self.chains[other as usize]);
        let joined = &mut self.chains[chain as usize];
        joined.steps.append(&mut right.steps);
        joined.steps.push(Step::Binary(op, dtype));
        joined.values = joined.values.max(1 + right.values);
        joined.changing |= right.changing;
        // Its list is kept to be used again.
        self.chains[other as usize] = right;
        self.free_chains.push(other);
        self.forget(dst);
        self.assign(dst, Value::Chain(chain), shape);
    }

    /// A buffer for what a tile stands for, or for a new value of it; `None` when the host has no memory for it.
    pub(crate) fn output(&mut self, tile: u32, bytes: usize) -> Option<Output> {
        // The first value of a chain is in a buffer that nobody else uses: the result takes its place, when no step changes the size of elements.
        if let Some(chain) = self.chain(tile)
            && let Some(&Step::Push(_, Source::Buffer(buffer, _))) = chain.steps.first()
            && self.buffers[buffer as usize].users == 1
            && !chain.steps.iter().any(|step| matches!(step, Step::Cast { .. }))
        {
            let lines = std::mem::take(&mut self.buffers[buffer as usize].lines);
            return Some(Output { buffer, lines, bytes, in_place: true });
        }
        let buffer = match self.locals[tile as usize].value {
            Value::Buffer(own) if self.buffers[own as usize].users == 1 => own,
            _ => self.free.pop().unwrap_or_else(|| {
                self.buffers.push(Buffer::default());
                self.buffers.len() as u32 - 1
            }),
        };
        let mut lines = std::mem::take(&mut self.buffers[buffer as usize].lines);
        if !lines.grow(bytes) {
            self.put_back(buffer);
            return None;
        }
        Some(Output { buffer, lines, bytes, in_place: false })
    }

    /// A buffer that was taken for a result, and is not used.
    fn put_back(&mut self, buffer: u32) {
        if self.buffers[buffer as usize].users == 0 {
            self.free.push(buffer);
        }
    }

    /// Gives `dst` its new value.
    pub(crate) fn put(&mut self, dst: u32, output: Output, shape: Shape) {
        let buffer = output.buffer;
        self.buffers[buffer as usize].lines = output.lines;
        // Once more before the old value goes, which may be the same buffer.
        self.buffers[buffer as usize].users += 1;
        self.forget(dst);
        self.assign(dst, Value::Buffer(buffer), shape);
    }

    /// Lets `dst` be another name for the tile of `src`, which is used for the last time or is in a buffer or one step.
    pub(crate) fn copy(&mut self, dst: u32, (src, last): (u32, bool), dtype: DType) {
        if dst == src {
            return;
        }
        let Local { value, shape } = self.locals[src as usize];
        match value {
            Value::Buffer(buffer) => {
                self.buffers[buffer as usize].users += 1;
                self.forget(dst);
                self.assign(dst, value, shape);
            }
            Value::Chain(_) => {
                let chain = self.take((src, last), dtype);
                self.forget(dst);
                self.assign(dst, Value::Chain(chain), shape);
            }
            Value::None => self.forget(dst),
        }
        self.locals[dst as usize].shape = shape;
    }

    /// A tile is not used any more.
    pub(crate) fn forget(&mut self, tile: u32) {
        let Local { value, shape } = self.locals[tile as usize];
        self.assign(tile, Value::None, shape);
        match value {
            Value::None => {}
            Value::Buffer(buffer) => self.release(buffer),
            Value::Chain(chain) => {
                let mut steps = std::mem::take(&mut self.chains[chain as usize].steps);
                for step in steps.drain(..) {
                    if let Step::Push(_, Source::Buffer(buffer, _)) = step {
                        self.release(buffer);
                    }
                }
                self.chains[chain as usize].steps = steps;
                self.free_chains.push(chain);
            }
        }
    }

    /// A tile of this shape only went by: its elements are somewhere else already.
    pub(crate) fn pass(&mut self, tile: u32, shape: &Shape) {
        if self.locals[tile as usize].value != Value::None {
            self.forget(tile);
        }
        self.locals[tile as usize].shape = *shape;
    }

    fn assign(&mut self, tile: u32, value: Value, shape: Shape) {
        let is_changing = |value| matches!(value, Value::Chain(chain) if self.chains[chain as usize].changing);
        let (before, now) = (is_changing(self.locals[tile as usize].value), is_changing(value));
        self.changing = self.changing + usize::from(now) - usize::from(before);
        self.locals[tile as usize] = Local { value, shape };
    }

    fn new_chain(&mut self) -> u32 {
        self.free_chains.pop().unwrap_or_else(|| {
            self.chains.push(Chain::default());
            self.chains.len() as u32 - 1
        })
    }

    fn release(&mut self, buffer: u32) {
        let users = &mut self.buffers[buffer as usize].users;
        *users -= 1;
        if *users == 0 {
            self.free.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 8;

    fn shape() -> Shape {
        Shape::new([SIZE]).expect("a shape")
    }

    fn fill(tiles: &mut Tiles, dst: u32, value: u8) {
        let mut out = tiles.output(dst, 8).expect("memory");
        out.bytes().fill(value);
        tiles.put(dst, out, shape());
    }

    #[test]
    fn copies_keep_their_value_and_buffers_are_used_again() {
        let mut tiles = Tiles::default();
        tiles.renew(3);
        fill(&mut tiles, 0, 1);
        tiles.copy(1, (0, false), DType::U8);
        for value in 2..100 {
            fill(&mut tiles, 0, value);
        }
        assert_eq!(tiles.bytes(1, 1), Some(&[1; 8][..]));
        assert_eq!(tiles.bytes(0, 1), Some(&[99; 8][..]));
        assert_eq!(tiles.buffers.len(), 2);
        tiles.copy(0, (1, false), DType::U8);
        tiles.copy(1, (1, false), DType::U8);
        fill(&mut tiles, 1, 5);
        assert_eq!(tiles.bytes(0, 1), Some(&[1; 8][..]));
        assert_eq!(tiles.bytes(1, 1), Some(&[5; 8][..]));
    }

    #[test]
    fn chains_keep_the_buffers_that_they_read_and_are_used_again() {
        let mut tiles = Tiles::default();
        tiles.renew(3);
        fill(&mut tiles, 0, 1);
        fill(&mut tiles, 1, 2);
        for _ in 0..100 {
            tiles.binary(2, (0, false), (1, false), DType::U8, Binary::Add, shape());
            assert_eq!(tiles.length(2), (3, 2));
            assert!(!tiles.is_usable(2, false) && tiles.is_usable(2, true));
        }
        assert_eq!((tiles.buffers.len(), tiles.chains.len() <= 3), (2, true));
        // The chain reads the old value of tile 0.
        fill(&mut tiles, 0, 7);
        let read: Vec<u8> = tiles
            .chain(2)
            .expect("a chain")
            .sources()
            .map(|source| match *source {
                Source::Buffer(buffer, _) => tiles.buffer(buffer)[0],
                _ => 0,
            })
            .collect();
        assert_eq!(read, [1, 2]);
        assert_eq!(tiles.buffers.len(), 3);
        tiles.forget(2);
        assert_eq!(tiles.free.len(), 1);
        // A sum that goes on from itself is one chain.
        for _ in 0..3 {
            tiles.binary(0, (0, true), (1, false), DType::U8, Binary::Add, shape());
        }
        assert_eq!(tiles.length(0), (7, 2));
        assert!(tiles.output(0, 8).expect("memory").in_place);
    }
}
