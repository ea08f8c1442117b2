//! Put and get: every rank has a block of a tall matrix and needs the row above it and the row below it, which its neighbours have.
//!
//! ```text
//! cargo run --release --example 06_put_get -- -p a2a3sim -d 0,1
//! cargo run --release --example 06_put_get -- -d 0-3 --emit cost
//! ```
//! The walkthrough is in `docs/tutorial/06-put-get.md`.

use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};
use std::process::ExitCode;

/// What a transfer of this example holds in tile memory at most: so many rows, of so many elements.
const CHUNK_ROWS: usize = 4;
const CHUNK_COLS: usize = 2_048;

/// Says that a block is staged, and that the row above it has arrived.
const STAGED: usize = 0;
const ABOVE: usize = 1;

/// Every element becomes the sum of itself and those above and below it. Rank 0 is below the last one.
///
/// Row 0 of the window is the row above the block, row ROWS + 1 the one below.
#[pl::function(InCore, dynamic(ROWS, COLS))]
pub fn stencil(
    x: pl::Tensor<f32, { [ROWS, COLS] }>,
    mut y: pl::Out<pl::Tensor<f32, { [ROWS, COLS] }>>,
    mut block: pl::InOut<pld::DistributedTensor<f32, { [ROWS + 2, COLS] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) -> pl::Tensor<f32, { [ROWS, COLS] }> {
    let ctx = pld::get_comm_ctx(block);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let below = (my_rank + 1) % nranks;
    let above = (my_rank + nranks - 1) % nranks;

    // Stage: the block goes between the two rows that are missing, and whoever is above may read of it.
    pld::tensor::put(
        block,
        peer = my_rank,
        src = x,
        dst_offsets = [1, 0],
        src_offsets = [0, 0],
        shape = [ROWS, COLS],
        chunk_rows = CHUNK_ROWS,
        chunk_cols = CHUNK_COLS,
        pipeline = true,
    );
    pld::system::notify(signal, peer = above, offsets = [STAGED, 0], value = 1, op = pld::NotifyOp::AtomicAdd);

    // Push: my last row is the row above my lower neighbour's block.
    pld::tensor::put_with_signal(
        block,
        peer = below,
        src = x,
        signal = signal,
        signal_offsets = [ABOVE, 0],
        value = 1,
        op = pld::NotifyOp::AtomicAdd,
        dst_offsets = [0, 0],
        src_offsets = [ROWS - 1, 0],
        shape = [1, COLS],
        chunk_cols = CHUNK_COLS,
    );

    // Pull: the first row of my lower neighbour's block is the row below mine.
    pld::system::wait(signal, offsets = [STAGED, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    block = pld::tensor::get(
        block,
        peer = below,
        src = block,
        dst_offsets = [ROWS + 1, 0],
        src_offsets = [1, 0],
        shape = [1, COLS],
        chunk_cols = CHUNK_COLS,
    );

    // Compute, once the row above is there too.
    pld::system::wait(signal, offsets = [ABOVE, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    for row in 0..ROWS {
        for at in pl::range(0, COLS, CHUNK_COLS) {
            let n = pl::min(CHUNK_COLS, COLS - at);
            let up = pl::load(block, [row, at], [1, n]);
            let here = pl::load(block, [row + 1, at], [1, n]);
            let down = pl::load(block, [row + 2, at], [1, n]);
            y = pl::store(up + here + down, [row, at], y);
        }
    }
    y
}

pub(crate) const PROGRAM: Program =
    Program::new("06_put_get", "Put and get: every rank fetches the rows above and below its block of a matrix")
        .input("x", DType::F32, "[P, ROWS, COLS]", "ROWS is 6, COLS is 16 and x[r] counts up from 100 r")
        .output("y", DType::F32, "[P, ROWS, COLS]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let count = |(r, i, j)| (100 * r + 16 * i + j) as f32;
    let x: Array3<f32> = session.input(p)?.map_or_else(|| array((p, 6, 16), count), Ok)?;
    let (_, rows, cols) = x.dim();
    let mut y = Array3::zeros(x.dim());

    let block = world.window::<f32>([rows + 2, cols])?;
    let signal = world.window::<i32>([2, 1])?;
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |_mode| world.compile(calls(&x, &mut y, &block, &signal)));
    }
    session.launch(&world, calls(&x, &mut y, &block, &signal))?;

    session.output(y.view())?;
    session.judge(golden(&x)?.check(y.view()))
}

/// One call per rank.
pub fn calls<'a>(
    x: &'a Array3<f32>,
    y: &'a mut Array3<f32>,
    block: &'a Window<f32>,
    signal: &'a Window<i32>,
) -> impl Iterator<Item = Call<'a>> {
    x.outer_iter().zip(y.outer_iter_mut()).map(move |(x, y)| stencil(x, y, block, signal))
}

/// The same of the whole matrix, whose rows are those of all ranks: each element is the sum of three.
pub fn golden(x: &Array3<f32>) -> Result<Golden<'_, f32>, Failure> {
    let (p, rows, cols) = x.dim();
    let row = |k: usize, j: usize| x[[k / rows % p, k % rows, j]];
    // Term 0 is the row above, and row -1 is the last.
    let terms = array((3, p, rows, cols), |(term, r, i, j)| row(r * rows + i + p * rows + term - 1, j))?;
    let sums = Golden::reduce(terms.view(), pld::ReduceOp::Sum);
    Ok(sums.called("the sum of each element and those above and below it"))
}
