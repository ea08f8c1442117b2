//! 10-allreduce-ring.md.

use super::allreduce::ways::ring::{meet_in_round, ring_step};
use super::allreduce::{Step, counting, reduce, rows, stage};
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, Stage, World};
use pl_examples_cli::comparison;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "ring_neighbours" => {
            let outputs = (0..32).map(|seed| reduce(seed, &counting(4, 63), rows, neighbours_step));
            outputs.collect::<Result<Vec<_>, Error>>().map(distinct)
        }
        "ring_neighbours compare" => compare(),
        "ring_one_row" => reduce(1, &counting(3, 64), rows, one_row),
        "ring_no_barriers" => reduce(1, &counting(3, 64), rows, no_barriers),
        "ring_first_half" => reduce(1, &counting(4, 64), rows, first_half),
        "ring_wrong_segment" => reduce(1, &counting(4, 64), rows, wrong_segment),
        "ring_below_zero" => reduce(1, &counting(3, 64), rows, below_zero),
        "ring_short_signal" => reduce(1, &counting(3, 64), |p| [p - 1, p], ring_step),
        _ => return None,
    })
}

/// What several runs print, each text once.
fn distinct(mut outputs: Vec<String>) -> String {
    outputs.sort();
    outputs.dedup();
    outputs.concat()
}

/// No seed hides what another one shows.
#[test]
fn the_outputs_of_all_seeds_count() {
    let outputs = ["OK\n", "error: seed 1\n", "OK\n", "error: seed 3\n", "OK\n"].map(String::from);
    assert_eq!(distinct(outputs.to_vec()), "OK\nerror: seed 1\nerror: seed 3\n");
}

/// What the rings of this page have in common: adds the own part of a segment to what the left neighbour has of it.
#[pl::function(Inline, dynamic(SIZE))]
fn add_segment(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    left: usize,
    nranks: usize,
    segment: usize,
) {
    let start = segment * SIZE / nranks;
    let len = (segment + 1) * SIZE / nranks - start;
    let so_far = pld::tile::remote_load(data, peer = left, offsets = [0, start], shape = [1, len]);
    data = pl::store(so_far + pl::load(data, [0, start], [1, len]), [0, start], data);
}

/// What they have in common: takes a segment of the left neighbour as it is.
#[pl::function(Inline, dynamic(SIZE))]
fn copy_segment(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    left: usize,
    nranks: usize,
    segment: usize,
) {
    let start = segment * SIZE / nranks;
    let len = (segment + 1) * SIZE / nranks - start;
    data =
        pl::store(pld::tile::remote_load(data, peer = left, offsets = [0, start], shape = [1, len]), [0, start], data);
}

/// What they have in common: the result is what stands in the window.
#[pl::function(Inline, dynamic(SIZE))]
fn take(data: pld::DistributedTensor<f32, { [1, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>) {
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// In place of a barrier: tells the right neighbour that it may read what was stored before, and waits for the left one to say the same.
#[pl::function(Inline, dynamic(ROUNDS, NR))]
fn pass_on(
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
    round: usize,
    my_rank: usize,
    nranks: usize,
) {
    let right = (my_rank + 1) % nranks;
    let left = (my_rank + nranks - 1) % nranks;
    pld::system::notify(signal, peer = right, offsets = [round, my_rank], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [round, left], expected = 1, cmp = pld::WaitCmp::Ge);
}

/// A ring in which only neighbours signal each other.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn neighbours_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    stage(x, data);
    for step in 0..nranks - 1 {
        pass_on(signal, step, my_rank, nranks);
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    for step in 0..nranks - 1 {
        pass_on(signal, nranks - 1 + step, my_rank, nranks);
        copy_segment(data, left, nranks, (my_rank + nranks - step) % nranks);
    }
    take(data, y);
}

/// What the two rings cost.
fn compare() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3])?;
    let (x, mut y) = (counting(4, 64), Array3::zeros((4, 1, 64)));
    let (data, signal) = (world.window::<f32>([1, 64])?, world.window::<i32>(rows(4))?);
    let mut stages = |step: Step| -> Result<Vec<Stage>, Error> {
        world.compile(x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal)))
    };
    let (barriers, neighbours) = (stages(ring_step)?, stages(neighbours_step)?);
    Ok(comparison(&[("barriers", &barriers), ("neighbours", &neighbours)]))
}

/// All rounds meet on one row, and wait for 1.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn one_row(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    stage(x, data);
    for step in 0..nranks - 1 {
        meet_in_round(signal, 0, my_rank, nranks);
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    for step in 0..nranks - 1 {
        meet_in_round(signal, 0, my_rank, nranks);
        copy_segment(data, left, nranks, (my_rank + nranks - step) % nranks);
    }
    take(data, y);
}

/// One barrier after staging, none in the rounds.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn no_barriers(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    stage(x, data);
    meet_in_round(signal, 0, my_rank, nranks);
    for step in 0..nranks - 1 {
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    for step in 0..nranks - 1 {
        copy_segment(data, left, nranks, (my_rank + nranks - step) % nranks);
    }
    take(data, y);
}

/// The first P - 1 rounds only.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn first_half(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    stage(x, data);
    for step in 0..nranks - 1 {
        meet_in_round(signal, step, my_rank, nranks);
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    take(data, y);
}

/// The second phase goes on as the first did: it takes segments that the left neighbour has not got whole.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn wrong_segment(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    stage(x, data);
    for step in 0..nranks - 1 {
        meet_in_round(signal, step, my_rank, nranks);
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    for step in 0..nranks - 1 {
        meet_in_round(signal, nranks - 1 + step, my_rank, nranks);
        copy_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    take(data, y);
}

/// The left neighbour of rank 0 is rank -1.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn below_zero(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let left = (my_rank - 1) % nranks;
    stage(x, data);
    for step in 0..nranks - 1 {
        meet_in_round(signal, step, my_rank, nranks);
        add_segment(data, left, nranks, (left + nranks - step) % nranks);
    }
    take(data, y);
}
