//! The programming model: kernels on devices, functions that call kernels in sequence, functions of all devices. Every rank leaves with the
//! weighted sum of all vectors, that of rank r taken r + 1 times; the three levels are three ways to ask for it.
//!
//! ```text
//! cargo run --release --example 02_programming_model -- -p a2a3sim -d 0,1
//! cargo run --release --example 02_programming_model -- -d 0,1,2,3 --level kernels
//! cargo run --release --example 02_programming_model -- --level host --emit ir
//! ```
//! The walkthrough is in `docs/tutorial/02-programming-model.md`.

use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{DType, Stage, World, text};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Emit, Failure, Program, Session, array};
use pld::ReduceOp;
use std::process::ExitCode;

/// A kernel: copies the own vector to where the others reach it.
#[pl::function(InCore, dynamic(SIZE))]
pub fn stage(x: pl::Tensor<f32, { [SIZE] }>, data: pl::InOut<pld::DistributedTensor<f32, { [SIZE] }>>) {
    let tile = pl::load(x, [0], [SIZE]);
    pl::store(tile, [0], data);
}

/// A kernel: multiplies what stands in the window.
#[pl::function(InCore, dynamic(SIZE))]
pub fn weigh(data: pl::InOut<pld::DistributedTensor<f32, { [SIZE] }>>, weight: f32) {
    let tile = pl::load(data, [0], [SIZE]);
    pl::store(tile * weight, [0], data);
}

/// A kernel: copies back.
#[pl::function(InCore, dynamic(SIZE))]
pub fn fetch(data: pld::DistributedTensor<f32, { [SIZE] }>, y: pl::Out<pl::Tensor<f32, { [SIZE] }>>) {
    let tile = pl::load(data, [0], [SIZE]);
    pl::store(tile, [0], y);
}

/// One device: two kernels, one after the other.
#[pl::function(Orchestration, dynamic(SIZE))]
pub fn prepare(x: pl::Tensor<f32, { [SIZE] }>, data: pl::InOut<pld::DistributedTensor<f32, { [SIZE] }>>, weight: f32) {
    stage(x, data);
    weigh(data, weight);
}

/// All devices: a window, what each of them does, and what they do together.
#[pl::function(Host, dynamic(NR, SIZE))]
pub fn weighted_sum(x: pl::Tensor<f32, { [NR, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>) {
    let buffer = pld::alloc_window_buffer(SIZE * 4);
    let data = pld::window::<f32>(buffer, [SIZE]);
    for r in 0..pld::world_size() {
        prepare(x[r], data, (r + 1) as f32, device = r);
    }
    pld::tensor::allreduce(data, op = pld::ReduceOp::Sum);
    for r in 0..pld::world_size() {
        fetch(data, y[r], device = r);
    }
}

pub(crate) const PROGRAM: Program = Program::new(
    "02_programming_model",
    "The programming model: kernels, functions that call kernels in sequence, functions of all devices",
)
.choice(
    "level",
    "Which functions are called from Rust",
    &[
        ("host", "The Host function, which does all of it"),
        ("orchestration", "The Orchestration function, a launch for each step"),
        ("kernels", "The kernels, a launch for each of them"),
    ],
)
.input("x", DType::F32, "[P, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
.output("y", DType::F32, "[P, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 64), |(r, i)| (100 * r + i) as f32), Ok)?;
    let mut y = Array2::zeros(x.dim());
    if let Some(stage) = session.emit() {
        session.print(&emitted(session, stage, &world, &x, &mut y)?)?;
        return Ok(Done::Emitted);
    }

    if session.choice("level") == "host" {
        session.run(&world, weighted_sum(x.view(), y.view_mut()))?;
    } else {
        let data = world.window::<f32>([x.dim().1])?;
        if session.choice("level") == "orchestration" {
            session.launch(&world, (0..p).map(|r| prepare(x.row(r), &data, weight(r))))?;
        } else {
            session.launch(&world, (0..p).map(|r| stage(x.row(r), &data)))?;
            session.launch(&world, (0..p).map(|r| weigh(&data, weight(r))))?;
        }
        world.allreduce(&data, ReduceOp::Sum)?;
        session.launch(&world, y.outer_iter_mut().map(|y| fetch(&data, y)))?;
    }

    session.output(y.view())?;
    let terms = array(x.dim(), |(r, i)| x[[r, i]] * weight(r))?;
    session.judge(Golden::reduce(terms.view(), ReduceOp::Sum).on_every_rank(p).check(y.view()))
}

/// How often the vector of a rank is in the sum.
fn weight(rank: usize) -> f32 {
    (rank + 1) as f32
}

/// A stage of the functions of a level, and of the launches that come of them.
fn emitted(
    session: &Session,
    emit: Emit,
    world: &World,
    x: &Array2<f32>,
    y: &mut Array2<f32>,
) -> Result<String, Failure> {
    let p = world.size();
    let data = world.window::<f32>([x.dim().1])?;
    let last = |y: &mut Array2<f32>| world.compile(y.outer_iter_mut().map(|y| fetch(&data, y)));
    let launches: Vec<Vec<Stage>> = match session.choice("level") {
        "host" => {
            let stages = world.compile_host(weighted_sum(x.view(), y.view_mut()))?;
            if emit == Emit::Ir {
                return Ok(text::print(stages.ir()));
            }
            stages.launches.into_iter().map(|launch| launch.ranks).collect()
        }
        "orchestration" if emit == Emit::Ir => return Ok(prepare::ir().source()?),
        "orchestration" => vec![world.compile((0..p).map(|r| prepare(x.row(r), &data, weight(r))))?, last(y)?],
        _ => {
            let first = world.compile((0..p).map(|r| stage(x.row(r), &data)))?;
            vec![first, world.compile((0..p).map(|r| weigh(&data, weight(r))))?, last(y)?]
        }
    };
    let texts = launches.iter().map(|stages| session.show(emit, stages));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}
