//! Remote load and store: rank r reads a row of its right neighbour, writes one into its window, and adds one to a total on every rank.
//!
//! ```text
//! cargo run --release --example 05_remote_load_store -- -p a2a3sim -d 0,1
//! cargo run --release --example 05_remote_load_store -- -d 0-3 --emit cost
//! ```
//! The walkthrough is in `docs/tutorial/05-remote-load-store.md`.

use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};
use std::process::ExitCode;

/// The most elements of a row that a tile of this example holds.
const PIECE: usize = 4_096;

/// The rows of the window: my own, the one that my left neighbour writes, and the one that all ranks add to. The cell of the signal with the
/// same number says that it is there.
const MINE: usize = 0;
const INBOX: usize = 1;
const TOTAL: usize = 2;

/// Pulls the row of the right neighbour, pushes the own row to it, and adds the own row to the total of every rank.
#[pl::function(InCore, dynamic(SIZE))]
pub fn exchange(
    x: pl::Tensor<i32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<i32, { [3, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [3, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [3, 1] }>>,
) -> pl::Tensor<i32, { [3, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let right = (my_rank + 1) % nranks;
    let left = (my_rank + nranks - 1) % nranks;

    // Pull: what I stage is read by my left neighbour, and I read what my right neighbour has staged.
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        data = pl::store(pl::load(x, [0, at], [1, n]), [MINE, at], data);
    }
    pld::system::notify(signal, peer = left, offsets = [MINE, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [MINE, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        let theirs = pld::tile::remote_load(data, peer = right, offsets = [MINE, at], shape = [1, n]);
        y = pl::store(theirs, [MINE, at], y);
    }

    // Push: I write into my right neighbour's window, and my left neighbour writes into mine.
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        pld::tile::remote_store(pl::load(x, [0, at], [1, n]), data, peer = right, offsets = [INBOX, at]);
    }
    pld::system::notify(signal, peer = right, offsets = [INBOX, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [INBOX, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        y = pl::store(pl::load(data, [INBOX, at], [1, n]), [INBOX, at], y);
    }

    // Add: every rank adds into the same row of every rank, its own included. The row is complete when all have said so.
    for peer in 0..nranks {
        for at in pl::range(0, SIZE, PIECE) {
            let n = pl::min(PIECE, SIZE - at);
            let mine = pl::load(x, [0, at], [1, n]);
            pld::tile::remote_store(mine, data, peer = peer, offsets = [TOTAL, at], atomic = pld::AtomicType::Add);
        }
        pld::system::notify(signal, peer = peer, offsets = [TOTAL, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    }
    pld::system::wait(signal, offsets = [TOTAL, 0], expected = nranks as i32, cmp = pld::WaitCmp::Ge);
    for at in pl::range(0, SIZE, PIECE) {
        let n = pl::min(PIECE, SIZE - at);
        y = pl::store(pl::load(data, [TOTAL, at], [1, n]), [TOTAL, at], y);
    }
    y
}

pub(crate) const PROGRAM: Program = Program::new(
    "05_remote_load_store",
    "Remote load and store: every rank pulls a row, pushes a row, and adds a row to a total",
)
.input("x", DType::I32, "[P, 1, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
.output("y", DType::I32, "[P, 3, SIZE]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x: Array3<i32> = session.input(p)?.map_or_else(|| array((p, 1, 64), |(r, _, i)| (100 * r + i) as i32), Ok)?;
    let size = x.len_of(Axis(2));
    let mut y = Array3::zeros((p, 3, size));

    let data = world.window::<i32>([3, size])?;
    let signal = world.window::<i32>([3, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |_mode| world.compile(calls(&x, &mut y, &data, &signal)));
    }
    session.launch(&world, calls(&x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    session.judge(golden(&x)?.check(y.view()))
}

/// One call per rank.
pub fn calls<'a>(
    x: &'a Array3<i32>,
    y: &'a mut Array3<i32>,
    data: &'a Window<i32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| exchange(x, y, data, signal))
}

/// y[r] is the row of the right neighbour, that of the left neighbour, and the sum of all.
pub fn golden(x: &Array3<i32>) -> Result<Golden<'_, i32>, Failure> {
    let (p, _, size) = x.dim();
    let total = x.fold_axis(Axis(0), 0i32, |sum, x| sum.wrapping_add(*x));
    let rows = array((p, 3, size), |(r, row, i)| match row {
        MINE => x[[(r + 1) % p, 0, i]],
        INBOX => x[[(r + p - 1) % p, 0, i]],
        _ => total[[0, i]],
    })?;
    Ok(Golden::exact("the neighbours' rows and the sum", rows))
}
