//! ReduceScatter: every rank brings P chunks, rank r leaves with the sum of everyone's chunk r.
//!
//! ```text
//! cargo run --release --example 14_reduce_scatter -- -p a2a3sim -d 0,1
//! cargo run --release --example 14_reduce_scatter -- -p a2a3sim -d 0,1,2,3 --mode builtin
//! cargo run --release --example 14_reduce_scatter -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/14-reduce-scatter.md`.

use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};
use pl::{Call, DType, Window};
use pl_examples_cli::golden::reduce_scatter;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// Stages every chunk, meets the others at a barrier, sums its own chunk over the peers.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    // Phase 1: stage every chunk at its row, so that each peer can read it.
    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }

    // Phase 2: barrier. Notify every peer, wait for every peer.
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

    // Phase 3: reduce row my_rank. Begin with the own row, then add every peer's.
    let mut acc = pl::load(data, [my_rank, 0], [1, SIZE]);
    for peer in 0..nranks {
        if peer != my_rank {
            let recv = pld::tile::remote_load(data, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);
            acc = pl::add(acc, recv);
        }
    }
    pl::store(acc, [0, 0], y)
}

/// The same with the builtin in place of phases 2 and 3: row `my_rank` of the window is the reduced chunk.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_step(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }

    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);

    let acc = pl::load(data, [my_rank, 0], [1, SIZE]);
    pl::store(acc, [0, 0], y)
}

/// The most elements of a row that a kernel of this example holds in one tile.
const PIECE: usize = 16_384;

/// The same for rows that are longer than a tile may be: they are staged and taken out piece by piece. The builtin itself needs no
/// change, it works in chunks when it must.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_long_step(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);

    for c in 0..nranks {
        for at in pl::range(0, SIZE, PIECE) {
            let n = pl::min(PIECE, SIZE - at);
            let piece = pl::load(x, [0, c * SIZE + at], [1, n]);
            data = pl::store(piece, [c, at], data);
        }
    }

    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);

    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        let piece = pl::load(data, [my_rank, at], [1, n]);
        y = pl::store(piece, [0, at], y);
    }
    y
}

pub(crate) const PROGRAM: Program = Program::new(
    "14_reduce_scatter",
    "ReduceScatter: every rank brings P chunks, rank r leaves with the sum of everyone's chunk r",
)
.modes()
.input("x", DType::F32, "[P, 1, P * SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
.output("y", DType::F32, "[P, 1, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 1, p * 64), |(r, _, i)| (100 * r + i) as f32), Ok)?;
    let size = x.len_of(Axis(2)) / p;
    let mut y = Array3::zeros((p, 1, size));

    // Both modes share one window: row c of rank r holds rank r's chunk c.
    let data = world.window::<f32>([p, size])?;
    let signal = world.window::<i32>([p, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |mode| world.compile(calls(mode, &x, &mut y, &data, &signal)));
    }
    session.launch(&world, calls(session.mode(), &x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    session.judge(reduce_scatter(x.view()).check(y.view()))
}

/// One call per rank.
fn calls<'a>(
    mode: Mode,
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    data: &'a Window<f32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| match mode {
        Mode::Hand => hand_step(x, y, data, signal),
        Mode::Builtin if y.len() > PIECE => builtin_long_step(x, y, data, signal),
        Mode::Builtin => builtin_step(x, y, data, signal),
    })
}
