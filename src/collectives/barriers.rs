//! The credit barrier, and the barrier collective.

use crate as pl;
use pl::distributed as pld;

/// One generation of the credit barrier. What a rank did before it happens before what every rank does after it.
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

/// Takes the credits of a call back from the own cells.
#[pl::function(Inline, dynamic(NR))]
pub fn settle(
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    my_rank: usize,
    nranks: usize,
    credits: i32,
) {
    for src in 0..nranks {
        if src != my_rank {
            pld::system::notify(
                signal,
                peer = my_rank,
                offsets = [src, 0],
                value = -credits,
                op = pld::NotifyOp::AtomicAdd,
            );
        }
    }
}

/// [`meet`] with a signal of one axis.
#[pl::function(Inline, dynamic(NR))]
pub fn meet_flat(
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
    my_rank: usize,
    nranks: usize,
    generation: i32,
) {
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// [`settle`] with a signal of one axis.
#[pl::function(Inline, dynamic(NR))]
pub fn settle_flat(
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
    my_rank: usize,
    nranks: usize,
    credits: i32,
) {
    for src in 0..nranks {
        if src != my_rank {
            pld::system::notify(
                signal,
                peer = my_rank,
                offsets = [src],
                value = -credits,
                op = pld::NotifyOp::AtomicAdd,
            );
        }
    }
}

/// [`pld::tensor::barrier`] with a signal `[P, 1]`.
#[pl::function(Inline, dynamic(NR))]
pub fn barrier(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    settle(signal, my_rank, nranks, 1);
}

/// [`pld::tensor::barrier`] with a signal `[P]`.
#[pl::function(Inline, dynamic(NR))]
pub fn barrier_flat(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet_flat(signal, my_rank, nranks, 1);
    settle_flat(signal, my_rank, nranks, 1);
}
