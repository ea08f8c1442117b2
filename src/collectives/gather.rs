//! The allgather collective.

use super::{meet, settle};
use crate as pl;
use pl::distributed as pld;

/// [`pld::tensor::allgather`]: every rank puts its input into row `my_rank` of every rank's window, the own one included, in chunks of at most
/// `CHUNK` elements.
///
/// The first barrier keeps a fast rank from overwriting rows that slower peers still read; after the second every row has arrived.
#[pl::function(Inline, dynamic(NR, SIZE))]
pub fn allgather<T: pl::Element, const CHUNK: usize>(
    input: pl::Tensor<T, { [1, SIZE] }>,
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
            src_offsets = [0, 0],
            shape = [1, SIZE],
            chunk_cols = CHUNK,
        );
    }
    meet(signal, my_rank, nranks, 2);
    settle(signal, my_rank, nranks, 2);
}
