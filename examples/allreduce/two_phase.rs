//! Two phases: a reduce-scatter, then an allgather.

use pl::distributed as pld;

/// The barrier of generation 1, 2, …: every rank has added that many to its cell at every peer.
#[pl::function(Inline, dynamic(NR))]
pub fn meet(
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    my_rank: usize,
    nranks: usize,
    generation: i32,
) {
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// Reduces the chunk of its own number, then fetches the others where they were reduced.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn two_phase_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    let mine = pl::load(x, [0, 0], [1, SIZE]);
    data = pl::store(mine, [0, 0], data);
    meet(signal, my_rank, nranks, 1);

    // Phase 1, reduce-scatter: chunk `my_rank` of every rank, into the own window.
    let start = my_rank * SIZE / nranks;
    let len = (my_rank + 1) * SIZE / nranks - start;
    let mut acc = pld::tile::remote_load(data, peer = 0, offsets = [0, start], shape = [1, len]);
    for src in 1..nranks {
        let recv = pld::tile::remote_load(data, peer = src, offsets = [0, start], shape = [1, len]);
        acc = pl::add(acc, recv);
    }
    data = pl::store(acc, [0, start], data);
    meet(signal, my_rank, nranks, 2);

    // Phase 2, allgather: chunk c from rank c, which has reduced it.
    for c in 0..nranks {
        let start = c * SIZE / nranks;
        let len = (c + 1) * SIZE / nranks - start;
        let chunk = pld::tile::remote_load(data, peer = c, offsets = [0, start], shape = [1, len]);
        y = pl::store(chunk, [0, start], y);
    }
    y
}
