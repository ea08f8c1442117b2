//! Step 05: remote loads and stores, and what goes wrong with them.

use super::{seeded, until, warnings};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3};
use pl::{Call, Error, Window, World};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "loads_at_once" => until("that nothing wrote", |seed| launch(3, seed, loads_at_once)),
        "loads_at_once later" => until("race on", |seed| launch(3, seed, loads_at_once)),
        "tells_before" => until("race on", |seed| launch(3, seed, tells_before)),
        "all_write" => until("race on", |seed| launch(3, seed, all_write)),
        "counts_to_one" => until("would read", |seed| launch(3, seed, counts_to_one)),
        "past_the_last" => launch(3, 1, past_the_last),
        "past_the_row" => launch(3, 1, past_the_row),
        "adds_floats" => adds_floats(),
        _ => return None,
    })
}

/// A kernel of this page.
type Step = for<'a> fn(
    pl::ndarray::ArrayView2<'a, i32>,
    pl::ndarray::ArrayViewMut2<'a, i32>,
    &'a Window<i32>,
    &'a Window<i32>,
) -> Call<'a>;

fn launch(p: usize, seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let (data, signal) = (world.window::<i32>([1, 4])?, world.window::<i32>([1, 1])?);
    let x = Array3::from_shape_fn((p, 1, 4), |(rank, _, i)| (10 * rank + i) as i32);
    let mut y = Array3::zeros((p, 1, 4));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(format!("{y}\n"))
}

/// Nothing says that the right neighbour has stored its row.
#[pl::function(InCore)]
fn loads_at_once(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    let theirs = pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]);
    pl::store(theirs, [0, 0], y);
}

/// The row is pushed after the signal that says that it is there.
#[pl::function(InCore)]
fn tells_before(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    let mine = pl::load(x, [0, 0], [1, 4]);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::tile::remote_store(mine, data, peer = right, offsets = [0, 0]);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// Every rank writes into the same row of rank 0, and none adds.
#[pl::function(InCore)]
fn all_write(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let mine = pl::load(x, [0, 0], [1, 4]);
    pld::tile::remote_store(mine, data, peer = 0, offsets = [0, 0]);
    pl::store(mine, [0, 0], y);
}

/// The sum is read when one rank has added, and not all.
#[pl::function(InCore)]
fn counts_to_one(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let mine = pl::load(x, [0, 0], [1, 4]);
    for peer in 0..pld::nranks(pld::get_comm_ctx(data)) {
        pld::tile::remote_store(mine, data, peer = peer, offsets = [0, 0], atomic = pld::AtomicType::Add);
        pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    }
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// The last rank has no rank to its right.
#[pl::function(InCore)]
fn past_the_last(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let right = pld::rank(pld::get_comm_ctx(data)) + 1;
    let mine = pl::load(x, [0, 0], [1, 4]);
    pld::tile::remote_store(mine, data, peer = right, offsets = [0, 0]);
    pl::store(mine, [0, 0], y);
}

/// The tile does not fit behind the offset.
#[pl::function(InCore)]
fn past_the_row(
    x: pl::Tensor<i32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<i32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<i32, { [1, 4] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    let mine = pl::load(x, [0, 0], [1, 4]);
    pld::tile::remote_store(mine, data, peer = 0, offsets = [0, my_rank]);
    pl::store(mine, [0, 0], y);
}

/// Floats from several ranks are added into one row, and nothing says in which order.
#[pl::function(InCore, dynamic(NR))]
fn add_up(
    x: pl::Tensor<f32, { [1, 4] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tile::remote_store(
        pl::load(x, [0, 0], [1, 4]),
        data,
        peer = 0,
        offsets = [0, 0],
        atomic = pld::AtomicType::Add,
    );
    pld::tensor::barrier(signal);
}

/// What two interleavings give, and what the report says of it.
fn adds_floats() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (data, signal) = (world.window::<f32>([1, 4])?, world.window::<i32>([3, 1])?);
    let x = [1.0e8, 1.0, -1.0e8].map(|v| Array2::from_elem((1, 4), v));
    let mut text = String::new();
    let mut sums = vec![];
    for seed in 0..64 {
        let report = world.launch_with(seeded(seed), x.iter().map(|x| add_up(x.view(), &data, &signal)))?;
        let sum = data.to_array(0)?[[0, 0]];
        if !sums.contains(&sum) {
            sums.push(sum);
            text += &format!("the sum is {sum}\n");
        }
        if seed == 63 {
            // As the examples print it.
            text += &warnings(&report);
        }
        world.reset(&data)?;
    }
    Ok(text)
}
