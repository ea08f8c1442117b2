//! Putting it together: one step of training with the samples spread over the ranks. Broadcast, allreduce and allgather in one kernel.
//!
//! ```text
//! cargo run --release --example 16_putting_it_together -- -p a2a3sim -d 0,1
//! cargo run --release --example 16_putting_it_together -- -d 0-3 --mode builtin
//! cargo run --release --example 16_putting_it_together -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/16-putting-it-together.md`.

use pl::distributed as pld;
use pl::ndarray::{Array3, Axis, s};
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// The most elements of a row that a tile of this example holds.
const PIECE: usize = 4_096;

/// The rank that has the weights, and how far a step goes.
const ROOT: usize = 0;
const RATE: f32 = 0.125;

/// The rows of a rank's input: the weights, of which only the root's count, and its own samples and targets.
const WEIGHTS: usize = 0;
const SAMPLES: usize = 1;
const TARGETS: usize = 2;

/// A barrier, by hand. It is the `generation`-th of the kernel.
#[pl::function(Inline, dynamic(NR))]
fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, my_rank: usize, nranks: usize, generation: i32) {
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// The root's weights, staged for the others.
#[pl::function(Inline, dynamic(SIZE))]
fn stage_weights(
    x: pl::Tensor<f32, { [3, SIZE] }>,
    weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    my_rank: usize,
) {
    if my_rank == ROOT {
        pld::tensor::put(
            weights,
            peer = my_rank,
            src = x,
            dst_offsets = [0, 0],
            src_offsets = [WEIGHTS, 0],
            shape = [1, SIZE],
            chunk_cols = PIECE,
        );
    }
}

/// The gradient of the own samples, `(w x - t) x`.
#[pl::function(Inline, dynamic(SIZE))]
fn stage_gradient(
    x: pl::Tensor<f32, { [3, SIZE] }>,
    weights: pld::DistributedTensor<f32, { [1, SIZE] }>,
    mut grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
) {
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        let sample = pl::load(x, [SAMPLES, at], [1, n]);
        let error = pl::load(weights, [0, at], [1, n]) * sample - pl::load(x, [TARGETS, at], [1, n]);
        grads = pl::store(error * sample, [0, at], grads);
    }
}

/// By hand: three collectives with one barrier each. A sum of gradients goes from tile to tile and into no window.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [3, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    errors: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(weights);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Broadcast the weights.
    stage_weights(x, weights, my_rank);
    meet(signal, my_rank, nranks, 1);
    if my_rank != ROOT {
        weights = pld::tensor::get(weights, peer = ROOT, src = weights, chunk_cols = PIECE);
    }

    // Stage the gradient of my samples.
    stage_gradient(x, weights, grads);
    meet(signal, my_rank, nranks, 2);

    // Piece by piece: sum the gradients of all ranks, in rank order; step; push my errors to everyone.
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        let mut sum = pld::tile::remote_load(grads, peer = 0, offsets = [0, at], shape = [1, n]);
        for peer in 1..nranks {
            sum += pld::tile::remote_load(grads, peer = peer, offsets = [0, at], shape = [1, n]);
        }
        let stepped = pl::load(weights, [0, at], [1, n]) - sum * RATE;
        let error = stepped * pl::load(x, [SAMPLES, at], [1, n]) - pl::load(x, [TARGETS, at], [1, n]);
        for peer in 0..nranks {
            pld::tile::remote_store(error, errors, peer = peer, offsets = [my_rank, at]);
        }
    }
    meet(signal, my_rank, nranks, 3);

    pld::tensor::get(y, peer = my_rank, src = errors, chunk_rows = 1, chunk_cols = PIECE)
}

/// The same of three builtins, with one signal for all of them.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_step(
    x: pl::Tensor<f32, { [3, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut weights: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    mut grads: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    mut errors: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(weights);
    let my_rank = pld::rank(ctx);

    stage_weights(x, weights, my_rank);
    weights = pld::tensor::broadcast(weights, signal, root = ROOT);

    stage_gradient(x, weights, grads);
    grads = pld::tensor::allreduce(grads, signal, op = pld::ReduceOp::Sum);

    // Step. My errors take the place of the sum, which is not needed any more.
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        let stepped = pl::load(weights, [0, at], [1, n]) - pl::load(grads, [0, at], [1, n]) * RATE;
        let error = stepped * pl::load(x, [SAMPLES, at], [1, n]) - pl::load(x, [TARGETS, at], [1, n]);
        grads = pl::store(error, [0, at], grads);
    }
    errors = pld::tensor::allgather(grads, errors, signal);

    pld::tensor::get(y, peer = my_rank, src = errors, chunk_rows = 1, chunk_cols = PIECE)
}

pub(crate) const PROGRAM: Program = Program::new(
    "16_putting_it_together",
    "Putting it together: one training step over all ranks' samples, of broadcast, allreduce and allgather",
)
.modes()
.input("x", DType::F32, "[P, 3, SIZE]", "SIZE is 64 and x[r] holds weights, samples and targets")
.output("y", DType::F32, "[P, P, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 3, 64), sample), Ok)?;
    let size = x.dim().2;
    let mut y = array((p, p, size), |_| 0.0)?;

    let (weights, grads) = (world.window::<f32>([1, size])?, world.window::<f32>([1, size])?);
    let errors = world.window::<f32>([p, size])?;
    let signal = world.window::<i32>([p, 1])?;
    let windows = [&weights, &grads, &errors];
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |mode| world.compile(calls(mode, &x, &mut y, windows, &signal)));
    }
    session.launch(&world, calls(session.mode(), &x, &mut y, windows, &signal))?;

    session.output(y.view())?;
    session.judge(golden(&x)?.check(y.view()))
}

/// The targets follow from weights that are 2 everywhere; the root begins with 0 to 3.
pub fn sample((r, row, i): (usize, usize, usize)) -> f32 {
    let sample = ((r + i) % 3) as f32 - 1.0;
    match row {
        WEIGHTS if r == ROOT => (i % 4) as f32,
        // Must not count.
        WEIGHTS => -100.0,
        SAMPLES => sample,
        _ => 2.0 * sample,
    }
}

/// One call per rank.
pub fn calls<'a>(
    mode: Mode,
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    [weights, grads, errors]: [&'a Window<f32>; 3],
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| match mode {
        Mode::Hand => hand_step(x, y, weights, grads, errors, signal),
        Mode::Builtin => builtin_step(x, y, weights, grads, errors, signal),
    })
}

/// Every rank has the errors of all ranks after the step, with the same bits, computed from all samples at once.
pub fn golden(x: &Array3<f32>) -> Result<Golden<'_, f32>, Failure> {
    let (p, _, size) = x.dim();
    let (samples, targets) = (x.slice(s![.., SAMPLES, ..]), x.slice(s![.., TARGETS, ..]));
    let weights = x.slice(s![ROOT, WEIGHTS, ..]);

    // In f32, the gradients one after the other in rank order; and with the own gradient only, which is a mistake.
    let grads = (&weights * &samples - targets) * samples;
    let sum = grads.outer_iter().skip(1).fold(grads.row(0).to_owned(), |sum, grad| sum + grad);
    let straight = (&weights - sum * RATE) * samples - targets;
    let of_own = (&weights - grads * RATE) * samples - targets;
    let of_own = array((p, p, size), |(_, s, i)| of_own[[s, i]])?;

    // In f64, and the magnitudes of all terms of an error: two, and two more for each gradient.
    let wide = |x: f32| f64::from(x);
    let (weights, samples, targets, rate) = (weights.mapv(wide), samples.mapv(wide), targets.mapv(wide), wide(RATE));
    let sum = ((&weights * &samples - &targets) * &samples).sum_axis(Axis(0));
    let value = (&weights - sum * rate) * &samples - &targets;
    let (weights, samples, targets) = (weights.mapv(f64::abs), samples.mapv(f64::abs), targets.mapv(f64::abs));
    let sum = ((&weights * &samples + &targets) * &samples).sum_axis(Axis(0));
    let magnitude = (weights + sum * rate) * samples + targets;
    let bound = magnitude * ((2 + 2 * p) as f64 * f64::from(f32::EPSILON));

    let golden = Golden::near("the errors of all ranks after the step", straight, value, bound).on_every_rank(p);
    Ok(golden.mistake(
        "every rank stepped by its own gradient",
        "sum the gradients of all ranks before the step: `pld::tensor::allreduce`",
        move || Golden::exact("", of_own.clone()),
    ))
}
