//! Barrier: no rank goes on before every rank has arrived, by hand from notify and wait, and as a builtin.
//!
//! ```text
//! cargo run --release --example 04_barrier -- -d 0,1,2
//! cargo run --release --example 04_barrier -- -d 0,1,2 --mode builtin
//! cargo run --release --example 04_barrier -- --emit diff
//! ```
//! The walkthrough is in `docs/tutorial/04-barrier.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Mode, Program, Session, array};
use std::process::ExitCode;

/// The barrier number `generation` of a kernel, from 1.
#[pl::function(Inline, dynamic(NR))]
pub fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, generation: i32) {
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

/// Takes back the credits of `n` barriers, so that the signal is all zero when every rank has done so.
#[pl::function(Inline, dynamic(NR))]
pub fn clear(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, n: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::notify(signal, peer = my_rank, offsets = [src, 0], value = -n, op = pld::NotifyOp::AtomicAdd);
        }
    }
}

/// Rows move two ranks to the left: every rank reads its right neighbour's row, puts it in its own place, and reads again.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn hand_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);

    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    meet(signal, 1); // every row is there
    let first = pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    meet(signal, 2); // every row has been read
    data = pl::store(first, [0, 0], data);
    meet(signal, 3); // every row is the next one
    let second = pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(second, [0, 0], y);
    clear(signal, 3);
}

/// The same with the builtin.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn builtin_step(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);

    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    let first = pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    pld::tensor::barrier(signal);
    data = pl::store(first, [0, 0], data);
    pld::tensor::barrier(signal);
    let second = pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(second, [0, 0], y);
}

pub(crate) const PROGRAM: Program =
    Program::new("04_barrier", "Barrier: no rank goes on before every rank has arrived")
        .modes()
        .input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 8 and x[r] counts up from 100 r")
        .output("y", DType::F32, "[P, 1, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| array((p, 1, 8), |(r, _, i)| (100 * r + i) as f32), Ok)?;
    let mut y = Array3::zeros(x.dim());

    let data = world.window::<f32>([1, x.dim().2])?;
    let signal = world.window::<i32>([p, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |mode| world.compile(calls(mode, &x, &mut y, &data, &signal)));
    }
    // Twice: both leave the signal as they found it.
    for _launch in 0..2 {
        session.launch(&world, calls(session.mode(), &x, &mut y, &data, &signal))?;
    }

    session.output(y.view())?;
    let right = array(x.dim(), |(r, row, i)| x[[(r + 2) % p, row, i]])?;
    session.judge(Golden::exact("the row of the rank two to the right", right).check(y.view()))
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
        Mode::Builtin => builtin_step(x, y, data, signal),
    })
}
