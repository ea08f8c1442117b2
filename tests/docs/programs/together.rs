//! Step 16: what goes wrong where collectives meet.

use super::{seeded, until};
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};
use pl_examples_cli::Mode;

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/16_putting_it_together.rs"]
mod example;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "steps_alone" => launch_steps_alone(),
        "generation_reused" => until("race on", launch_generation_reused),
        "own_first" => launch_own_first(),
        "another_order" => launch_another_order(),
        "train_twice by hand" => launch_twice(false, false),
        "train_twice by hand, reset" => launch_twice(false, true),
        "train_twice builtin" => launch_twice(true, false),
        "halves" => launch_halves([[0, 2], [1, 3]]),
        "halves_overlap" => launch_halves([[0, 1], [1, 2]]),
        "from_the_host" => from_the_host(),
        _ => return None,
    })
}

const RATE: f32 = 0.125;

/// The gradients are not summed.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn steps_alone(
    x: pl::Tensor<f32, { [3, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    mut errors: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    mine: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let my_rank = pld::rank(pld::get_comm_ctx(weights));
    if my_rank == 0 {
        weights = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], weights);
    }
    weights = pld::tensor::broadcast(weights, signal, root = 0);
    let w = pl::load(weights, [0, 0], [1, SIZE]);
    let sample = pl::load(x, [1, 0], [1, SIZE]);
    let target = pl::load(x, [2, 0], [1, SIZE]);
    let gradient = (w * sample - target) * sample;
    pl::store((w - gradient * RATE) * sample - target, [0, 0], mine);
    errors = pld::tensor::allgather(mine, errors, signal);
    pld::tensor::get(y, peer = my_rank, src = errors, chunk_rows = 1, chunk_cols = 4096)
}

fn launch_steps_alone() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (weights, mine) = (world.window::<f32>([1, 64])?, world.window::<f32>([1, 64])?);
    let (errors, signal) = (world.window::<f32>([3, 64])?, world.window::<i32>([3, 1])?);
    let x = Array3::from_shape_fn((3, 3, 64), example::sample);
    let mut y = Array3::zeros((3, 3, 64));
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    world.launch(calls.map(|(x, y)| steps_alone(x, y, &weights, &errors, &mine, &signal)))?;
    Ok(super::checked(example::golden(&x).unwrap().check(y.view())))
}

/// One barrier of the kernel.
#[pl::function(Inline, dynamic(NR))]
fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// The second barrier waits for what the first has left.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn generation_reused(
    mut weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    mut grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
) {
    let ctx = pld::get_comm_ctx(weights);
    if pld::rank(ctx) == 0 {
        weights = pl::store(pl::full::<f32>([1, SIZE], 1.0), [0, 0], weights);
    }
    meet(signal, 1);
    let w = pld::tile::remote_load(weights, peer = 0, offsets = [0, 0], shape = [1, SIZE]);
    grads = pl::store(w, [0, 0], grads);
    meet(signal, 1);
    let mut sum = pld::tile::remote_load(grads, peer = 0, offsets = [0, 0], shape = [1, SIZE]);
    for peer in 1..pld::nranks(ctx) {
        sum += pld::tile::remote_load(grads, peer = peer, offsets = [0, 0], shape = [1, SIZE]);
    }
    pl::store(sum, [0, 0], y);
}

fn launch_generation_reused(seed: u64) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    // Data from the start, as after an earlier step.
    let (weights, grads) = (world.zeros::<f32>([1, 64])?, world.zeros::<f32>([1, 64])?);
    let signal = world.window::<i32>([3, 1])?;
    let mut y = Array3::zeros((3, 1, 64));
    world.launch_with(seeded(seed), y.outer_iter_mut().map(|y| generation_reused(&weights, &grads, &signal, y)))?;
    Ok("OK\n".into())
}

/// Every rank begins its sum with its own term.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn own_first(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(grads);
    let my_rank = pld::rank(ctx);
    let mut sum = pl::load(x, [0, 0], [1, SIZE]);
    grads = pl::store(sum, [0, 0], grads);
    pld::tensor::barrier(signal);
    for peer in 0..pld::nranks(ctx) {
        if peer != my_rank {
            sum += pld::tile::remote_load(grads, peer = peer, offsets = [0, 0], shape = [1, SIZE]);
        }
    }
    pl::store(sum, [0, 0], y);
}

fn launch_own_first() -> Result<String, Error> {
    use pl_examples_cli::golden::Golden;
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (grads, signal) = (world.window::<f32>([1, 64])?, world.window::<i32>([3, 1])?);
    let x = Array3::from_shape_fn((3, 1, 64), |(r, _, i)| 0.1 + 0.7 * r as f32 + 0.3 * i as f32);
    let mut y = Array3::zeros((3, 1, 64));
    world.launch(x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| own_first(x, y, &grads, &signal)))?;
    Ok(super::checked(Golden::reduce(x.view(), pld::ReduceOp::Sum).on_every_rank(3).check(y.view())))
}

/// Two collectives, in an order that each rank is told by the host.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn another_order(
    mut weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    mut grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    weights_first: bool,
) {
    if weights_first {
        weights = pld::tensor::broadcast(weights, signal, root = 0);
        grads = pld::tensor::allreduce(grads, signal);
    } else {
        grads = pld::tensor::allreduce(grads, signal);
        weights = pld::tensor::broadcast(weights, signal, root = 0);
    }
}

fn launch_another_order() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (weights, grads) = (world.zeros::<f32>([1, 64])?, world.zeros::<f32>([1, 64])?);
    let signal = world.window::<i32>([3, 1])?;
    let calls = (0..3).map(|rank| another_order(&weights, &grads, &signal, rank != 1));
    world.launch_with(seeded(1), calls)?;
    Ok("OK\n".into())
}

/// Two steps on the same windows with nothing between, or with a signal as new.
fn launch_twice(builtin: bool, reset: bool) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (weights, grads) = (world.window::<f32>([1, 64])?, world.window::<f32>([1, 64])?);
    let (errors, signal) = (world.window::<f32>([3, 64])?, world.window::<i32>([3, 1])?);
    let x = Array3::from_shape_fn((3, 3, 64), example::sample);
    for _ in 0..2 {
        let mut y = Array3::zeros((3, 3, 64));
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| match builtin {
            true => example::builtin_step(x, y, &weights, &grads, &errors, &signal),
            false => example::hand_step(x, y, &weights, &grads, &errors, &signal),
        });
        world.launch_with(seeded(1), calls)?;
        if reset {
            world.reset(&signal)?;
        }
    }
    Ok("OK\n".into())
}

/// Two models, each on two of the ranks, in one launch.
fn launch_halves(ranks: [[usize; 2]; 2]) -> Result<String, Error> {
    let samples = [1.0, -2.0].map(|factor| Array3::from_shape_fn((2, 3, 64), |at| factor * example::sample(at)));
    let mut errors = [Array3::zeros((2, 2, 64)), Array3::zeros((2, 2, 64))];
    let world = World::open("a2a3sim", &[0, 1, 2, 3])?;
    let halves = [world.subset(&ranks[0])?, world.subset(&ranks[1])?];
    let mut windows = vec![];
    for half in &halves {
        let (weights, grads) = (half.window::<f32>([1, 64])?, half.window::<f32>([1, 64])?);
        windows.push(([weights, grads, half.window::<f32>([2, 64])?], half.window::<i32>([2, 1])?));
    }
    let launches = halves.iter().zip(&windows).zip(samples.iter().zip(&mut errors));
    World::launch_together(launches.map(|((half, (windows, signal)), (x, y))| {
        (half, example::calls(Mode::Builtin, x, y, windows.each_ref(), signal))
    }))?;
    let verdicts = samples.iter().zip(&errors);
    Ok(verdicts.map(|(x, y)| super::checked(example::golden(x).unwrap().check(y.view()))).collect())
}

/// A collective without a kernel.
fn from_the_host() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3])?;
    let models = world.window_from(&Array3::from_shape_fn((4, 1, 4), |(r, _, i)| (10 * r + i) as f32))?;
    world.allreduce(&models, pld::ReduceOp::Sum)?;
    Ok(format!("{}\n", models.rank(3)?.view()))
}

/// What the page says of `world.reset`.
#[test]
fn a_signal_as_new_is_enough() {
    assert_eq!(super::run("train_twice by hand, reset").unwrap(), "OK\n");
}
