//! 09-allreduce-two-phase.md.

use super::allreduce::ways::two_phase::meet;
use super::allreduce::{add_peers, cells, counting, reduce, stage};
use pl::Error;
use pl::distributed as pld;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "two_phase_one_barrier" => reduce(1, &counting(2, 64), cells, one_barrier),
        "two_phase_same_generation" => reduce(1, &counting(2, 64), cells, same_generation),
        "two_phase_first_half" => reduce(1, &counting(4, 64), cells, first_half),
        "two_phase_equal_chunks" => reduce(1, &counting(3, 64), cells, equal_chunks),
        _ => return None,
    })
}

/// What the kernels with a mistake have in common: the chunk `my_rank` of the sum, in the own window.
#[pl::function(Inline, dynamic(SIZE))]
fn reduce_own_chunk(mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>, my_rank: usize, nranks: usize) {
    let start = my_rank * SIZE / nranks;
    let len = (my_rank + 1) * SIZE / nranks - start;
    let acc: pl::Tile<f32, { [1, len] }> = add_peers(pl::load(data, [0, start], [1, len]), data, start);
    data = pl::store(acc, [0, start], data);
}

/// What they have in common: the chunks of the sum, from where they are.
#[pl::function(Inline, dynamic(SIZE))]
fn gather(
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pld::DistributedTensor<f32, { [1, SIZE] }>,
    nranks: usize,
) {
    for c in 0..nranks {
        let start = c * SIZE / nranks;
        let len = (c + 1) * SIZE / nranks - start;
        y = pl::store(pld::tile::remote_load(data, peer = c, offsets = [0, start], shape = [1, len]), [0, start], y);
    }
}

/// Chunks are fetched before it is known that they are reduced.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn one_barrier(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    stage(x, data);
    meet(signal, pld::rank(ctx), pld::nranks(ctx), 1);
    reduce_own_chunk(data, pld::rank(ctx), pld::nranks(ctx));
    gather(y, data, pld::nranks(ctx));
}

/// The second barrier waits for what the first has left in the cells.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn same_generation(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    stage(x, data);
    meet(signal, pld::rank(ctx), pld::nranks(ctx), 1);
    reduce_own_chunk(data, pld::rank(ctx), pld::nranks(ctx));
    meet(signal, pld::rank(ctx), pld::nranks(ctx), 1);
    gather(y, data, pld::nranks(ctx));
}

/// The result is taken from the own window, where one chunk of it is.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn first_half(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    stage(x, data);
    meet(signal, pld::rank(ctx), pld::nranks(ctx), 1);
    reduce_own_chunk(data, pld::rank(ctx), pld::nranks(ctx));
    meet(signal, pld::rank(ctx), pld::nranks(ctx), 2);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// Every chunk has `SIZE / nranks` elements; what is left is nobody's.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn equal_chunks(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    stage(x, data);
    meet(signal, my_rank, nranks, 1);
    let len = SIZE / nranks;
    let acc: pl::Tile<f32, { [1, len] }> = add_peers(pl::load(data, [0, my_rank * len], [1, len]), data, my_rank * len);
    data = pl::store(acc, [0, my_rank * len], data);
    meet(signal, my_rank, nranks, 2);
    for c in 0..nranks {
        let chunk = pld::tile::remote_load(data, peer = c, offsets = [0, c * len], shape = [1, len]);
        y = pl::store(chunk, [0, c * len], y);
    }
}
