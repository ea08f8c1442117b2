//! Ring: a segment a round, from the left neighbour.

use pl::distributed as pld;

/// The barrier of a round, on the row of the signal that belongs to it.
#[pl::function(Inline, dynamic(ROUNDS, NR))]
pub fn meet_in_round(
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
    round: usize,
    my_rank: usize,
    nranks: usize,
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
            pld::system::wait(signal, offsets = [round, src], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// In P - 1 rounds a segment travels round the ring and is added to on its way; in P - 1 more the sums travel.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
pub fn ring_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    let steps = nranks - 1;

    let mine = pl::load(x, [0, 0], [1, SIZE]);
    data = pl::store(mine, [0, 0], data);

    // Phase 1, reduce-scatter: the segment that the left neighbour added to last, plus the own part of it.
    for step in 0..steps {
        let segment = (left + nranks - step) % nranks;
        let start = segment * SIZE / nranks;
        let len = (segment + 1) * SIZE / nranks - start;
        meet_in_round(signal, step, my_rank, nranks);
        let so_far = pld::tile::remote_load(data, peer = left, offsets = [0, start], shape = [1, len]);
        let mine = pl::load(data, [0, start], [1, len]);
        data = pl::store(so_far + mine, [0, start], data);
    }

    // Phase 2, allgather: the sum that the left neighbour received last.
    for step in 0..steps {
        let segment = (my_rank + nranks - step) % nranks;
        let start = segment * SIZE / nranks;
        let len = (segment + 1) * SIZE / nranks - start;
        meet_in_round(signal, steps + step, my_rank, nranks);
        let sum = pld::tile::remote_load(data, peer = left, offsets = [0, start], shape = [1, len]);
        data = pl::store(sum, [0, start], data);
    }

    let all = pl::load(data, [0, 0], [1, SIZE]);
    pl::store(all, [0, 0], y)
}
