//! The allreduce collective, in two modes. Every rank ends with the same bits: each element is folded in one order, the same for all.

use super::{meet, settle};
use crate as pl;
use pl::distributed as pld;

const SUM: i32 = pld::ReduceOp::Sum.value();
const MAX: i32 = pld::ReduceOp::Max.value();
const MIN: i32 = pld::ReduceOp::Min.value();
const PROD: i32 = pld::ReduceOp::Prod.value();

/// Two tiles, combined by the reduction whose wire value is `OP`. Only the branch that is taken remains once `OP` is known.
#[pl::function(Inline)]
pub fn combine<T: pl::Element, const OP: i32>(
    a: pl::Tile<T, { [_] }>,
    b: pl::Tile<T, { [_] }>,
) -> pl::Tile<T, { [_] }> {
    let mut both = a;
    if OP == SUM {
        both = pl::add(a, b);
    }
    if OP == MAX {
        both = pl::maximum(a, b);
    }
    if OP == MIN {
        both = pl::minimum(a, b);
    }
    if OP == PROD {
        both = pl::mul(a, b);
    }
    both
}

/// [`pld::tensor::allreduce`] with `mode = "mesh"`: chunk by chunk every rank reads the chunk of all ranks and folds them in rank order. It does not
/// matter how many axes the window has: the function sees it with one.
///
/// A chunk is stored after a barrier: nobody reads it any more. The first barrier says that every rank has staged its data.
#[pl::function(Inline, dynamic(NR, SIZE))]
pub fn allreduce_mesh<T: pl::Element, const CHUNK: usize, const OP: i32>(
    mut target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let mut generation = 1i32;
    meet(signal, my_rank, nranks, generation);
    for at in pl::range(0, SIZE, CHUNK) {
        let len = pl::min(CHUNK, SIZE - at);
        let mut acc = pld::tile::remote_load(target, peer = 0, offsets = [at], shape = [len]);
        for peer in 1..nranks {
            let recv = pld::tile::remote_load(target, peer = peer, offsets = [at], shape = [len]);
            acc = combine::<T, OP>(acc, recv);
        }
        generation += 1;
        meet(signal, my_rank, nranks, generation);
        target = pl::store(acc, [at], target);
    }
    settle(signal, my_rank, nranks, generation);
}

/// [`meet`] on one row of a signal that has a row for each round.
#[pl::function(Inline, dynamic(ROUNDS, NR))]
pub fn meet_in_round(
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
    round: usize,
    my_rank: usize,
    nranks: usize,
    generation: i32,
) {
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(
                signal,
                peer = peer,
                offsets = [round, my_rank],
                value = 1,
                op = pld::NotifyOp::AtomicAdd,
            );
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [round, src], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// [`settle`] on one row of a signal that has a row for each round.
#[pl::function(Inline, dynamic(ROUNDS, NR))]
pub fn settle_round(
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
    round: usize,
    my_rank: usize,
    nranks: usize,
    credits: i32,
) {
    for src in 0..nranks {
        if src != my_rank {
            pld::system::notify(
                signal,
                peer = my_rank,
                offsets = [round, src],
                value = -credits,
                op = pld::NotifyOp::AtomicAdd,
            );
        }
    }
}

/// [`pld::tensor::allreduce`] with `mode = "ring"`: the data is cut into P segments whose lengths differ by one at most, and every rank reads one
/// segment a round from its left neighbour. In the first P - 1 rounds a segment travels from its owner round the ring and each rank folds its own
/// part in; in the other P - 1 rounds the finished segments travel on as they are. It does not matter how many axes the window has: the function sees
/// it with one.
///
/// A round has a row of the signal for itself, and two barriers for each chunk: before it is read, and before it is stored.
#[pl::function(Inline, dynamic(ROUNDS, NR, SIZE))]
pub fn allreduce_ring<T: pl::Element, const CHUNK: usize, const OP: i32>(
    mut target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    let steps = nranks - 1;
    let longest = (SIZE + nranks - 1) / nranks;
    for round in 0..2 * steps {
        // The segment that the left neighbour finished last.
        let mut step = round;
        let mut newest = left;
        if round >= steps {
            step = round - steps;
            newest = my_rank;
        }
        let segment = (newest + nranks - step) % nranks;
        let start = segment * SIZE / nranks;
        let end = (segment + 1) * SIZE / nranks;
        let mut generation = 0i32;
        for at in pl::range(0, longest, CHUNK) {
            // The segment may be one shorter than the longest: the last box is then empty.
            let from = pl::min(start + at, end);
            let len = pl::min(CHUNK, end - from);
            generation += 1;
            meet_in_round(signal, round, my_rank, nranks, generation);
            let mut acc = pld::tile::remote_load(target, peer = left, offsets = [from], shape = [len]);
            if round < steps {
                acc = combine::<T, OP>(acc, pl::load(target, [from], [len]));
            }
            generation += 1;
            meet_in_round(signal, round, my_rank, nranks, generation);
            target = pl::store(acc, [from], target);
        }
        settle_round(signal, round, my_rank, nranks, generation);
    }
}
