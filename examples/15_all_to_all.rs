//! AllToAll: every rank brings a row for each rank and leaves with the row that each had for it.
//!
//! ```text
//! cargo run --release --example 15_all_to_all -- -p a2a3sim -d 0,1
//! cargo run --release --example 15_all_to_all -- -d 0-3 --mode builtin
//! cargo run --release --example 15_all_to_all -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/15-all-to-all.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// The most elements that a transfer of this example holds in tile memory.
const PIECE: usize = 4_096;

/// Puts row `peer` of its input into the window of that peer, meets the others at a barrier, takes what came out.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Phase 1: push what I have for each peer into row my_rank of its window.
    for peer in 0..nranks {
        pld::tensor::put(
            data,
            peer = peer,
            src = x,
            dst_offsets = [my_rank, 0],
            src_offsets = [peer, 0],
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
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);

    data = pld::tensor::all_to_all(x, data, signal);

    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = PIECE)
}

pub(crate) const PROGRAM: Program =
    Program::new("15_all_to_all", "AllToAll: every rank brings a row for each rank and leaves with those for itself")
        .modes()
        .input("x", DType::F32, "[P, P, SIZE]", "SIZE is 64 and x[r][s] counts up from 1000 r + 100 s")
        .output("y", DType::F32, "[P, P, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let count = |(r, s, i)| (1000 * r + 100 * s + i) as f32;
    let x: Array3<f32> = session.input(p)?.map_or_else(|| array((p, p, 64), count), Ok)?;
    let size = x.dim().2;
    let mut y = Array3::zeros(x.dim());

    // Row s of rank r's window is for what rank s has for rank r.
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

/// Row s of rank r is row r of rank s: the blocks, transposed.
pub fn golden(x: &Array3<f32>) -> Result<Golden<'_, f32>, Failure> {
    let rows = array(x.dim(), |(r, s, i)| x[[s, r, i]])?;
    Ok(Golden::exact("the row that each rank had for this one", rows)
        .mistake(
            "every rank sent the same row to all, its row `my_rank`",
            "what goes to `peer` is row `peer`: `src_offsets = [peer, 0]`",
            || Golden::exact("", Array3::from_shape_fn(x.dim(), |(_, s, i)| x[[s, s, i]])),
        )
        .mistake("every rank has its own rows", "put into the window of the peer: `peer = peer`", || {
            Golden::exact("", x.clone())
        }))
}
