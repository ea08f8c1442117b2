//! Step 06: puts and gets, and what goes wrong with them.

use super::{seeded, until};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3};
use pl::{Error, World};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "row_without_signal" => until("race on", row_without_signal),
        "staged_without_signal" => until("that nothing wrote", staged_without_signal),
        "one_row_too_many" => launch_one_row_too_many(),
        "chunks_too_large" => launch_chunks_too_large(),
        "overwrites_the_source" => launch_overwrites_the_source(),
        "all_add" => launch_all_add(),
        _ => return None,
    })
}

/// The row above is loaded as soon as it may be there, and not when it is.
#[pl::function(InCore, dynamic(ROWS, COLS))]
fn no_signal_of_the_row(
    x: pl::Tensor<f32, { [ROWS, COLS] }>,
    y: pl::Out<pl::Tensor<f32, { [1, COLS] }>>,
    block: pl::InOut<pld::DistributedTensor<f32, { [1, COLS] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(block);
    let below = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    pld::tensor::put(
        block,
        peer = below,
        src = x,
        dst_offsets = [0, 0],
        src_offsets = [ROWS - 1, 0],
        shape = [1, COLS],
        chunk_cols = 2048,
    );
    pl::store(pl::load(block, [0, 0], [1, COLS]), [0, 0], y);
    pld::system::notify(signal, peer = below, offsets = [1, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
}

fn row_without_signal(seed: u64) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (block, signal) = (world.zeros::<f32>([1, 16])?, world.window::<i32>([2, 1])?);
    let x = Array2::ones((6, 16));
    let mut y = Array3::zeros((2, 1, 16));
    let calls = y.outer_iter_mut().map(|y| no_signal_of_the_row(x.view(), y, &block, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(format!("{y}\n"))
}

/// The lower neighbour's block is fetched before it is staged.
#[pl::function(InCore, dynamic(ROWS, COLS))]
fn no_wait_for_the_block(
    x: pl::Tensor<f32, { [ROWS, COLS] }>,
    y: pl::Out<pl::Tensor<f32, { [ROWS, COLS] }>>,
    block: pl::InOut<pld::DistributedTensor<f32, { [ROWS, COLS] }>>,
) -> pl::Tensor<f32, { [ROWS, COLS] }> {
    let ctx = pld::get_comm_ctx(block);
    let below = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    pld::tensor::put(block, peer = pld::rank(ctx), src = x, chunk_rows = 4, chunk_cols = 2048);
    pld::tensor::get(y, peer = below, src = block, chunk_rows = 4, chunk_cols = 2048)
}

fn staged_without_signal(seed: u64) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let block = world.window::<f32>([6, 16])?;
    let x = Array2::ones((6, 16));
    let mut y = Array3::zeros((2, 6, 16));
    world.launch_with(seeded(seed), y.outer_iter_mut().map(|y| no_wait_for_the_block(x.view(), y, &block)))?;
    Ok(format!("{y}\n"))
}

/// The block goes one row too far down.
#[pl::function(InCore, dynamic(ROWS, COLS))]
fn one_row_too_many(
    x: pl::Tensor<f32, { [ROWS, COLS] }>,
    block: pl::InOut<pld::DistributedTensor<f32, { [ROWS + 2, COLS] }>>,
    first: usize,
) {
    pld::tensor::put(
        block,
        peer = pld::rank(pld::get_comm_ctx(block)),
        src = x,
        dst_offsets = [first, 0],
        src_offsets = [0, 0],
        shape = [ROWS, COLS],
        chunk_rows = 4,
        chunk_cols = 2048,
    );
}

fn launch_one_row_too_many() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let block = world.window::<f32>([8, 16])?;
    let x = Array2::ones((6, 16));
    world.launch_with(seeded(1), (0..2).map(|_| one_row_too_many(x.view(), &block, 3)))?;
    Ok("OK\n".into())
}

/// The pipeline of the example, with chunks of 16 rows.
#[pl::function(InCore, dynamic(ROWS, COLS))]
fn chunks_too_large(
    x: pl::Tensor<f32, { [ROWS, COLS] }>,
    block: pl::InOut<pld::DistributedTensor<f32, { [ROWS, COLS] }>>,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(block));
    pld::tensor::put(block, peer = my_rank, src = x, chunk_rows = 16, chunk_cols = 2048, pipeline = true);
}

fn launch_chunks_too_large() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let block = world.window::<f32>([64, 4096])?;
    let x = Array2::ones((64, 4096));
    world.launch_with(seeded(1), (0..2).map(|_| chunks_too_large(x.view(), &block)))?;
    Ok("OK\n".into())
}

/// What is put is overwritten by the next op, and arrives as it was.
#[pl::function(InCore, dynamic(NR))]
fn overwrites_the_source(
    y: pl::Out<pl::Tensor<f32, { [1, 16] }>>,
    mut mine: pl::InOut<pld::DistributedTensor<f32, { [1, 16] }>>,
    inbox: pl::InOut<pld::DistributedTensor<f32, { [1, 16] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(mine);
    let next = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    mine = pl::store(pl::full::<f32>([1, 16], 1.0), [0, 0], mine);
    pld::tensor::put(inbox, peer = next, src = mine);
    mine = pl::store(pl::full::<f32>([1, 16], 2.0), [0, 0], mine);
    pld::tensor::barrier(signal);
    pl::store(pl::load(inbox, [0, 0], [1, 16]) + pl::load(mine, [0, 0], [1, 16]), [0, 0], y);
}

fn launch_overwrites_the_source() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (mine, inbox) = (world.window::<f32>([1, 16])?, world.window::<f32>([1, 16])?);
    let signal = world.window::<i32>([3, 1])?;
    let mut y = Array3::<f32>::zeros((3, 1, 16));
    world.launch(y.outer_iter_mut().map(|y| overwrites_the_source(y, &mine, &inbox, &signal)))?;
    let text = if y.iter().all(|y| *y == 3.0) { "1 has arrived and 2 has stayed, on every rank" } else { "other" };
    Ok(format!("{text}\n"))
}

/// Every rank adds its block into rank 0's.
#[pl::function(InCore, dynamic(NR, ROWS, COLS))]
fn all_add(
    x: pl::Tensor<i32, { [ROWS, COLS] }>,
    block: pl::InOut<pld::DistributedTensor<i32, { [ROWS, COLS] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::put(block, peer = 0, src = x, atomic = pld::AtomicType::Add, chunk_rows = 4, chunk_cols = 2048);
    pld::tensor::barrier(signal);
}

fn launch_all_add() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (block, signal) = (world.window::<i32>([6, 16])?, world.window::<i32>([3, 1])?);
    let x = Array2::from_elem((6, 16), 7);
    world.launch((0..3).map(|_| all_add(x.view(), &block, &signal)))?;
    Ok(format!("{}\n", block.to_array(0)?[[5, 15]]))
}
