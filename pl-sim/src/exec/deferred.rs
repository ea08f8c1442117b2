//! Evaluates what tiles stand for: one op over a few boxes in one loop, other chains in strips that stay in the first-level cache, all steps on one strip
//! before the next.

use crate::check::clock::Clock;
use crate::elementwise::{self, Binary, FOLDED, is_aligned};
use crate::machine::Memory;
use crate::memory::Lines;
use crate::region::Runs;
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

impl Reader<'_, '_> {
    fn open<'o>(&'o self, dtype: DType, source: &'o Source) -> RowsGrant<'o> {
        let size = dtype.bytes();
        match source {
            Source::Buffer(buffer, rows) => RowsGrant::of_bytes(self.tiles.buffer(*buffer), rows, size),
            Source::Tensor(number, rows) => match &self.memories[*number as usize] {
                Memory::In(bytes) => RowsGrant::of_bytes(bytes, rows, size),
                Memory::Out(bytes, _) => RowsGrant::of_bytes(bytes, rows, size),
                Memory::Window(_) | Memory::View(_) => RowsGrant::NONE,
            },
            Source::Window { memory, owner, held } => match self.memories[*memory as usize] {
                Memory::Window(window) => window.memory(*owner as usize).read_held(held, self.clock),
                _ => RowsGrant::NONE,
            },
        }
    }

    /// Opens sources of one type, at most [`FOLDED`]: how many.
    fn open_all<'o>(
        &'o self,
        dtype: DType,
        sources: impl Iterator<Item = &'o Source>,
        grants: &mut [RowsGrant<'o>; FOLDED],
    ) -> usize {
        grants.iter_mut().zip(sources).map(|(grant, source)| *grant = self.open(dtype, source)).count()
    }

    /// Hands elements of a source to `f`, which stand side by side.
    #[inline]
    fn with<R>(&self, (dtype, source): (DType, &Source), part: Part, f: impl FnOnce(&[u8]) -> R) -> R {
        RowsGrant::together(&[self.open(dtype, source)], (part.start, part.length), |bytes| f(bytes[0]))
    }

    /// Folds elements of sources of one type, after those of `out` when `onto` says so.
    fn fold<'o>(
        &'o self,
        (op, dtype): (Binary, DType),
        (out, mut onto): (&mut [u8], bool),
        mut sources: impl Iterator<Item = &'o Source>,
        part: Part,
    ) {
        loop {
            let mut grants = [RowsGrant::NONE; FOLDED];
            let count = self.open_all(dtype, sources.by_ref(), &mut grants);
            if count == 0 {
                return;
            }
            let fold = |sources: &[&[u8]]| elementwise::fold(op, dtype, out, onto, sources);
            RowsGrant::together(&grants[..count], (part.start, part.length), fold);
            if count < FOLDED {
                return;
            }
            onto = true;
        }
    }

    /// Copies a whole box.
    fn copy(&self, (dtype, source): (DType, &Source), sink: &mut Sink<'_>) {
        let grant = self.open(dtype, source);
        match sink {
            Sink::Bytes(bytes, runs) => grant.copy_to_box(bytes, runs),
            Sink::Window(to) => to.copy_from_rows(&grant),
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
    scratch: &mut Lines,
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
    if let Some(op) = folds(chain) {
        let mut grants = [RowsGrant::NONE; FOLDED];
        let count = reader.open_all(dtype, chain.sources(), &mut grants);
        if fold_all((op, dtype), &grants[..count], elements, &mut sink, in_place) {
            return;
        }
    }
    let widest = chain.steps.iter().map(|step| step.dtype().bytes()).max().unwrap_or(8);
    let most = (STRIP / widest).min(elements);
    // Each strip is aligned for every element type.
    let each = (most * widest).next_multiple_of(64);
    scratch.grow((chain.values + SPARE) * each);
    // Values in between have the size of the result's elements, and stand where those may.
    let alike = chain.steps.iter().all(|step| step.dtype().bytes() == dtype.bytes());
    let mut start = 0;
    while start < elements {
        let (position, rest) = sink.runs().locate(start);
        let length = chain.sources().fold(most.min(elements - start).min(rest), |n, s| n.min(s.rows().locate(start).1));
        let (part, bytes) = (Part { start, length }, length * dtype.bytes());
        let others = scratch.bytes_mut();
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

/// The op, when a chain is nothing but one op from box to box, of no more boxes than one loop reads.
fn folds(chain: &Chain) -> Option<Binary> {
    let [Step::Push(..), Step::Push(..), Step::Binary(op, _), rest @ ..] = &chain.steps[..] else { return None };
    let more = goes_on(rest, *op);
    (2 + more <= FOLDED && 2 * more == rest.len()).then_some(*op)
}

/// Combines boxes without strips, each run of elements in one loop; whether it could: the result goes to other memory than what is read, or to where the
/// first box is. `in_place` tells that the sink holds the first box.
pub(super) fn fold_all(
    (op, dtype): (Binary, DType),
    grants: &[RowsGrant<'_>],
    elements: usize,
    sink: &mut Sink<'_>,
    in_place: bool,
) -> bool {
    let mut start = 0;
    while start < elements {
        let (position, rest) = sink.runs().locate(start);
        let length = grants.iter().fold(rest.min(elements - start), |n, grant| n.min(grant.rest(start)));
        match sink {
            Sink::Bytes(out, _) => {
                let out = &mut out[position * dtype.bytes()..][..length * dtype.bytes()];
                if !is_aligned(dtype, out) {
                    return false;
                }
                let fold = |sources: &[&[u8]]| elementwise::fold(op, dtype, out, in_place, sources);
                RowsGrant::together(&grants[usize::from(in_place)..], (start, length), fold);
            }
            Sink::Window(grant) => {
                let onto = grant.is_at(position, &grants[0], start);
                let fold = |out: &mut [u8], sources: &[&[u8]]| elementwise::fold(op, dtype, out, onto, sources);
                if !grant.change((position, length), (&grants[usize::from(onto)..], start), fold) {
                    return false;
                }
            }
        }
        start += length;
    }
    true
}

/// Computes one strip; gives its number.
fn strip(reader: &Reader<'_, '_>, chain: &Chain, part: Part, in_place: bool, strips: &mut Strips<'_>) -> usize {
    let mut stack = [Value::Strip(0); MOST_VALUES];
    let mut height = 0;
    // Steps that are done already.
    let mut skip = 0;
    for (at, step) in chain.steps.iter().enumerate() {
        if skip > 0 {
            skip -= 1;
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
                        elementwise::fold(op, dtype, out, true, &[read]);
                        strips.free(right);
                        left
                    }
                    (Value::Strip(left), Value::Source(_, source)) => {
                        let more = goes_on(&chain.steps[at + 1..], op);
                        let sources = [source].into_iter().chain(boxes(&chain.steps[at + 1..], more));
                        reader.fold((op, dtype), (strips.get(left, bytes), true), sources, part);
                        skip = 2 * more;
                        left
                    }
                    (_, Value::Fill(_, scalar)) => {
                        let left = settle(reader, left, part, strips);
                        elementwise::scalar(op, dtype, strips.get(left, bytes), scalar);
                        left
                    }
                    (Value::Source(_, left), Value::Source(_, right)) => {
                        let out = strips.take();
                        let more = goes_on(&chain.steps[at + 1..], op);
                        let sources = [left, right].into_iter().chain(boxes(&chain.steps[at + 1..], more));
                        reader.fold((op, dtype), (strips.get(out, bytes), false), sources, part);
                        skip = 2 * more;
                        out
                    }
                    (Value::Source(_, left), Value::Strip(right)) => {
                        let out = strips.take();
                        let (result, read) = strips.pair(out, right, (bytes, bytes));
                        reader.with((dtype, left), part, |left| {
                            elementwise::fold(op, dtype, result, false, &[left, read]);
                        });
                        strips.free(right);
                        out
                    }
                    (Value::Fill(..), right) => {
                        let (left, right) = (settle(reader, left, part, strips), settle(reader, right, part, strips));
                        let (out, read) = strips.pair(left, right, (bytes, bytes));
                        elementwise::fold(op, dtype, out, true, &[read]);
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

/// To how many boxes the same op goes on in the next steps.
fn goes_on(steps: &[Step], op: Binary) -> usize {
    let is_next = |pair: &&[Step; 2]| matches!(pair, [Step::Push(..), Step::Binary(next, _)] if *next == op);
    steps.as_chunks::<2>().0.iter().take_while(is_next).count()
}

/// The first so many of these boxes.
fn boxes(steps: &[Step], count: usize) -> impl Iterator<Item = &Source> {
    steps[..2 * count].iter().filter_map(|step| match step {
        Step::Push(_, source) => Some(source),
        _ => None,
    })
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
