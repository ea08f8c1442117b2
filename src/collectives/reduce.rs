//! The reduce-scatter collective.

use super::{meet, settle};
use crate as pl;
use pl::distributed as pld;

/// [`pld::tensor::reduce_scatter`]: row `my_rank` becomes the sum over the ranks of their row `my_rank`, own row first, then the peers in rank
/// order.
///
/// The second barrier keeps a fast rank from staging new data into rows that slower peers still read. A row of at most `CHUNK` elements is
/// stored after it; a longer one is stored chunk by chunk before it, for nobody else reads row `my_rank` of this window.
#[pl::function(Inline, dynamic(NR, SIZE))]
pub fn reduce_scatter<T: pl::Element, const CHUNK: usize>(
    mut target: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(target);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    if SIZE <= CHUNK {
        let mut acc = pl::load(target, [my_rank, 0], [1, SIZE]);
        for peer in 0..nranks {
            if peer != my_rank {
                let recv = pld::tile::remote_load(target, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);
                acc = pl::add(acc, recv);
            }
        }
        meet(signal, my_rank, nranks, 2);
        target = pl::store(acc, [my_rank, 0], target);
    } else {
        for at in pl::range(0, SIZE, CHUNK) {
            let len = pl::min(CHUNK, SIZE - at);
            let mut acc = pl::load(target, [my_rank, at], [1, len]);
            for peer in 0..nranks {
                if peer != my_rank {
                    let recv = pld::tile::remote_load(target, peer = peer, offsets = [my_rank, at], shape = [1, len]);
                    acc = pl::add(acc, recv);
                }
            }
            target = pl::store(acc, [my_rank, at], target);
        }
        meet(signal, my_rank, nranks, 2);
    }
    settle(signal, my_rank, nranks, 2);
}
