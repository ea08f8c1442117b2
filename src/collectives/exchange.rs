//! The all-to-all collectives.

use super::{meet, settle};
use crate as pl;
use pl::distributed as pld;

/// [`pld::tensor::all_to_all`]: every rank puts row `peer` of its input into row `my_rank` of that peer's window, in chunks of at most `CHUNK`
/// elements.
///
/// The first barrier keeps a fast rank from overwriting rows that slower peers still read; after the second every row has arrived.
#[pl::function(Inline, dynamic(NR, SIZE))]
pub fn all_to_all<T: pl::Element, const CHUNK: usize>(
    input: pl::Tensor<T, { [NR, SIZE] }>,
    target: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    for peer in 0..nranks {
        pld::tensor::put(
            target,
            peer = peer,
            src = input,
            dst_offsets = [my_rank, 0],
            src_offsets = [peer, 0],
            shape = [1, SIZE],
            chunk_cols = CHUNK,
        );
    }
    meet(signal, my_rank, nranks, 2);
    settle(signal, my_rank, nranks, 2);
}

/// [`pld::tensor::all_to_all_v`]: the input and the window have a block of ROWS rows for each rank, of which only the first `send_counts[peer]` are
/// sent.
///
/// The counts go the same way as the data: after the second barrier `recv_counts[src]` says how many rows came from `src`. What the window held in the
/// rows beyond is discarded then, so that a row that nobody sent cannot be read as if it had been.
#[pl::function(Inline, dynamic(NR, ROWS, SIZE))]
pub fn all_to_all_v<T: pl::Element, const CHUNK: usize>(
    input: pl::Tensor<T, { [NR * ROWS, SIZE] }>,
    target: pl::InOut<pld::DistributedTensor<T, { [NR * ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    send_counts: pl::Tensor<i32, { [NR, 1] }>,
    recv_counts: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    for peer in 0..nranks {
        let count = pl::read(send_counts, [peer, 0]);
        let rows = pld::system::check_count(count, peer = peer, limit = ROWS);
        pld::tensor::put(
            target,
            peer = peer,
            src = input,
            dst_offsets = [my_rank * ROWS, 0],
            src_offsets = [peer * ROWS, 0],
            shape = [rows, SIZE],
            chunk_rows = 1,
            chunk_cols = CHUNK,
        );
        pld::tile::remote_store(pl::full::<i32>([1, 1], count), recv_counts, peer = peer, offsets = [my_rank, 0]);
    }
    meet(signal, my_rank, nranks, 2);
    for src in 0..nranks {
        let rows = pl::read(recv_counts, [src, 0]) as usize;
        pl::discard(target, [src * ROWS + rows, 0], [ROWS - rows, SIZE]);
    }
    settle(signal, my_rank, nranks, 2);
}
