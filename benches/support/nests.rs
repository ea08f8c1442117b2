//! The references: collectives as one would write them by hand for two threads and shared memory, as plain loop nests.
//!
//! Each moves the same bytes as the kernel that it stands beside, copies to staging buffers included, and does its additions in the same order. A sum
//! reads all of its sources at once and keeps a block of partial sums in vector registers: on the machine at hand this was up to twice as fast as to add one source
//! after the other to strips in the first-level cache.

use super::pair::{self, Meeting};
use pulp::Arch;
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// A part of a window. The locks are never waited for, they let the compiler see who has what between two meetings.
pub struct Block(RwLock<Vec<f32>>);

impl Block {
    pub fn new(values: Vec<f32>) -> Block {
        Block(RwLock::new(values))
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Vec<f32>> {
        self.0.read().expect("no thread panics")
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, Vec<f32>> {
        self.0.write().expect("no thread panics")
    }
}

/// What one of the two threads has: some ranks, the first of which has this number, each with something of its own.
type Half<'a, T> = (usize, &'a mut [T]);

fn halves<T>(ranks: &mut [T]) -> [Half<'_, T>; 2] {
    let middle = ranks.len() / 2;
    let (first, second) = ranks.split_at_mut(middle);
    [(0, first), (middle, second)]
}

/// The ranks of a half with their numbers.
fn of<'h, T>((first, ranks): &'h mut Half<'_, T>) -> impl Iterator<Item = (usize, &'h mut T)> {
    let first = *first;
    ranks.iter_mut().enumerate().map(move |(at, rank)| (first + at, rank))
}

/// Elements of a block of partial sums: four vector registers of 256 bits, so that additions need not wait for each other.
const BLOCK: usize = 32;

/// Elements of a strip: those of several sources fit into the second-level cache together.
const STRIP: usize = 1 << 10;

/// The sum of the sources, which are as long as `out`, added up in their order.
fn sum(out: &mut [f32], sources: &[&[f32]]) {
    match sources {
        [a, b] => fold::<2, false>(out, [a, b]),
        [a, b, c, d] => fold::<4, false>(out, [a, b, c, d]),
        [a, b, c, d, e, f, g, h] => fold::<8, false>(out, [a, b, c, d, e, f, g, h]),
        [first, others @ ..] => {
            out.copy_from_slice(first);
            others.iter().for_each(|source| fold::<1, true>(out, [source]));
        }
        [] => out.fill(0.0),
    }
}

/// Adds the sources to `out`, in their order.
fn add(out: &mut [f32], sources: &[&[f32]]) {
    match sources {
        [a] => fold::<1, true>(out, [a]),
        [a, b, c] => fold::<3, true>(out, [a, b, c]),
        [a, b, c, d, e, f, g] => fold::<7, true>(out, [a, b, c, d, e, f, g]),
        others => others.iter().for_each(|source| fold::<1, true>(out, [source])),
    }
}

fn fold<const K: usize, const ONTO: bool>(out: &mut [f32], sources: [&[f32]; K]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            let (out, rest) = out.as_chunks_mut::<BLOCK>();
            assert!(rest.is_empty(), "whole blocks");
            let sources: [&[[f32; BLOCK]]; K] = sources.map(|source| &source.as_chunks().0[..out.len()]);
            for (at, out) in out.iter_mut().enumerate() {
                let mut sums = if ONTO { *out } else { sources[0][at] };
                for source in &sources[usize::from(!ONTO)..] {
                    for (sum, x) in sums.iter_mut().zip(&source[at]) {
                        *sum += x;
                    }
                }
                *out = sums;
            }
        },
    );
}

/// The same strip of all these blocks, to read.
fn strips<'g>(guards: &'g [RwLockReadGuard<'_, Vec<f32>>], strip: std::ops::Range<usize>) -> Vec<&'g [f32]> {
    guards.iter().map(|guard| &guard[strip.clone()]).collect()
}

/// Reduce-scatter. Row `c` of the window of rank `r` is block `r * ranks + c`.
pub struct ReduceScatter {
    pub ranks: usize,
    pub blocks: Vec<Block>,
    /// What each rank ends with, and a row of its own for what it cannot store yet.
    pub results: Vec<(Vec<f32>, Vec<f32>)>,
}

/// Where a rank's sum goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Straight to the result: what one writes by hand.
    Result,
    /// To its own row of the window, as a builtin leaves it.
    Row,
    /// There too, but through a row of its own: peers may read the window until they have met again.
    RowAfterMeeting,
}

impl ReduceScatter {
    pub fn new(ranks: usize, size: usize) -> ReduceScatter {
        let blocks = (0..ranks * ranks).map(|block| Block::new(vec![(block % 7) as f32; size])).collect();
        ReduceScatter { ranks, blocks, results: vec![(vec![0.0; size], vec![0.0; size]); ranks] }
    }

    fn block(&self, rank: usize, row: usize) -> &Block {
        &self.blocks[rank * self.ranks + row]
    }

    /// `x[r]` is what rank r brings, which is staged first; without it the data is in the window already. `take` says whether the row
    /// of the window is copied to the result at the end.
    pub fn run(&mut self, laps: usize, x: Option<&[&[f32]]>, target: Target, take: bool) -> Duration {
        let mut results = std::mem::take(&mut self.results);
        let this = &*self;
        let size = results[0].0.len();
        let times = pair::run(halves(&mut results), laps, |half, meeting| {
            if let Some(x) = x {
                for (rank, _) in of(half) {
                    for (row, chunk) in x[rank].chunks_exact(size).enumerate() {
                        this.block(rank, row).write().copy_from_slice(chunk);
                    }
                }
            }
            meeting.meet();
            for (rank, (result, own)) in of(half) {
                let peers = (0..this.ranks).filter(|peer| *peer != rank);
                let peers = peers.map(|peer| this.block(peer, rank).read()).collect::<Vec<_>>();
                let peers = strips(&peers, 0..size);
                if target == Target::Row {
                    add(&mut this.block(rank, rank).write(), &peers);
                } else {
                    let mine = this.block(rank, rank).read();
                    let sources: Vec<&[f32]> = std::iter::once(&mine[..]).chain(peers).collect();
                    sum(if target == Target::Result { result } else { own }, &sources);
                }
            }
            if target != Target::Result {
                meeting.meet();
            }
            for (rank, (result, own)) in of(half) {
                if target == Target::RowAfterMeeting {
                    this.block(rank, rank).write().copy_from_slice(own);
                }
                if take {
                    result.copy_from_slice(&this.block(rank, rank).read());
                }
            }
        });
        self.results = results;
        times
    }

    /// The bytes that a run reads and writes.
    pub fn bytes(&self, staged: bool, target: Target, take: bool) -> usize {
        let row = 4 * self.results[0].0.len();
        let window = self.ranks * row;
        let each = usize::from(staged) * 2 * window
            + (window + row)
            + usize::from(target == Target::RowAfterMeeting) * 2 * row
            + usize::from(take) * 2 * row;
        self.ranks * each
    }
}

/// Allgather: block `r * ranks + s` is row `s` of the window of rank `r`.
pub struct Allgather {
    pub ranks: usize,
    pub blocks: Vec<Block>,
}

impl Allgather {
    pub fn new(ranks: usize, size: usize) -> Allgather {
        let blocks = (0..ranks * ranks).map(|_| Block::new(vec![0.0; size])).collect();
        Allgather { ranks, blocks }
    }

    /// Every rank puts its row into the window of every rank.
    pub fn run(&self, laps: usize, x: &[&[f32]]) -> Duration {
        pair::run(halves(&mut vec![(); self.ranks]), laps, |half, _| {
            for (rank, ()) in of(half) {
                for peer in 0..self.ranks {
                    self.blocks[peer * self.ranks + rank].write().copy_from_slice(x[rank]);
                }
            }
        })
    }

    /// The bytes that a run reads and writes.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * 2 * 4 * self.blocks[0].read().len()
    }
}

/// Allreduce: a block is the window of a rank. What may not be stored yet waits in `own`.
pub struct Allreduce {
    pub blocks: Vec<Block>,
    own: Vec<Vec<f32>>,
    chunk: usize,
}

impl Allreduce {
    /// Windows of `size` elements, which are processed in chunks of that many.
    pub fn new(ranks: usize, size: usize, chunk: usize) -> Allreduce {
        let blocks = (0..ranks).map(|_| Block::new(vec![0.0; size])).collect();
        Allreduce { blocks, own: vec![vec![0.0; chunk.min(size)]; ranks], chunk }
    }

    fn size(&self) -> usize {
        self.blocks[0].read().len()
    }

    /// Chunk by chunk: every rank adds up the chunks of all ranks, in rank order; when all have, it stores the sum.
    pub fn mesh(&mut self, laps: usize) -> Duration {
        let size = self.size();
        let mut own = std::mem::take(&mut self.own);
        let times = pair::run(halves(&mut own), laps, |half, meeting| {
            for from in (0..size).step_by(self.chunk) {
                let chunk = from..size.min(from + self.chunk);
                let windows: Vec<_> = self.blocks.iter().map(Block::read).collect();
                // Strip by strip, which the ranks of a half find in the cache one after the other.
                for at in (0..chunk.len()).step_by(STRIP) {
                    let strip = at..chunk.len().min(at + STRIP);
                    let sources = strips(&windows, from + strip.start..from + strip.end);
                    for (_, own) in of(half) {
                        sum(&mut own[strip.clone()], &sources);
                    }
                }
                drop(windows);
                self.store(half, meeting, |_| chunk.clone());
            }
        });
        self.own = own;
        times
    }

    /// Segment by segment, of which there is one for each rank: first each travels round and every rank adds its part, then the sums travel on.
    pub fn ring(&mut self, laps: usize) -> Duration {
        let (ranks, size) = (self.blocks.len(), self.size());
        let (steps, segment) = (ranks - 1, size / ranks);
        let mut own = std::mem::take(&mut self.own);
        let times = pair::run(halves(&mut own), laps, |half, meeting| {
            for round in 0..2 * steps {
                let adds = round < steps;
                for at in (0..segment).step_by(self.chunk) {
                    let chunk = |rank: usize| {
                        let newest = if adds { rank + ranks - 1 - round } else { rank + ranks - (round - steps) };
                        let start = newest % ranks * segment;
                        start + at..start + segment.min(at + self.chunk)
                    };
                    for (rank, own) in of(half) {
                        let (left, mine) = (self.blocks[(rank + ranks - 1) % ranks].read(), self.blocks[rank].read());
                        let (left, mine) = (&left[chunk(rank)], &mine[chunk(rank)]);
                        let own = &mut own[..left.len()];
                        if adds { sum(own, &[left, mine]) } else { own.copy_from_slice(left) }
                    }
                    self.store(half, meeting, chunk);
                }
            }
        });
        self.own = own;
        times
    }

    /// When both threads have read, every rank stores what it has into this chunk of its window.
    fn store(&self, half: &mut Half<'_, Vec<f32>>, meeting: &Meeting, chunk: impl Fn(usize) -> std::ops::Range<usize>) {
        meeting.meet();
        for (rank, own) in of(half) {
            let chunk = chunk(rank);
            let len = chunk.len();
            self.blocks[rank].write()[chunk].copy_from_slice(&own[..len]);
        }
        meeting.meet();
    }

    /// The bytes that a run reads and writes as a mesh.
    pub fn mesh_bytes(&self) -> usize {
        self.blocks.len() * 4 * self.size() * (self.blocks.len() + 3)
    }

    /// The bytes that a run reads and writes as a ring.
    pub fn ring_bytes(&self) -> usize {
        (self.blocks.len() - 1) * 4 * self.size() * (5 + 4)
    }
}

/// The copy beside which a reference is judged: two buffers for each rank, as large as what the rank brings.
pub struct Copy {
    buffers: Vec<[Mutex<Vec<f32>>; 2]>,
    row: usize,
}

impl Copy {
    /// Buffers of so many rows, which are copied one by one: from a length on that depends on the machine the library writes past the caches, and a row is to be as long
    /// as those of the collective beside it.
    pub fn new(ranks: usize, rows: usize, row: usize) -> Copy {
        let buffers = || [1.0, 2.0].map(|value| Mutex::new(vec![value; rows * row]));
        Copy { buffers: std::iter::repeat_with(buffers).take(ranks).collect(), row }
    }

    /// Each thread copies for half of the ranks what the other thread has copied in the lap before: what a collective moves comes from another core as well.
    pub fn run(&self, laps: usize) -> Duration {
        let middle = self.buffers.len() / 2;
        let halves = [0..middle, middle..self.buffers.len()];
        // What each thread has is the number of its lap, and whose half it begins with.
        pair::run([(0, 0), (0, 1)], laps, |(lap, first): &mut (usize, usize), _| {
            for [a, b] in &self.buffers[halves[(*first + *lap) % 2].clone()] {
                let (from, to) = if lap.is_multiple_of(2) { (a, b) } else { (b, a) };
                let [from, mut to] = [from, to].map(|buffer| buffer.lock().expect("no thread panics"));
                for (to, from) in to.chunks_mut(self.row).zip(from.chunks(self.row)) {
                    to.copy_from_slice(from);
                }
            }
            *lap += 1;
        })
    }

    /// The bytes that a run reads and writes.
    pub fn bytes(&self) -> usize {
        self.buffers.iter().map(|[a, _]| 2 * 4 * a.lock().expect("no thread panics").len()).sum()
    }
}
