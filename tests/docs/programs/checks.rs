//! What a run checks: for each kind of report a program that gives it. A program is called as the kind is, with `check-` before.

use super::{seeded, until, warnings};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3, arr2};
use pl::{Call, Error, Explore, Injection, LaunchOptions, Window, World, report};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    if name == "report-json" {
        return Some(
            until("race on", |seed| two(seed, race)).or_else(|error| Ok(format!("{:#}\n", report::json(&error)))),
        );
    }
    Some(match name.strip_prefix("check-")? {
        "race" => until("race on", |seed| two(seed, race)),
        "uninitialised" => until("nothing wrote", |seed| two(seed, uninitialised)),
        "out-of-bounds" => two(0, |data, _| out_of_bounds(data, 1)),
        "arithmetic" => two(0, |data, _| arithmetic(data)),
        "element-division" => launch_element_division(),
        "peer" => two(0, |_, signal| peer(signal)),
        "extents" => two(0, |data, _| extents(data, 4, 3)),
        "declared-type" => two(0, |data, _| declared_type(data, 3)),
        "tile-memory" => two(0, |data, _| tile_memory(data, 300)),
        "cell-overflow" => two(0, |_, signal| cell_overflow(signal)),
        "count" => launch_count(),
        "root" => two(0, |data, signal| root(data, signal, 2)),
        "collective" => two(0, collective),
        "deadlock" => two(0, |_, signal| deadlock(signal)),
        "livelock" => two(0, |_, signal| livelock(signal)),
        "op-budget" => launch_op_budget(),
        "differs" => launch_differs(),
        "interrupted" => launch_interrupted(),
        "credits" => two(0, credits),
        "stopped" => launch_stopped(),
        "set-overwrote" => two(0, |_, signal| set_overwrote(signal)),
        "set-add-mixed" => two(0, |_, signal| set_add_mixed(signal)),
        "stale-wait" => launch_stale_wait(),
        "out-unwritten" => launch_out_unwritten(),
        "order-dependent" => launch_order_dependent(),
        _ => return None,
    })
}

/// Launches a kernel on two ranks, with windows whose zeros are no data.
fn two(seed: u64, step: impl for<'w> Fn(&'w Window<f32>, &'w Window<i32>) -> Call<'w>) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (data, signal) = (world.window::<f32>([2, 4])?, world.window::<i32>([2, 1])?);
    let report = world.launch_with(seeded(seed), [step(&data, &signal), step(&data, &signal)])?;
    Ok(warnings(&report) + "OK\n")
}

#[pl::function(InCore)]
fn race(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let other = 1 - pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::full::<f32>([2, 4], 1.0), [0, 0], data);
    pld::system::notify(signal, peer = other, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    let theirs = pld::tile::remote_load(data, peer = other, offsets = [0, 0], shape = [1, 4]);
    data = pl::store(theirs, [0, 0], data);
}

#[pl::function(InCore)]
fn uninitialised(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let other = 1 - pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::full::<f32>([1, 4], 1.0), [0, 0], data);
    pld::tensor::barrier(signal);
    let theirs = pld::tile::remote_load(data, peer = other, offsets = [0, 0], shape = [2, 4]);
    data = pl::store(theirs, [0, 0], data);
}

#[pl::function(InCore)]
fn out_of_bounds(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, first: usize) {
    pl::store(pl::full::<f32>([2, 4], 1.0), [first, 0], data);
}

#[pl::function(InCore)]
fn arithmetic(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>) {
    let left = pld::rank(pld::get_comm_ctx(data)) - 1;
    pl::store(pl::full::<f32>([1, 4], 1.0), [left, 0], data);
}

#[pl::function(InCore)]
fn element_division(x: pl::Tensor<i32, { [1, 4] }>, y: pl::Out<pl::Tensor<i32, { [1, 4] }>>) {
    let t = pl::load(x, [0, 0], [1, 4]);
    pl::store(pl::full::<i32>([1, 4], 100) / t, [0, 0], y);
}

fn launch_element_division() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0])?;
    let (x, mut y) = (arr2(&[[1, 2, 0, 4]]), Array2::zeros((1, 4)));
    world.launch_with(seeded(0), [element_division(x.view(), y.view_mut())])?;
    Ok(format!("{y}\n"))
}

#[pl::function(InCore)]
fn peer(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let right = pld::rank(pld::get_comm_ctx(signal)) + 1;
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
}

#[pl::function(InCore)]
fn extents(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, n: usize, m: usize) {
    let a = pl::full::<f32>([1, n], 1.0);
    let b = pl::full::<f32>([1, m], 2.0);
    pl::store(a + b, [0, 0], data);
}

#[pl::function(InCore)]
fn declared_type(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, n: usize) {
    let row: pl::Tile<f32, { [1, 4] }> = pl::full::<f32>([1, n], 1.0);
    pl::store(row, [0, 0], data);
}

#[pl::function(InCore)]
fn tile_memory(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, n: usize) {
    let all = pl::full::<f32>([n, n], 1.0);
    pl::store(all, [0, 0], data);
}

#[pl::function(InCore)]
fn cell_overflow(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    for _ in 0..2 {
        pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 2000000000, op = pld::NotifyOp::AtomicAdd);
    }
}

#[pl::function(InCore)]
fn count(
    x: pl::Tensor<f32, { [4, 4] }>,
    counts: pl::Tensor<i32, { [2, 1] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    arrived: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    pld::tensor::all_to_all_v(x, data, signal, send_counts = counts, recv_counts = arrived);
}

fn launch_count() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let data = world.window::<f32>([4, 4])?;
    let (signal, arrived) = (world.window::<i32>([2, 1])?, world.window::<i32>([2, 1])?);
    let (x, counts) = (Array2::ones((4, 4)), arr2(&[[1], [3]]));
    let step = || count(x.view(), counts.view(), &data, &signal, &arrived);
    world.launch_with(seeded(0), [step(), step()])?;
    Ok("OK\n".into())
}

#[pl::function(InCore)]
fn root(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    from: usize,
) {
    data = pl::store(pl::full::<f32>([2, 4], 1.0), [0, 0], data);
    pld::tensor::broadcast(data, signal, root = from);
}

#[pl::function(InCore)]
fn collective(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::full::<f32>([2, 4], 1.0), [0, 0], data);
    pld::tensor::broadcast(data, signal, root = me);
}

#[pl::function(InCore)]
fn deadlock(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let other = 1 - pld::rank(pld::get_comm_ctx(signal));
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pld::system::notify(signal, peer = other, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
}

#[pl::function(InCore)]
fn livelock(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let other = 1 - pld::rank(pld::get_comm_ctx(signal));
    while pl::read(signal, [0, 0]) == 0 {}
    pld::system::notify(signal, peer = other, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
}

#[pl::function(InCore)]
fn op_budget(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>) {
    let mut left = 8;
    while left > 0 {
        pl::store(pl::full::<f32>([1, 4], 1.0), [0, 0], data);
        left = pl::max(left - 1, 1);
    }
}

fn launch_op_budget() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0])?;
    let data = world.window::<f32>([2, 4])?;
    world.launch_with(LaunchOptions { op_budget: 10_000, ..seeded(0) }, [op_budget(&data)])?;
    Ok("OK\n".into())
}

fn launch_interrupted() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let data = world.window::<f32>([2, 4])?;
    let options = LaunchOptions { interrupt: Some(Arc::new(AtomicBool::new(true))), ..seeded(0) };
    world.launch_with(options, [op_budget(&data), op_budget(&data)])?;
    Ok("OK\n".into())
}

#[pl::function(InCore)]
fn credits(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    pld::system::notify(signal, peer = 1 - me, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [1 - me, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    data = pl::store(pl::full::<f32>([2, 4], 1.0), [0, 0], data);
    pld::tensor::broadcast(data, signal, root = 0);
}

fn launch_stopped() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (data, signal) = (world.window::<f32>([2, 4])?, world.window::<i32>([2, 1])?);
    let options = LaunchOptions { inject: vec![Injection::Stop { rank: 1, op: 5 }], ..seeded(0) };
    world.launch_with(options, [root(&data, &signal, 0), root(&data, &signal, 0)])?;
    Ok("OK\n".into())
}

#[pl::function(InCore)]
fn set_overwrote(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let other = 1 - pld::rank(pld::get_comm_ctx(signal));
    for chunk in 1..3 {
        pld::system::notify(signal, peer = other, offsets = [0, 0], value = chunk as i32, op = pld::NotifyOp::Set);
    }
    pld::system::wait(signal, offsets = [0, 0], expected = 2, cmp = pld::WaitCmp::Ge);
}

#[pl::function(InCore)]
fn set_add_mixed(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let me = pld::rank(pld::get_comm_ctx(signal));
    pld::system::notify(signal, peer = 1 - me, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pld::system::notify(signal, peer = me, offsets = [0, 0], value = 0, op = pld::NotifyOp::Set);
}

#[pl::function(InCore)]
fn stale_wait(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let other = 1 - pld::rank(pld::get_comm_ctx(signal));
    pld::system::notify(signal, peer = other, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
}

fn launch_stale_wait() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let signal = world.window::<i32>([2, 1])?;
    let launch = |seed| world.launch_with(seeded(seed), [stale_wait(&signal), stale_wait(&signal)]);
    let first = warnings(&launch(0)?);
    Ok(first + &warnings(&launch(1)?) + "OK\n")
}

#[pl::function(InCore)]
fn out_unwritten(y: pl::Out<pl::Tensor<f32, { [2, 4] }>>, data: pld::DistributedTensor<f32, { [2, 4] }>) {
    let me = pld::rank(pld::get_comm_ctx(data));
    pl::store(pl::full::<f32>([1, 4], 1.0), [me, 0], y);
}

fn launch_out_unwritten() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (data, mut y) = (world.window::<f32>([2, 4])?, Array3::zeros((2, 2, 4)));
    let report = world.launch_with(seeded(0), y.outer_iter_mut().map(|y| out_unwritten(y, &data)))?;
    Ok(warnings(&report) + "OK\n")
}

#[pl::function(InCore)]
fn order_dependent(sum: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>) {
    let mine = pl::full::<f32>([1, 4], 0.1);
    pld::tile::remote_store(mine, sum, peer = 0, offsets = [0, 0], atomic = pld::AtomicType::Add);
}

fn launch_order_dependent() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let sum = world.zeros::<f32>([1, 4])?;
    let report = world.launch_with(seeded(0), [order_dependent(&sum), order_dependent(&sum)])?;
    Ok(warnings(&report) + "OK\n")
}

/// Which of two values stays in the cell depends on who comes last.
#[pl::function(InCore)]
fn differs(y: pl::Out<pl::Tensor<i32, { [1] }>>, signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
    let me = pld::rank(pld::get_comm_ctx(signal));
    if me == 0 {
        pld::system::wait(signal, offsets = [1, 0], expected = 2, cmp = pld::WaitCmp::Ge);
        let last = pl::read(signal, [0, 0]);
        pl::write(y, [0], last);
    } else {
        pld::system::notify(signal, peer = 0, offsets = [0, 0], value = me as i32, op = pld::NotifyOp::Set);
        pld::system::notify(signal, peer = 0, offsets = [1, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        pl::write(y, [0], 0);
    }
}

fn launch_differs() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (signal, mut y) = (world.window::<i32>([2, 1])?, Array2::zeros((3, 1)));
    world.exploring(Explore::exhaustive()).launch(y.outer_iter_mut().map(|y| differs(y, &signal)))?;
    Ok("OK\n".into())
}
