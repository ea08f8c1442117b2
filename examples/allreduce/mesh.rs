//! Mesh: every rank reads every rank's vector.

use pl::distributed as pld;

/// Stages the own vector, meets the others at a barrier, adds up the vectors of all ranks.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn mesh_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Phase 1: stage the vector, so that each peer can read it.
    let mine = pl::load(x, [0, 0], [1, SIZE]);
    data = pl::store(mine, [0, 0], data);

    // Phase 2: barrier. Notify every peer, wait for every peer.
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }

    // Phase 3: add up in rank order, the own vector in its turn, so that every rank rounds alike.
    let mut acc = pld::tile::remote_load(data, peer = 0, offsets = [0, 0], shape = [1, SIZE]);
    for src in 1..nranks {
        let recv = pld::tile::remote_load(data, peer = src, offsets = [0, 0], shape = [1, SIZE]);
        acc = pl::add(acc, recv);
    }
    pl::store(acc, [0, 0], y)
}
