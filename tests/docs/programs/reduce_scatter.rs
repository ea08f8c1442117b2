//! 14-reduce-scatter.md.

use super::example::{builtin_step, hand_step};
use super::{checked, seeded};
use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};
use pl::{Call, Error, Window, World};
use pl_examples_cli::golden::reduce_scatter;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "launch_twice hand" => launch_twice(hand_step, false),
        "launch_twice hand reset" => launch_twice(hand_step, true),
        "launch_twice builtin" => launch_twice(builtin_step, false),
        "no_barrier" => reduce(2, 1, no_barrier),
        "waits_for_itself" => reduce(2, 1, waits_for_itself),
        "one_barrier_a_round" => reduce(2, 5, one_barrier_a_round),
        "seeded_from_zeros" => reduce(4, 1, seeded_from_zeros),
        "row_fixed" => reduce(4, 1, row_fixed),
        "boundaries_off" => reduce(4, 1, boundaries_off),
        _ => return None,
    })
}

/// Numbers whose f32 sum depends on the order.
pub fn uneven(ranks: usize, size: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| 0.1 + 0.7 * r as f32 + 0.3 * i as f32)
}

fn counting(ranks: usize, size: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| (100 * r + i) as f32)
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
) -> Call<'a>;

/// Two launches of one kernel on the same windows.
fn launch_twice(step: Step, reset: bool) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (p, size) = (world.size(), 16);
    let data = world.window::<f32>([p, size])?;
    let signal = world.window::<i32>([p, 1])?;
    let x = counting(p, size);
    for _ in 0..2 {
        let mut y = Array3::zeros((p, 1, size));
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
        world.launch_with(seeded(1), calls)?;
        if reset {
            world.reset(&signal)?;
        }
    }
    Ok("OK\n".into())
}

/// One launch, checked as the example checks it.
fn reduce(p: usize, seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let size = 64;
    let (data, signal) = (world.window::<f32>([p, size])?, world.window::<i32>([p, 1])?);
    let x = counting(p, size);
    let mut y = Array3::zeros((p, 1, x.len_of(Axis(2)) / p));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(checked(reduce_scatter(x.view()).check(y.view())))
}

/// What the kernels with a mistake have in common: every chunk at its row.
#[pl::function(Inline, dynamic(NR, SIZE))]
fn stage(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    nranks: usize,
) {
    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }
}

/// What they have in common: `acc` and the peers' row `row`.
#[pl::function(Inline, dynamic(NR, SIZE))]
fn add_peers(
    mut acc: pl::Tile<f32, { [1, SIZE] }>,
    data: pld::DistributedTensor<f32, { [NR, SIZE] }>,
    row: usize,
) -> pl::Tile<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    for peer in 0..pld::nranks(ctx) {
        if peer != pld::rank(ctx) {
            acc += pld::tile::remote_load(data, peer = peer, offsets = [row, 0], shape = [1, SIZE]);
        }
    }
    acc
}

/// The peers' rows are read before it is known that they are there.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn no_barrier(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    stage(x, data, pld::nranks(ctx));
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [my_rank, 0], [1, SIZE]), data, my_rank);
    pl::store(acc, [0, 0], y);
}

/// Nobody notifies itself, but everybody waits for itself.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn waits_for_itself(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    stage(x, data, nranks);
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    }
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [my_rank, 0], [1, SIZE]), data, my_rank);
    pl::store(acc, [0, 0], y);
}

/// Two rounds, with one barrier in each: the second round stages into rows that slower peers still read.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn one_barrier_a_round(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for _round in 0..2 {
        stage(x, data, pld::nranks(ctx));
        pld::tensor::barrier(signal);
        let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [my_rank, 0], [1, SIZE]), data, my_rank);
        pl::store(acc, [0, 0], y);
    }
}

/// The own chunk is not in the sum.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn seeded_from_zeros(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    stage(x, data, pld::nranks(ctx));
    pld::tensor::barrier(signal);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::full::<f32>([1, SIZE], 0.0), data, my_rank);
    pl::store(acc, [0, 0], y);
}

/// Row 0 is reduced, on every rank.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn row_fixed(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    stage(x, data, pld::nranks(pld::get_comm_ctx(data)));
    pld::tensor::barrier(signal);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [0, 0], [1, SIZE]), data, 0);
    pl::store(acc, [0, 0], y);
}

/// Chunk c is taken from where it does not begin.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn boundaries_off(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    for c in 0..pld::nranks(ctx) {
        let chunk = pl::load(x, [0, c * (SIZE - 1)], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    pl::store(pl::load(data, [pld::rank(ctx), 0], [1, SIZE]), [0, 0], y);
}
