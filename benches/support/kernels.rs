//! The kernels that are measured.

use pl::distributed as pld;

#[expect(dead_code, reason = "the kernels are used, not the program around them")]
#[path = "../../examples/14_reduce_scatter.rs"]
pub mod example_14;

/// Example 14 without staging: sums row `my_rank` over the windows in which the data is already.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn reduce_in_window(
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pld::DistributedTensor<f32, { [NR, SIZE] }>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    let nranks = pld::nranks(pld::get_comm_ctx(data));
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
    let mut acc = pl::load(data, [my_rank, 0], [1, SIZE]);
    for peer in 0..nranks {
        if peer != my_rank {
            let recv = pld::tile::remote_load(data, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);
            acc = pl::add(acc, recv);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// So many barriers in a row, by hand: every rank notifies every peer and waits for every peer.
#[pl::function(InCore, dynamic(NR))]
pub fn barriers(rounds: i32, signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let my_rank = pld::rank(pld::get_comm_ctx(signal));
    let nranks = pld::nranks(pld::get_comm_ctx(signal));
    for round in 0..rounds as usize {
        for peer in 0..nranks {
            if peer != my_rank {
                pld::system::notify(
                    signal,
                    peer = peer,
                    offsets = [my_rank, 0],
                    value = 1,
                    op = pld::NotifyOp::AtomicAdd,
                );
            }
        }
        for src in 0..nranks {
            if src != my_rank {
                pld::system::wait(signal, offsets = [src, 0], expected = round as i32 + 1, cmp = pld::WaitCmp::Ge);
            }
        }
    }
}

/// Every rank stages its row in boxes of `BOX` elements, and takes that of its right neighbour in such boxes.
#[pl::function(InCore, dynamic(SIZE))]
pub fn pass_left<const BOX: usize>(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    let nranks = pld::nranks(pld::get_comm_ctx(data));
    let right = (my_rank + 1) % nranks;
    for at in pl::range(0, SIZE, BOX) {
        data = pl::store(pl::load(x, [0, at], [1, BOX]), [0, at], data);
    }
    let left = (my_rank + nranks - 1) % nranks;
    pld::system::notify(signal, peer = left, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    for at in pl::range(0, SIZE, BOX) {
        let piece = pld::tile::remote_load(data, peer = right, offsets = [0, at], shape = [1, BOX]);
        y = pl::store(piece, [0, at], y);
    }
}
