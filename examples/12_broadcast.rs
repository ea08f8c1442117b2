//! Broadcast: one rank has a row, every rank leaves with it.
//!
//! ```text
//! cargo run --release --example 12_broadcast -- -p a2a3sim -d 0,1
//! cargo run --release --example 12_broadcast -- -d 0-3 --mode builtin --root last
//! cargo run --release --example 12_broadcast -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/12-broadcast.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// The most elements that a transfer of this example holds in tile memory.
const PIECE: usize = 4_096;

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

/// The root stages its row, the others fetch it between two barriers.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Phase 1: the root stages its row.
    if my_rank == root {
        pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);
    }

    // Phase 2: ready. The row is there.
    meet(signal, my_rank, nranks, 1);

    // Phase 3: every other rank copies the root's window into its own.
    if my_rank != root {
        data = pld::tensor::get(data, peer = root, src = data, chunk_cols = PIECE);
    }

    // Phase 4: done. Everybody has it, and the root may stage the next.
    meet(signal, my_rank, nranks, 2);

    pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = PIECE)
}

/// The same with the builtin in place of phases 2 to 4.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);

    if my_rank == root {
        pld::tensor::put(data, peer = my_rank, src = x, chunk_cols = PIECE);
    }

    data = pld::tensor::broadcast(data, signal, root = root);

    pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = PIECE)
}

pub(crate) const PROGRAM: Program =
    Program::new("12_broadcast", "Broadcast: one rank has a row, every rank leaves with it")
        .modes()
        .choice("root", "Which rank has the row", &[("first", "Rank 0"), ("last", "Rank P - 1")])
        .input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
        .output("y", DType::F32, "[P, 1, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let root = if session.choice("root") == "last" { p - 1 } else { 0 };
    let x = session.input(p)?.map_or_else(|| array((p, 1, 64), |(r, _, i)| (100 * r + i) as f32), Ok)?;
    let size = x.dim().2;
    let mut y = Array3::zeros(x.dim());

    let data = world.window::<f32>([1, size])?;
    let signal = world.window::<i32>([p, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |mode| world.compile(calls(mode, &x, &mut y, &data, &signal, root)));
    }
    session.launch(&world, calls(session.mode(), &x, &mut y, &data, &signal, root))?;

    session.output(y.view())?;
    session.judge(golden(&x, root)?.check(y.view()))
}

/// One call per rank.
pub fn calls<'a>(
    mode: Mode,
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    data: &'a Window<f32>,
    signal: &'a Window<i32>,
    root: usize,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| match mode {
        Mode::Hand => hand_step(x, y, data, signal, root),
        Mode::Builtin => builtin_step(x, y, data, signal, root),
    })
}

/// Every rank has the root's row.
pub fn golden(x: &Array3<f32>, root: usize) -> Result<Golden<'_, f32>, Failure> {
    let rows = array(x.dim(), |(_, _, i)| x[[root, 0, i]])?;
    Ok(Golden::exact("the root's row on every rank", rows).mistake(
        "every rank has its own row",
        "fetch the root's window: `peer = root`",
        || Golden::exact("its own row", x.clone()),
    ))
}
