//! Between two calls on the same windows a rank may look at what the first one left, on its peers too: the ready barrier of the next call keeps
//! everyone from writing there.

use crate::numbers::{scattered, world};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3};
use pl::{Call, Error, Fault, LaunchOptions, Scheduler, Window, World};

/// y becomes the window of the next rank, as the first call left it.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn broadcast(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    if me == 0 {
        data = pl::store(pl::load(x, [0, 0], [NR, SIZE]), [0, 0], data);
    }
    data = pld::tensor::broadcast(data, signal, root = 0);
    pl::store(pld::tile::remote_load(data, (me + 1) % NR, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::broadcast(data, signal, root = 1);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn allgather(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    mine: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], mine);
    data = pld::tensor::allgather(mine, data, signal);
    pl::store(pld::tile::remote_load(data, (me + 1) % NR, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::allgather(mine, data, signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pld::tensor::all_to_all(x, data, signal);
    pl::store(pld::tile::remote_load(data, (me + 1) % NR, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::all_to_all(x, data, signal);
}

/// Every rank sends one row of two to each, then none, then both. y[s] is the row that rank s sent in the first call; `came` are the counts of that.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all_v(
    x: pl::Tensor<f32, { [2 * NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    counts: pl::Tensor<i32, { [3, NR, 1] }>,
    came: pl::Out<pl::Tensor<i32, { [NR, 1] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [2 * NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    send: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    recv: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let next = (me + 1) % NR;
    for call in 0..3 {
        for peer in 0..NR {
            pl::write(send, [peer, 0], pl::read(counts, [call, peer, 0]));
        }
        data = pld::tensor::all_to_all_v(x, data, signal, send, recv);
        if call == 0 {
            for src in 0..NR {
                pl::store(pld::tile::remote_load(data, next, [2 * src, 0], [1, SIZE]), [src, 0], y);
            }
            pl::store(pld::tile::remote_load(recv, next, [0, 0], [NR, 1]), [0, 0], came);
        }
    }
}

/// The result of an allreduce is stored after its last barrier: a rank meets its peers before it looks at theirs, and then calls the next one at once.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh<const MEET: i32>(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    met: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x, [0, 0], [NR, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Max, mode = "mesh");
    if MEET == 1 {
        pld::tensor::barrier(met);
    }
    pl::store(pld::tile::remote_load(data, (me + 1) % NR, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Max, mode = "mesh");
}

/// As [`mesh`].
#[pl::function(InCore, dynamic(NR, SIZE))]
fn ring<const MEET: i32>(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2 * NR - 2, NR] }>>,
    met: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x, [0, 0], [NR, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Max, mode = "ring");
    if MEET == 1 {
        pld::tensor::barrier(met);
    }
    pl::store(pld::tile::remote_load(data, (me + 1) % NR, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Max, mode = "ring");
}

const P: usize = 3;
const SIZE: usize = 7;
const SEEDS: u64 = 64;

fn inputs(rows: usize) -> Vec<Array2<f32>> {
    (0..P).map(|rank| scattered(rank, (rows, SIZE))).collect()
}

fn signal(world: &World) -> Window<i32> {
    world.window([P, 1]).unwrap()
}

fn seeded(seed: u64) -> LaunchOptions {
    LaunchOptions { scheduler: Scheduler::Seeded(seed), ..LaunchOptions::default() }
}

/// Launches under every seed, and compares what rank r found at rank r + 1.
#[track_caller]
fn check<'w>(
    world: &World,
    golden: impl Fn(usize) -> Array2<f32>,
    mut launch: impl FnMut(LaunchOptions, &mut Array3<f32>) -> Result<(), Error> + 'w,
) {
    for seed in 0..SEEDS {
        let mut y = Array3::zeros((P, P, SIZE));
        if let Err(error) = launch(seeded(seed), &mut y) {
            panic!("seed {seed}: {error}");
        }
        for (rank, y) in y.outer_iter().enumerate() {
            assert_eq!(y, golden((rank + 1) % P), "seed {seed}, rank {rank}");
        }
        world.reset_all().unwrap();
    }
}

/// Row s is a row of rank s: the one that `row` names.
fn rows_of(x: &[Array2<f32>], row: usize) -> Array2<f32> {
    Array2::from_shape_fn((P, SIZE), |(src, at)| x[src][[row, at]])
}

#[test]
fn of_broadcast() {
    let (world, x) = (world(P), inputs(P));
    check(
        &world,
        |_| x[0].clone(),
        |options, y| {
            let (data, signal) = (world.window::<f32>([P, SIZE])?, signal(&world));
            let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| broadcast(x.view(), y, &data, &signal));
            world.launch_with(options, calls).map(|_| ())
        },
    );
}

#[test]
fn of_allgather() {
    let (world, x) = (world(P), inputs(P));
    check(
        &world,
        |_| rows_of(&x, 0),
        |options, y| {
            let (data, mine, signal) =
                (world.window::<f32>([P, SIZE])?, world.window::<f32>([1, SIZE])?, signal(&world));
            let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| allgather(x.view(), y, &data, &mine, &signal));
            world.launch_with(options, calls).map(|_| ())
        },
    );
}

#[test]
fn of_all_to_all() {
    let (world, x) = (world(P), inputs(P));
    check(
        &world,
        |rank| rows_of(&x, rank),
        |options, y| {
            let (data, signal) = (world.window::<f32>([P, SIZE])?, signal(&world));
            let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| all_to_all(x.view(), y, &data, &signal));
            world.launch_with(options, calls).map(|_| ())
        },
    );
}

#[test]
fn of_all_to_all_v() {
    let (world, x) = (world(P), inputs(2 * P));
    let counts = Array3::from_shape_fn((3, P, 1), |(call, _, _)| [1, 0, 2][call]);
    check(
        &world,
        |rank| rows_of(&x, 2 * rank),
        |options, y| {
            let (data, signal) = (world.window::<f32>([2 * P, SIZE])?, signal(&world));
            let (send, recv) = (world.window::<i32>([P, 1])?, world.window::<i32>([P, 1])?);
            let mut came = Array3::<i32>::zeros((P, P, 1));
            let calls = x.iter().zip(y.outer_iter_mut().zip(came.outer_iter_mut()));
            world.launch_with(
                options,
                calls
                    .map(|(x, (y, came))| all_to_all_v(x.view(), y, counts.view(), came, &data, &signal, &send, &recv)),
            )?;
            assert!(came.iter().all(|count| *count == 1), "{came}");
            Ok(())
        },
    );
}

type Allreduce = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
    &'a Window<i32>,
) -> Call<'a>;

fn allreduce(kernel: Allreduce, rows: (usize, usize)) {
    let (world, x) = (world(P), inputs(P));
    let most = Array2::from_shape_fn((P, SIZE), |at| x.iter().map(|x| x[at]).fold(f32::NEG_INFINITY, f32::max));
    check(&world, |_| most.clone(), |options, y| run(&world, kernel, rows, &x, options, y));
}

fn run(
    world: &World,
    kernel: Allreduce,
    rows: (usize, usize),
    x: &[Array2<f32>],
    options: LaunchOptions,
    y: &mut Array3<f32>,
) -> Result<(), Error> {
    let (data, signal, met) = (world.window::<f32>([P, SIZE])?, world.window([rows.0, rows.1])?, signal(world));
    let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| kernel(x.view(), y, &data, &signal, &met));
    world.launch_with(options, calls).map(|_| ())
}

#[test]
fn of_allreduce_mesh() {
    allreduce(mesh::<1>, (P, 1));
}

#[test]
fn of_allreduce_ring() {
    allreduce(ring::<1>, (2 * P - 2, P));
}

/// Nothing orders a peer's last store before a look at its window.
#[test]
fn a_peer_may_still_store_its_result() {
    for (kernel, rows) in [(mesh::<0> as Allreduce, (P, 1)), (ring::<0>, (2 * P - 2, P))] {
        let (world, mut y) = (world(P), Array3::zeros((P, P, SIZE)));
        match run(&world, kernel, rows, &inputs(P), seeded(0), &mut y) {
            Err(Error::Fault(fault)) => assert!(matches!(fault.fault, Fault::Race(_)), "{fault}"),
            other => panic!("{other:?}"),
        }
    }
}
