//! `pld::tensor::barrier`, with each of the shapes that its signal may have.

use crate::numbers::{check_zero, full, world};
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{LaunchOptions, Scheduler, World};

const ROUNDS: usize = 12;

/// In each round every rank adds one to a counter of every rank, and reads its own between two barriers: before the first a slow rank may not have
/// added yet, after the second a fast one adds again. A read of a cell is no race, so nothing but the numbers tells.
#[pl::function(InCore, dynamic(NR))]
fn count(
    counter: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    mut y: pl::Out<pl::Tensor<i32, { [ROUNDS] }>>,
) {
    for round in 0..ROUNDS {
        for peer in 0..NR {
            pld::system::notify(counter, peer, offsets = [0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
        pld::tensor::barrier(signal);
        y = pl::write(y, [round], pl::read(counter, [0]));
        pld::tensor::barrier(signal);
    }
    for _round in 0..ROUNDS {
        pld::tensor::barrier(signal);
    }
}

/// [`count`] with a signal of one axis.
#[pl::function(InCore, dynamic(NR))]
fn count_flat(
    counter: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
    mut y: pl::Out<pl::Tensor<i32, { [ROUNDS] }>>,
) {
    for round in 0..ROUNDS {
        for peer in 0..NR {
            pld::system::notify(counter, peer, offsets = [0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
        pld::tensor::barrier(signal);
        y = pl::write(y, [round], pl::read(counter, [0]));
        pld::tensor::barrier(signal);
    }
    for _round in 0..ROUNDS {
        pld::tensor::barrier(signal);
    }
}

fn check(world: &World, scheduler: Scheduler) {
    let p = world.size();
    let options = || LaunchOptions { scheduler, ..LaunchOptions::default() };
    for flat in [false, true] {
        let counter = world.window::<i32>([1]).unwrap();
        let mut y = Array2::<i32>::zeros((p, ROUNDS));
        let rows = y.outer_iter_mut();
        let signal = world.window::<i32>(if flat { vec![p] } else { vec![p, 1] }).unwrap();
        if flat {
            world.launch_with(options(), rows.map(|y| count_flat(&counter, &signal, y))).unwrap();
        } else {
            world.launch_with(options(), rows.map(|y| count(&counter, &signal, y))).unwrap();
        }
        check_zero(&signal, p);
        let golden = Array2::from_shape_fn((p, ROUNDS), |(_, round)| (p * (round + 1)) as i32);
        assert_eq!(y, golden, "P = {p}, {scheduler:?}, {}", if flat { "[P]" } else { "[P, 1]" });
    }
}

#[test]
fn nobody_leaves_before_all_have_entered() {
    let (ranks, seeds): (&[usize], u64) = if full() { (&[2, 3, 4, 5, 8, 16], 64) } else { (&[2, 3, 5], 8) };
    for p in ranks {
        let world = world(*p);
        check(&world, Scheduler::Parallel);
        for seed in 0..seeds {
            check(&world, Scheduler::Seeded(seed));
        }
    }
}

#[test]
fn many_ranks() {
    if full() {
        check(&world(256), Scheduler::Parallel);
    }
}
