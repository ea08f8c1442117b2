//! Step 13: what goes wrong in an allgather.

use super::{seeded, until};
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, Error, Window, World};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/13_allgather.rs"]
mod example;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "two_rounds_by_hand" => until("race on", |seed| launch(3, seed, two_rounds_by_hand)),
        "two_rounds_builtin" => launch(3, 1, two_rounds_builtin),
        "all_into_one_row" => until("race on", |seed| launch(3, seed, all_into_one_row)),
        "own_row_left_out" => launch(3, 1, own_row_left_out),
        "tells_first" => until("that nothing wrote", |seed| launch(3, seed, tells_first)),
        "rows_backwards" => launch(3, 1, rows_backwards),
        _ => return None,
    })
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
) -> Call<'a>;

/// One launch, checked as the example checks it.
fn launch(p: usize, seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let (data, signal) = (world.window::<f32>([p, 64])?, world.window::<i32>([p, 1])?);
    let x = Array3::from_shape_fn((p, 1, 64), |(r, _, i)| (100 * r + i) as f32);
    let mut y = Array3::zeros((p, p, 64));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(super::checked(example::golden(&x).unwrap().check(y.view())))
}

/// What the kernels with a mistake have in common: the own row, into row `row` of `peer`.
#[pl::function(Inline, dynamic(NR, SIZE))]
fn push(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    peer: usize,
    row: usize,
) {
    pld::tensor::put(
        data,
        peer = peer,
        src = x,
        dst_offsets = [row, 0],
        src_offsets = [0, 0],
        shape = [1, SIZE],
        chunk_cols = 4096,
    );
}

/// Two allgathers in a row, by hand.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn two_rounds_by_hand(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for _round in 0..2 {
        for peer in 0..pld::nranks(ctx) {
            push(x, data, peer, my_rank);
        }
        pld::tensor::barrier(signal);
        y = pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096);
    }
}

/// Two builtins in a row.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn two_rounds_builtin(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    for _round in 0..2 {
        data = pld::tensor::allgather(x, data, signal);
        y = pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096);
    }
}

/// Everyone's row goes to row `peer` of a peer.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_into_one_row(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    for peer in 0..pld::nranks(ctx) {
        push(x, data, peer, peer);
    }
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = pld::rank(ctx), src = data, chunk_rows = 1, chunk_cols = 4096)
}

/// The own row goes to the peers only.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn own_row_left_out(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        if peer != my_rank {
            push(x, data, peer, my_rank);
        }
    }
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096)
}

/// The barrier stands before the rows are pushed, and none after.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn tells_first(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    pld::tensor::barrier(signal);
    for peer in 0..pld::nranks(ctx) {
        push(x, data, peer, my_rank);
    }
    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096)
}

/// Rank r is taken for the r-th from the end.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn rows_backwards(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        push(x, data, peer, pld::nranks(ctx) - 1 - my_rank);
    }
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096)
}
