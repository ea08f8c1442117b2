//! AllReduce: every rank brings a vector, all leave with the reduction of all of them. What the programs 08 and 10 build by hand is one builtin,
//! with two modes and four reductions.
//!
//! ```text
//! cargo run --release --example 11_allreduce_reveal -- -p a2a3sim -d 0,1
//! cargo run --release --example 11_allreduce_reveal -- -p a2a3sim -d 0,1,2,3 --mode builtin --algorithm ring --op max
//! cargo run --release --example 11_allreduce_reveal -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/11-allreduce-reveal.md`.

pub mod allreduce;

use allreduce::{ring::meet_in_round, two_phase::meet};
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, DType, Error, Stage, Window, World};
use pl_examples_cli::golden;
use pl_examples_cli::{Done, Emit, Failure, Mode, Program, Session, array, comparison};
use pld::ReduceOp;
use std::process::ExitCode;

const SUM: i32 = ReduceOp::Sum.value();
const MAX: i32 = ReduceOp::Max.value();
const MIN: i32 = ReduceOp::Min.value();
const PROD: i32 = ReduceOp::Prod.value();

/// Two tiles, combined by the reduction whose number is `OP`. Of the branches only the one that is taken is compiled.
#[pl::function(Inline, dynamic(LEN))]
pub fn combine<const OP: i32>(
    a: pl::Tile<f32, { [1, LEN] }>,
    b: pl::Tile<f32, { [1, LEN] }>,
) -> pl::Tile<f32, { [1, LEN] }> {
    let mut both = a;
    if OP == SUM {
        both = pl::add(a, b);
    }
    if OP == MAX {
        both = pl::maximum(a, b);
    }
    if OP == MIN {
        both = pl::minimum(a, b);
    }
    if OP == PROD {
        both = pl::mul(a, b);
    }
    both
}

/// The most elements that a hand-rolled kernel holds in one tile.
const PIECE: usize = 16_384;

/// The mesh of program 08, for any reduction and vectors of any length.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_mesh<const OP: i32>(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);

    let nranks = pld::nranks(ctx);
    meet(signal, my_rank, nranks, 1);
    for at in pl::range(0, SIZE, PIECE) {
        let len = pl::min(PIECE, SIZE - at);
        let mut acc = pld::tile::remote_load(data, peer = 0, offsets = [0, at], shape = [1, len]);
        for peer in 1..nranks {
            let recv = pld::tile::remote_load(data, peer = peer, offsets = [0, at], shape = [1, len]);
            acc = combine::<OP>(acc, recv);
        }
        y = pl::store(acc, [0, at], y);
    }
    y
}

/// The ring of program 10, for any reduction. A segment must fit in a tile.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
pub fn hand_ring<const OP: i32>(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);

    let nranks = pld::nranks(ctx);
    let left = (my_rank + nranks - 1) % nranks;
    let steps = nranks - 1;
    for round in 0..2 * steps {
        // The segment that the left neighbour stored last: first what it adds up, then what is whole.
        let mut step = round;
        let mut newest = left;
        if round >= steps {
            step = round - steps;
            newest = my_rank;
        }
        let segment = (newest + nranks - step) % nranks;
        let start = segment * SIZE / nranks;
        let end = (segment + 1) * SIZE / nranks;
        meet_in_round(signal, round, my_rank, nranks);
        let mut acc = pld::tile::remote_load(data, peer = left, offsets = [0, start], shape = [1, end - start]);
        if round < steps {
            acc = combine::<OP>(acc, pl::load(data, [0, start], [1, end - start]));
        }
        data = pl::store(acc, [0, start], data);
    }
    y = pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = PIECE);
    y
}

/// The builtin in place of all that: the window of every rank becomes the reduction.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_mesh<const OP: i32>(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);

    data = pld::tensor::allreduce(data, signal, op = ReduceOp::from_int(OP), mode = "mesh");

    y = pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = PIECE);
    y
}

/// The same as a ring: what differs is the mode, and the shape of the signal.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
pub fn builtin_ring<const OP: i32>(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);

    data = pld::tensor::allreduce(data, signal, op = ReduceOp::from_int(OP), mode = "ring");

    y = pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = PIECE);
    y
}

pub(crate) const PROGRAM: Program = Program::new(
    "11_allreduce_reveal",
    "AllReduce: every rank brings a vector, all leave with the reduction of all of them",
)
.modes()
.compares()
.choice(
    "algorithm",
    "How the ranks go about it",
    &[("mesh", "Every rank reads from all others"), ("ring", "Every rank reads from its left neighbour")],
)
.choice(
    "op",
    "The reduction",
    &[("sum", "The sum"), ("max", "The largest"), ("min", "The smallest"), ("prod", "The product")],
)
.input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 64 and x[r] repeats 1 to 7, beginning at 1 + r % 7")
.output("y", DType::F32, "[P, 1, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

/// A kernel: x, y, the window for the data, and the signal.
type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

fn step(op: ReduceOp, ring: bool, mode: Mode) -> Step {
    fn with<const OP: i32>(ring: bool, mode: Mode) -> Step {
        match (ring, mode) {
            (false, Mode::Hand) => hand_mesh::<OP>,
            (false, Mode::Builtin) => builtin_mesh::<OP>,
            (true, Mode::Hand) => hand_ring::<OP>,
            (true, Mode::Builtin) => builtin_ring::<OP>,
        }
    }
    match op {
        ReduceOp::Sum => with::<SUM>(ring, mode),
        ReduceOp::Max => with::<MAX>(ring, mode),
        ReduceOp::Min => with::<MIN>(ring, mode),
        ReduceOp::Prod => with::<PROD>(ring, mode),
    }
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let ring = session.choice("algorithm") == "ring";
    let op = match session.choice("op") {
        "max" => ReduceOp::Max,
        "min" => ReduceOp::Min,
        "prod" => ReduceOp::Prod,
        _ => ReduceOp::Sum,
    };
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 1, 64), |(r, _, i)| (1 + (r + i) % 7) as f32), Ok)?;
    let mut y = Array3::zeros(x.dim());
    if session.emit() == Some(Emit::Compare) {
        return compare(session, &world, op, &x, &mut y);
    }

    // Every rank's vector, where all reach it, and the cells in which they tell each other how far they are.
    let data = world.window::<f32>([1, x.dim().2])?;
    let signal = world.window::<i32>(signal_shape(ring, p))?;
    if let Some(stage) = session.emit() {
        return session
            .print_stage(stage, |mode| world.compile(calls(step(op, ring, mode), &x, &mut y, &data, &signal)));
    }
    session.launch(&world, calls(step(op, ring, session.mode()), &x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    session.judge(golden::allreduce(x.view(), op).check(y.view()))
}

/// A cell per rank for the mesh, and for the ring a row of them per round.
fn signal_shape(ring: bool, ranks: usize) -> [usize; 2] {
    if ring { [2 * (ranks - 1), ranks] } else { [ranks, 1] }
}

/// One call per rank.
fn calls<'a>(
    step: Step,
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    data: &'a Window<f32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| step(x, y, data, signal))
}

/// What the four kernels cost, side by side.
fn compare(
    session: &Session,
    world: &World,
    op: ReduceOp,
    x: &Array3<f32>,
    y: &mut Array3<f32>,
) -> Result<Done, Failure> {
    let data = world.window::<f32>([1, x.dim().2])?;
    let mut stages = |ring, mode| -> Result<Vec<Stage>, Error> {
        let signal = world.window::<i32>(signal_shape(ring, world.size()))?;
        world.compile(calls(step(op, ring, mode), x, y, &data, &signal))
    };
    session.print(&comparison(&[
        ("mesh, by hand", &stages(false, Mode::Hand)?),
        ("mesh, builtin", &stages(false, Mode::Builtin)?),
        ("ring, by hand", &stages(true, Mode::Hand)?),
        ("ring, builtin", &stages(true, Mode::Builtin)?),
    ]))?;
    Ok(Done::Emitted)
}
