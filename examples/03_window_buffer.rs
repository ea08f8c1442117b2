//! Windows: memory that every rank has, that outlives launches, and that peers can reach.
//!
//! ```text
//! cargo run --release --example 03_window_buffer -- -d 0,1,2
//! cargo run --release --example 03_window_buffer -- -d 0,1,2 --emit cost
//! ```
//! The walkthrough is in `docs/tutorial/03-window-buffer.md`.

use pl::DType;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};
use std::process::ExitCode;

/// Adds x to the own part of the window.
#[pl::function(InCore, dynamic(SIZE))]
pub fn accumulate(x: pl::Tensor<f32, { [1, SIZE] }>, mut total: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>) {
    let sum = pl::load(total, [0, 0], [1, SIZE]) + pl::load(x, [0, 0], [1, SIZE]);
    total = pl::store(sum, [0, 0], total);
}

/// Copies the part of the right neighbour.
#[pl::function(InCore, dynamic(SIZE))]
pub fn read_right(y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>, total: pld::DistributedTensor<f32, { [1, SIZE] }>) {
    let ctx = pld::get_comm_ctx(total);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    let theirs = pld::tile::remote_load(total, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(theirs, [0, 0], y);
}

pub(crate) const PROGRAM: Program = Program::new(
    "03_window_buffer",
    "Windows: memory that every rank has, that outlives launches, and that peers can reach",
)
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
    let (_, rows, size) = x.dim();

    // One array per rank, of the same shape on all of them; its zeros are data.
    let total = world.zeros::<f32>([rows, size])?;
    if let Some(stage) = session.emit() {
        session.print_stage(stage, |_| world.compile(x.outer_iter().map(|x| accumulate(x, &total))))?;
        return session.print_stage(stage, |_| world.compile(y.outer_iter_mut().map(|y| read_right(y, &total))));
    }
    for _launch in 0..2 {
        session.launch(&world, x.outer_iter().map(|x| accumulate(x, &total)))?;
    }
    session.launch(&world, y.outer_iter_mut().map(|y| read_right(y, &total)))?;

    session.output(y.view())?;
    let right = array(x.dim(), |(r, row, i)| 2.0 * x[[(r + 1) % p, row, i]])?;
    session.judge(Golden::exact("twice the neighbour's numbers", right).check(y.view()))
}
