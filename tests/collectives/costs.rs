//! What one call of each collective costs: the card, the run's counts and the formula are one number.

use crate::numbers::world;
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{Call, Window, World};
use pl_core::fault::RankCost;

#[pl::function(InCore, dynamic(NR))]
fn barrier(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::barrier(signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn broadcast(
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    pld::tensor::broadcast(data, signal, root = root);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn allgather(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allgather(x, data, signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn reduce_scatter(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh(
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allreduce(data, signal, mode = "mesh");
}

#[pl::function(InCore, dynamic(NR, ROUNDS, SIZE))]
fn ring(
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    pld::tensor::allreduce(data, signal, mode = "ring");
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::all_to_all(x, data, signal);
}

#[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
fn all_to_all_v(
    x: pl::Tensor<f32, { [NR * ROWS, SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR * ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    counts: pl::Tensor<i32, { [NR, 1] }>,
    came: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::all_to_all_v(x, data, signal, counts, came);
}

/// What each rank counts when it runs its call, which is what its card says.
fn counts<'a>(world: &World, what: &str, call: impl Fn(usize) -> Call<'a>) -> Vec<RankCost> {
    let stages = world.compile((0..world.size()).map(&call)).unwrap();
    let report = world.launch((0..world.size()).map(&call)).unwrap();
    for (rank, (stage, cost)) in stages.iter().zip(&report.ranks).enumerate() {
        assert_eq!(stage.cost().exact(), Some(*cost), "{what}, rank {rank}");
    }
    report.ranks
}

/// Every barrier is P - 1 notifies and as many waits, and the credits go back.
#[track_caller]
fn check_barriers(cost: &RankCost, p: u64, barriers: u64, epilogues: u64) {
    assert_eq!((cost.peer_notifies, cost.waits), (barriers * (p - 1), barriers * (p - 1)));
    assert_eq!(cost.self_notifies, epilogues * (p - 1));
}

fn check(world: &World, size: usize) {
    let p = world.size();
    let (ranks, row) = (p as u64, 4 * size as u64);
    let signal = world.window::<i32>([p, 1]).unwrap();
    let (one, all) = (world.zeros::<f32>([1, size]).unwrap(), world.zeros::<f32>([p, size]).unwrap());
    let (x, xs) = (Array2::<f32>::zeros((1, size)), Array2::<f32>::zeros((p, size)));
    let what = |name: &str| format!("{name}, P = {p}, SIZE = {size}");
    for cost in counts(world, &what("barrier"), |_| barrier(&signal)) {
        check_barriers(&cost, ranks, 1, 1);
        assert_eq!((cost.bytes_received, cost.bytes_sent), (0, 0));
    }
    for root in [0, p - 1] {
        let costs = counts(world, &what("broadcast"), |_| broadcast(&one, &signal, root));
        for (rank, cost) in costs.iter().enumerate() {
            check_barriers(cost, ranks, 2, 1);
            let (received, sent) = if rank == root { (0, (ranks - 1) * row) } else { (row, 0) };
            assert_eq!((cost.bytes_received, cost.bytes_sent), (received, sent));
        }
    }
    let among_all = [
        ("allgather", counts(world, &what("allgather"), |_| allgather(x.view(), &all, &signal))),
        ("reduce_scatter", counts(world, &what("reduce_scatter"), |_| reduce_scatter(&all, &signal))),
        ("all_to_all", counts(world, &what("all_to_all"), |_| all_to_all(xs.view(), &all, &signal))),
    ];
    for (name, costs) in among_all {
        for cost in costs {
            check_barriers(&cost, ranks, 2, 1);
            let moved = (ranks - 1) * row;
            assert_eq!((cost.bytes_received, cost.bytes_sent), (moved, moved), "{}", what(name));
            let (loads, stores) = (cost.remote_loads > 0, cost.remote_stores > 0);
            assert_eq!((loads, stores), (name == "reduce_scatter", name != "reduce_scatter"));
        }
    }
    for cost in counts(world, &what("mesh"), |_| mesh(&one, &signal)) {
        let chunks = cost.waits / (ranks - 1) - 1;
        check_barriers(&cost, ranks, 1 + chunks, 1);
        assert_eq!((cost.bytes_received, cost.bytes_sent), ((ranks - 1) * row, (ranks - 1) * row));
        assert!(chunks == 1 || size > 4096, "{chunks} chunks of {size}");
    }
    let rounds: Window<i32> = world.window([2 * (p - 1), p]).unwrap();
    let segment = |r: usize| 4 * ((r % p + 1) * size / p - (r % p) * size / p) as u64;
    for (rank, cost) in counts(world, &what("ring"), |_| ring(&one, &rounds)).iter().enumerate() {
        // All but the own segment, and then all but the next one.
        assert_eq!(cost.bytes_received, 2 * row - segment(rank) - segment(rank + 1), "{}, rank {rank}", what("ring"));
        assert_eq!(cost.self_notifies, 2 * (ranks - 1) * (ranks - 1));
        if size.is_multiple_of(p) {
            assert_eq!(cost.bytes_received, 2 * (ranks - 1) * row / ranks);
        }
    }
}

#[test]
fn cards_runs_and_formulas_agree() {
    for p in [2, 3, 4, 5, 8] {
        for size in [1, 7, 64, 5040] {
            check(&world(p), size);
        }
    }
    check(&world(3), 100_003);
    check(&World::open("sim", &[0, 1, 2]).unwrap(), 5040);
}

/// Of `all_to_all_v` the card knows the least and the most; a run lies between.
#[test]
fn counts_that_depend_on_data_lie_in_a_range() {
    for (p, rows, size) in [(2, 1, 1), (3, 4, 5), (5, 2, 64)] {
        let world = world(p);
        let data = world.window::<f32>([p * rows, size]).unwrap();
        let (signal, came) = (world.window::<i32>([p, 1]).unwrap(), world.window::<i32>([p, 1]).unwrap());
        let x = Array2::<f32>::zeros((p * rows, size));
        let sent = |src: usize, dest: usize| (3 * src + 2 * dest) % (rows + 1);
        let of = |src: usize| Array2::from_shape_fn((p, 1), |(dest, _)| sent(src, dest) as i32);
        let counts: Vec<Array2<i32>> = (0..p).map(of).collect();
        let call = |rank: usize| all_to_all_v(x.view(), &data, &signal, counts[rank].view(), &came);
        let stages = world.compile((0..p).map(call)).unwrap();
        let report = world.launch((0..p).map(call)).unwrap();
        for (rank, (stage, cost)) in stages.iter().zip(&report.ranks).enumerate() {
            let (card, peers) = (stage.cost(), p as u64 - 1);
            // A count of 4 bytes goes to every peer, with no row or with all.
            let (least, most) = (4 * peers, (4 + 4 * (rows * size) as u64) * peers);
            for bytes in [card.bytes_received, card.bytes_sent] {
                assert_eq!((bytes.low, bytes.high), (least, Some(most)));
            }
            let moved = |count: &dyn Fn(usize) -> usize| {
                let rows: usize = (0..p).filter(|peer| *peer != rank).map(count).sum();
                least + 4 * (rows * size) as u64
            };
            assert_eq!(cost.bytes_received, moved(&|src| sent(src, rank)));
            assert_eq!(cost.bytes_sent, moved(&|dest| sent(rank, dest)));
            assert_eq!(card.remote_stores.exact(), Some(cost.remote_stores));
            assert_eq!(card.waits.exact(), Some(cost.waits));
            assert_eq!(cost.remote_stores, 2 * peers);
        }
    }
}
