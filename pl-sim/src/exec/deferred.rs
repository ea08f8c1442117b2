//! Evaluates what tiles stand for: in strips that stay in the first-level cache, all steps of a chain on one strip before the next.

use crate::check::clock::Clock;
use crate::elementwise::{self, Binary, FOLDED, is_aligned};
use crate::machine::Memory;
use crate::region::{Piece, Runs, pieces};
use crate::shared::{RowsGrant, WriteGrant};
use crate::tiles::{Chain, MOST_VALUES, Source, Step, Tiles};
use pl_core::dtype::DType;

/// Bytes of a strip.
const STRIP: usize = 8 << 10;
/// Strips that an evaluation needs beside those of the chain's values: for a result apart from its operands.
const SPARE: usize = 1;

/// Where a result goes.
pub(super) enum Sink<'s> {
    /// Into a box of memory that the rank has for itself.
    Bytes(&'s mut [u8], &'s Runs),
    /// Into a box of a window.
    Window(&'s WriteGrant<'s>),
}

impl Sink<'_> {
    fn runs(&self) -> &Runs {
        match self {
            Sink::Bytes(_, runs) => runs,
            Sink::Window(grant) => grant.runs(),
        }
    }
}

/// What sources are read from.
pub(super) struct Reader<'r, 'a> {
    pub(super) memories: &'r [Memory<'a>],
    pub(super) tiles: &'r Tiles,
    pub(super) clock: &'r Clock,
}

/// The memory in which the box of a source lies.
enum Opened<'o> {
    Bytes(&'o [u8]),
    Window(RowsGrant<'o>),
}

impl Reader<'_, '_> {
    fn open<'o>(&'o self, source: &'o Source) -> Opened<'o> {
        let memory = |memory: u32| &self.memories[memory as usize];
        match source {
            Source::Buffer(buffer, _) => Opened::Bytes(self.tiles.buffer(*buffer)),
            Source::Tensor(number, _) => match memory(*number) {
                Memory::In(bytes) => Opened::Bytes(bytes),
                Memory::Out(bytes, _) => Opened::Bytes(bytes),
                Memory::Window(_) | Memory::View(_) => Opened::Bytes(&[]),
            },
            Source::Window { memory: number, owner, held } => match memory(*number) {
                Memory::Window(window) => Opened::Window(window.memory(*owner as usize).read_held(held, self.clock)),
                _ => Opened::Bytes(&[]),
            },
        }
    }

    /// Hands elements of a source to `f`, which stand side by side.
    #[inline]
    fn with<R>(&self, (dtype, source): (DType, &Source), part: Part, f: impl FnOnce(&[u8]) -> R) -> R {
        match self.open(source) {
            Opened::Bytes(bytes) => {
                let (position, size) = (source.rows().locate(part.start).0, dtype.bytes());
                f(&bytes[position * size..][..part.length * size])
            }
            Opened::Window(grant) => grant.with(part.start, part.length, f),
        }
    }

    /// Copies a whole box.
    fn copy(&self, (dtype, source): (DType, &Source), sink: &mut Sink<'_>) {
        let size = dtype.bytes();
        match (self.open(source), sink) {
            (Opened::Window(grant), Sink::Bytes(bytes, runs)) => grant.copy_to_box(bytes, runs),
            (Opened::Window(grant), Sink::Window(to)) => to.copy_from_rows(&grant),
            (Opened::Bytes(bytes), Sink::Window(to)) => to.copy_from_box(bytes, &source.rows().runs()),
            (Opened::Bytes(bytes), Sink::Bytes(out, runs)) => {
                for Piece { left, right, length } in pieces(&source.rows().runs(), runs) {
                    out[right * size..][..length * size].copy_from_slice(&bytes[left * size..][..length * size]);
                }
            }
        }
    }
}

/// Elements of a box, counted from 0, that one strip holds.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    length: usize,
}

/// A value on the stack.
#[derive(Clone, Copy)]
enum Value<'c> {
    /// In a strip.
    Strip(usize),
    /// Where it comes from.
    Source(DType, &'c Source),
    /// A scalar for each element.
    Fill(DType, u64),
}

/// The strips. Number 0 is the result's own place, where that can hold values in between.
struct Strips<'s> {
    place: Option<&'s mut [u8]>,
    others: &'s mut [u8],
    each: usize,
    used: u32,
}

impl Strips<'_> {
    fn take(&mut self) -> usize {
        let free = if self.place.is_some() { !self.used } else { !self.used & !1 };
        let strip = free.trailing_zeros() as usize;
        self.used |= 1 << strip;
        strip
    }

    fn free(&mut self, strip: usize) {
        self.used &= !(1 << strip);
    }

    fn get(&mut self, strip: usize, bytes: usize) -> &mut [u8] {
        match (strip, &mut self.place) {
            (0, Some(place)) => &mut place[..bytes],
            _ => &mut self.others[(strip - 1) * self.each..][..bytes],
        }
    }

    /// One to change, and one to read.
    fn pair(&mut self, changed: usize, read: usize, (a, b): (usize, usize)) -> (&mut [u8], &[u8]) {
        let Strips { place, others, each, .. } = self;
        let at = |strip: usize| (strip - 1) * *each;
        match (changed, read, place) {
            (0, _, Some(place)) => (&mut place[..a], &others[at(read)..][..b]),
            (_, 0, Some(place)) => (&mut others[at(changed)..][..a], &place[..b]),
            _ if changed < read => {
                let (low, high) = others.split_at_mut(at(read));
                (&mut low[at(changed)..][..a], &high[..b])
            }
            _ => {
                let (low, high) = others.split_at_mut(at(changed));
                (&mut high[..a], &low[at(read)..][..b])
            }
        }
    }
}

/// Computes what a chain stands for: `elements` of type `dtype`. `in_place` tells that the sink, which is as large, holds the chain's first value.
pub(super) fn evaluate(
    reader: &Reader<'_, '_>,
    chain: &Chain,
    (dtype, elements): (DType, usize),
    mut sink: Sink<'_>,
    in_place: bool,
    scratch: &mut Vec<u64>,
) {
    if elements == 0 {
        return;
    }
    if let [Step::Push(dtype, source)] = &chain.steps[..] {
        if !in_place {
            reader.copy((*dtype, source), &mut sink);
        }
        return;
    }
    let widest = chain.steps.iter().map(|step| step.dtype().bytes()).max().unwrap_or(8);
    let most = (STRIP / widest).min(elements);
    // Each strip is aligned for every element type.
    let each = (most * widest).next_multiple_of(64);
    let needed = (chain.values + SPARE) * each / 8;
    if scratch.len() < needed {
        scratch.resize(needed, 0);
    }
    // Values in between have the size of the result's elements, and stand where those may.
    let alike = chain.steps.iter().all(|step| step.dtype().bytes() == dtype.bytes());
    let mut start = 0;
    while start < elements {
        let (position, rest) = sink.runs().locate(start);
        let length = chain.sources().fold(most.min(elements - start).min(rest), |n, s| n.min(s.rows().locate(start).1));
        let (part, bytes) = (Part { start, length }, length * dtype.bytes());
        let others: &mut [u8] = bytemuck::cast_slice_mut(scratch);
        match &mut sink {
            Sink::Bytes(out, _) => {
                let out = &mut out[position * dtype.bytes()..][..bytes];
                let direct = alike && is_aligned(dtype, out);
                if direct {
                    let used = u32::from(in_place);
                    let mut strips = Strips { place: Some(out), others, each, used };
                    let result = strip(reader, chain, part, in_place, &mut strips);
                    if result != 0 {
                        let (out, strip) = strips.pair(0, result, (bytes, bytes));
                        out.copy_from_slice(strip);
                    }
                } else {
                    let mut strips = Strips { place: None, others, each, used: 0 };
                    let result = strip(reader, chain, part, false, &mut strips);
                    out.copy_from_slice(strips.get(result, bytes));
                }
            }
            Sink::Window(grant) => {
                let mut strips = Strips { place: None, others, each, used: 0 };
                let result = strip(reader, chain, part, false, &mut strips);
                grant.copy_from_strip(position, strips.get(result, bytes));
            }
        }
        start += length;
    }
}

/// Computes one strip; gives its number.
fn strip(reader: &Reader<'_, '_>, chain: &Chain, part: Part, in_place: bool, strips: &mut Strips<'_>) -> usize {
    let mut stack = [Value::Strip(0); MOST_VALUES];
    let mut height = 0;
    let mut folded = 0;
    for (at, step) in chain.steps.iter().enumerate() {
        if folded > 0 {
            folded -= 1;
            continue;
        }
        let bytes = part.length * step.dtype().bytes();
        match *step {
            Step::Push(dtype, ref source) => {
                let value = if at == 0 && in_place { Value::Strip(0) } else { Value::Source(dtype, source) };
                stack[height] = value;
                height += 1;
            }
            Step::Fill(dtype, scalar) => {
                stack[height] = Value::Fill(dtype, scalar);
                height += 1;
            }
            Step::Binary(op, dtype) => {
                height -= 1;
                let (left, right) = (stack[height - 1], stack[height]);
                let result = match (left, right) {
                    (Value::Strip(left), Value::Strip(right)) => {
                        let (out, read) = strips.pair(left, right, (bytes, bytes));
                        elementwise::into(op, dtype, out, read);
                        strips.free(right);
                        left
                    }
                    (Value::Strip(left), Value::Source(_, source)) => {
                        let out = strips.get(left, bytes);
                        reader.with((dtype, source), part, |read| elementwise::into(op, dtype, out, read));
                        left
                    }
                    (_, Value::Fill(_, scalar)) => {
                        let left = settle(reader, left, part, strips);
                        elementwise::scalar(op, dtype, strips.get(left, bytes), scalar);
                        left
                    }
                    (Value::Source(_, left), Value::Source(_, right)) => {
                        let out = strips.take();
                        if let Some([third, fourth]) = goes_on(&chain.steps[at + 1..], op) {
                            let (result, four) = (strips.get(out, bytes), [left, right, third, fourth]);
                            fold(reader, op, (dtype, four), part, result);
                            folded = 4;
                            stack[height - 1] = Value::Strip(out);
                            continue;
                        }
                        let result = strips.get(out, bytes);
                        reader.with((dtype, left), part, |left| {
                            reader.with((dtype, right), part, |right| {
                                elementwise::apart(op, dtype, result, left, right);
                            });
                        });
                        out
                    }
                    (Value::Source(_, left), Value::Strip(right)) => {
                        let out = strips.take();
                        let (result, read) = strips.pair(out, right, (bytes, bytes));
                        reader.with((dtype, left), part, |left| elementwise::apart(op, dtype, result, left, read));
                        strips.free(right);
                        out
                    }
                    (Value::Fill(..), right) => {
                        let (left, right) = (settle(reader, left, part, strips), settle(reader, right, part, strips));
                        let (out, read) = strips.pair(left, right, (bytes, bytes));
                        elementwise::into(op, dtype, out, read);
                        strips.free(right);
                        left
                    }
                };
                stack[height - 1] = Value::Strip(result);
            }
            Step::Scalar(op, dtype, scalar) => {
                let strip = settle(reader, stack[height - 1], part, strips);
                elementwise::scalar(op, dtype, strips.get(strip, bytes), scalar);
                stack[height - 1] = Value::Strip(strip);
            }
            Step::Unary(op, dtype) => {
                let strip = settle(reader, stack[height - 1], part, strips);
                elementwise::unary(op, dtype, strips.get(strip, bytes));
                stack[height - 1] = Value::Strip(strip);
            }
            Step::Cast { from, to } => {
                let input = settle(reader, stack[height - 1], part, strips);
                let out = strips.take();
                let (result, read) = strips.pair(out, input, (bytes, part.length * from.bytes()));
                elementwise::cast(from, read, to, result);
                strips.free(input);
                stack[height - 1] = Value::Strip(out);
            }
        }
    }
    settle(reader, stack[0], part, strips)
}

/// The next two boxes to which the same op goes on.
fn goes_on(steps: &[Step], op: Binary) -> Option<[&Source; FOLDED - 2]> {
    match steps {
        [Step::Push(_, a), Step::Binary(first, _), Step::Push(_, b), Step::Binary(second, _), ..]
            if (*first, *second) == (op, op) =>
        {
            Some([a, b])
        }
        _ => None,
    }
}

/// Folds boxes in one loop.
fn fold(
    reader: &Reader<'_, '_>,
    op: Binary,
    (dtype, [a, b, c, d]): (DType, [&Source; FOLDED]),
    part: Part,
    out: &mut [u8],
) {
    reader.with((dtype, a), part, |a| {
        reader.with((dtype, b), part, |b| {
            reader.with((dtype, c), part, |c| {
                reader.with((dtype, d), part, |d| elementwise::fold(op, dtype, out, [a, b, c, d]));
            });
        });
    });
}

/// Puts a value into a strip.
fn settle(reader: &Reader<'_, '_>, value: Value<'_>, part: Part, strips: &mut Strips<'_>) -> usize {
    if let Value::Strip(strip) = value {
        return strip;
    }
    let strip = strips.take();
    match value {
        Value::Source(dtype, source) => {
            reader.with((dtype, source), part, |bytes| strips.get(strip, bytes.len()).copy_from_slice(bytes));
        }
        Value::Fill(dtype, scalar) => {
            elementwise::full(dtype, scalar, strips.get(strip, part.length * dtype.bytes()));
        }
        Value::Strip(_) => {}
    }
    strip
}
