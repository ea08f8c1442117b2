//! Step 15: what goes wrong in an all-to-all, and in one with counts.

use super::{seeded, until};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3};
use pl::{Call, Error, Window, World};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/15_all_to_all.rs"]
mod example;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "same_row_to_all" => launch(1, same_row_to_all),
        "into_its_own_window" => launch(1, into_its_own_window),
        "exchange_again" => until("race on", |seed| launch(seed, exchange_again)),
        "in_place" => launch_in_place(),
        "count_too_large" => launch_counts([[1, 3], [0, 2]], 0),
        "card_of_counts" => card_of_counts(),
        "past_the_count" => launch_counts([[1, 2], [0, 2]], 2),
        _ => return None,
    })
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
) -> Call<'a>;

/// One launch, checked as the example checks it.
fn launch(seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (data, signal) = (world.window::<f32>([3, 64])?, world.window::<i32>([3, 1])?);
    let x = Array3::from_shape_fn((3, 3, 64), |(r, s, i)| (1000 * r + 100 * s + i) as f32);
    let mut y = Array3::zeros((3, 3, 64));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(super::checked(example::golden(&x).unwrap().check(y.view())))
}

/// What goes to a peer is row `my_rank`, and not the row that is for it.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn same_row_to_all(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        pld::tensor::put(data, peer, x, [my_rank, 0], [my_rank, 0], [1, SIZE], chunk_cols = 4096);
    }
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096)
}

/// The rows are copied, and go nowhere.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn into_its_own_window(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [NR, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        pld::tensor::put(data, my_rank, x, [peer, 0], [peer, 0], [1, SIZE], chunk_cols = 4096);
    }
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096)
}

/// Two exchanges in a row, by hand.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn exchange_again(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    for _round in 0..2 {
        for peer in 0..pld::nranks(ctx) {
            pld::tensor::put(data, peer, x, [my_rank, 0], [peer, 0], [1, SIZE], chunk_cols = 4096);
        }
        pld::tensor::barrier(signal);
        y = pld::tensor::get(y, peer = my_rank, src = data, chunk_rows = 1, chunk_cols = 4096);
    }
}

/// The rows go from one window to another.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn from_window(
    input: pld::DistributedTensor<f32, { [NR, SIZE] }>,
    mut target: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    target = pld::tensor::all_to_all(input, target, signal);
}

/// One window for both.
fn launch_in_place() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (data, signal) = (world.zeros::<f32>([2, 64])?, world.window::<i32>([2, 1])?);
    world.launch((0..2).map(|_| from_window(&data, &data, &signal)))?;
    Ok("OK\n".into())
}

/// Blocks of ROWS rows of which some are sent; row `row` of what came from rank 0 goes to y, where it is one.
#[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
fn route(
    x: pl::Tensor<f32, { [NR * ROWS, SIZE] }>,
    counts: pl::Tensor<i32, { [NR, 1] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR * ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    arrived: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    rows: usize,
) {
    data = pld::tensor::all_to_all_v(x, data, signal, send_counts = counts, recv_counts = arrived);
    for row in 0..rows {
        pl::store(pl::load(data, [row, 0], [1, SIZE]), [0, 0], y);
    }
    pl::store(pl::full::<f32>([1, SIZE], 0.0), [0, 0], y);
}

/// What a rank receives, as far as the kernel without its data tells.
fn card_of_counts() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let data = world.window::<f32>([4, 8])?;
    let (signal, arrived) = (world.window::<i32>([2, 1])?, world.window::<i32>([2, 1])?);
    let (x, counts, mut y) = (Array2::ones((4, 8)), Array2::ones((2, 1)), Array3::zeros((2, 1, 8)));
    let calls = y.outer_iter_mut().map(|y| route(x.view(), counts.view(), y, &data, &signal, &arrived, 0));
    let stages = world.compile(calls)?;
    Ok(format!("bytes received  {}\n", stages[0].cost().bytes_received))
}

/// Two ranks with blocks of two rows. `counts[r]` is what rank r sends; every rank takes out so many rows of what rank 0 sent.
fn launch_counts(counts: [[i32; 2]; 2], rows: usize) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let data = world.window::<f32>([4, 8])?;
    let (signal, arrived) = (world.window::<i32>([2, 1])?, world.window::<i32>([2, 1])?);
    let x = Array2::ones((4, 8));
    let counts = counts.map(|row| Array2::from_shape_fn((2, 1), |(peer, _)| row[peer]));
    let mut y = Array3::zeros((2, 1, 8));
    let calls = counts.iter().zip(y.outer_iter_mut());
    let calls = calls.map(|(counts, y)| route(x.view(), counts.view(), y, &data, &signal, &arrived, rows));
    world.launch_with(seeded(1), calls)?;
    Ok("OK\n".into())
}
