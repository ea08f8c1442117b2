//! The broadcast collective.

use super::{meet, settle};
use crate as pl;
use pl::distributed as pld;

/// [`pld::tensor::broadcast`]: every rank but the root copies the root's window, in chunks of at most `CHUNK` elements. It does not matter how many
/// axes the window has: the function sees it with one.
///
/// The second barrier keeps the root from staging new data while slower ranks still read.
#[pl::function(Inline, dynamic(NR, SIZE))]
pub fn broadcast<T: pl::Element, const CHUNK: usize>(
    mut target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    if my_rank != root {
        target = pld::tensor::get(target, peer = root, src = target, chunk_cols = CHUNK);
    }
    meet(signal, my_rank, nranks, 2);
    settle(signal, my_rank, nranks, 2);
}
