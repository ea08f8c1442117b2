//! The tiles of one rank. A tile local names a buffer; copying the local shares it; an op writes its result into a buffer that no
//! other local names. Buffers grow and are used again: a loop allocates nothing.

use crate::memory;
use crate::region::Shape;

/// No buffer.
const NONE: u32 = u32::MAX;

/// The tiles.
#[derive(Debug)]
pub(crate) struct Tiles {
    locals: Box<[Local]>,
    buffers: Vec<Buffer>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Local {
    buffer: u32,
    shape: Shape,
}

#[derive(Debug, Default)]
struct Buffer {
    /// Words, so that every element type is aligned.
    words: Vec<u64>,
    /// How many locals name it.
    users: u32,
}

/// A buffer that takes a result.
pub(crate) struct Output {
    buffer: u32,
    words: Vec<u64>,
    bytes: usize,
}

impl Output {
    /// The result's bytes.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }
}

impl Tiles {
    /// As many locals, none with a tile yet.
    pub(crate) fn new(locals: usize) -> Tiles {
        let local = Local { buffer: NONE, shape: Shape::default() };
        Tiles { locals: vec![local; locals].into(), buffers: vec![], free: vec![] }
    }

    /// The extents of a tile.
    pub(crate) fn shape(&self, tile: u32) -> &Shape {
        &self.locals[tile as usize].shape
    }

    /// The bytes of a tile of elements of `size` bytes.
    pub(crate) fn bytes(&self, tile: u32, size: usize) -> &[u8] {
        let local = &self.locals[tile as usize];
        match self.buffers.get(local.buffer as usize) {
            Some(buffer) => &bytemuck::cast_slice(&buffer.words)[..local.shape.elements() * size],
            None => &[],
        }
    }

    /// The buffer that a tile names.
    fn buffer(&self, tile: u32) -> u32 {
        self.locals[tile as usize].buffer
    }

    /// Whether the result of an op that replaces the tile `dst` may take the place of its operand `dst`, read from no other name.
    pub(crate) fn replaceable(&self, dst: u32, other: Option<u32>) -> bool {
        let buffer = self.buffer(dst);
        buffer != NONE
            && self.buffers[buffer as usize].users == 1
            && other.is_none_or(|other| self.buffer(other) != buffer)
    }

    /// Takes the buffer of `tile` out, to change it in place; [`Tiles::put`] gives it back.
    pub(crate) fn take(&mut self, tile: u32, bytes: usize) -> Output {
        let buffer = self.buffer(tile);
        Output { buffer, words: std::mem::take(&mut self.buffers[buffer as usize].words), bytes }
    }

    /// A buffer for a new value of `dst`, apart from the buffers of the operands; `None` when the host has no memory for it.
    pub(crate) fn output(&mut self, dst: u32, bytes: usize, operands: &[u32]) -> Option<Output> {
        let own = self.buffer(dst);
        let reuse = own != NONE
            && self.buffers[own as usize].users == 1
            && operands.iter().all(|&operand| self.buffer(operand) != own);
        let buffer = if reuse {
            own
        } else {
            self.free.pop().unwrap_or_else(|| {
                self.buffers.push(Buffer::default());
                self.buffers.len() as u32 - 1
            })
        };
        let mut words = std::mem::take(&mut self.buffers[buffer as usize].words);
        let needed = bytes.div_ceil(8);
        if words.len() < needed {
            // The old contents are of no use: they are not copied.
            words = Vec::new();
            if !memory::holds(bytes) {
                return None;
            }
            words.try_reserve_exact(needed).ok()?;
            words.resize(needed, 0);
        }
        Some(Output { buffer, words, bytes })
    }

    /// Gives `dst` its new value.
    pub(crate) fn put(&mut self, dst: u32, output: Output, shape: Shape) {
        let own = self.buffer(dst);
        self.buffers[output.buffer as usize].words = output.words;
        if own != output.buffer {
            self.buffers[output.buffer as usize].users = 1;
            self.release(own);
        }
        self.locals[dst as usize] = Local { buffer: output.buffer, shape };
    }

    /// Lets `dst` name the tile of `src`.
    pub(crate) fn copy(&mut self, dst: u32, src: u32) {
        let local = self.locals[src as usize];
        if local.buffer != NONE {
            self.buffers[local.buffer as usize].users += 1;
        }
        self.release(self.buffer(dst));
        self.locals[dst as usize] = local;
    }

    fn release(&mut self, buffer: u32) {
        if buffer != NONE {
            let users = &mut self.buffers[buffer as usize].users;
            *users -= 1;
            if *users == 0 {
                self.free.push(buffer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(n: u64) -> Shape {
        Shape::new([n]).expect("a shape")
    }

    #[test]
    fn copies_keep_their_value_and_buffers_are_used_again() {
        let mut tiles = Tiles::new(3);
        let fill = |tiles: &mut Tiles, dst, value| {
            let mut out = tiles.output(dst, 8, &[]).expect("memory");
            out.bytes().fill(value);
            tiles.put(dst, out, shape(8));
        };
        fill(&mut tiles, 0, 1);
        tiles.copy(1, 0);
        for value in 2..100 {
            fill(&mut tiles, 0, value);
        }
        assert_eq!(tiles.bytes(1, 1), [1; 8]);
        assert_eq!(tiles.bytes(0, 1), [99; 8]);
        assert_eq!(tiles.buffers.len(), 2);
        tiles.copy(0, 1);
        tiles.copy(1, 1);
        assert!(!tiles.replaceable(0, None));
        fill(&mut tiles, 1, 5);
        assert!(tiles.replaceable(0, Some(1)));
        assert_eq!(tiles.bytes(0, 1), [1; 8]);
    }
}
