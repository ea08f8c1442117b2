//! AllGather: every rank brings a row and leaves with the rows of all ranks.
//!
//! ```text
//! cargo run --release --example 13_allgather -- -p a2a3sim -d 0,1
//! cargo run --release --example 13_allgather -- -d 0-3 --mode builtin
//! cargo run --release --example 13_allgather -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/13-allgather.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// The most elements that a transfer of this example holds in tile memory.
const PIECE: usize = 4_096;

/// Puts its row into the window of every rank, meets the others at a barrier, takes all rows out.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Phase 1: push my row into row my_rank of every rank, the own one included.
    for peer in 0..nranks {
        pld::tensor::put(
            data,
            peer = peer,
            src = x,
            dst_offsets = [my_rank, 0],
            src_offsets = [0, 0],
            shape = [1, SIZE],
            chunk_cols = PIECE,
        );
    }

    // Phase 2: barrier. When all have said that they have pushed, every row is here.
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..nranks {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }

    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = PIECE)
}

/// The same with the builtin in place of both phases.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);

    data = pld::tensor::allgather(x, data, signal);

    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = PIECE)
}

pub(crate) const PROGRAM: Program =
    Program::new("13_allgather", "AllGather: every rank brings a row and leaves with the rows of all ranks")
        .modes()
        .input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
        .output("y", DType::F32, "[P, P, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 1, 64), |(r, _, i)| (100 * r + i) as f32), Ok)?;
    let size = x.dim().2;
    let mut y = array((p, p, size), |_| 0.0)?;

    // Row r of every rank's window is for the row of rank r.
    let data = world.window::<f32>([p, size])?;
    let signal = world.window::<i32>([p, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |mode| world.compile(calls(mode, &x, &mut y, &data, &signal)));
    }
    session.launch(&world, calls(session.mode(), &x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    session.judge(golden(&x)?.check(y.view()))
}

/// One call per rank.
pub fn calls<'a>(
    mode: Mode,
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    data: &'a Window<f32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| match mode {
        Mode::Hand => hand_step(x, y, data, signal),
        Mode::Builtin => builtin_step(x, y, data, signal),
    })
}

/// Row s of every rank is the row that rank s brought.
pub fn golden(x: &Array3<f32>) -> Result<Golden<'_, f32>, Failure> {
    let (p, _, size) = x.dim();
    let rows = array((p, p, size), |(_, s, i)| x[[s, 0, i]])?;
    Ok(Golden::exact("the rows of all ranks, in their order", rows))
}
