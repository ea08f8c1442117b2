//! Every fault that can be injected, into every collective, called twice back to back: the right result or a report, and after a delay always the right
//! result.

use crate::numbers::{Launch, full, scattered, world};
use crate::{allreduce, copies, counts, transfers};
use pl::distributed::ReduceOp;
use pl::ndarray::Array3;
use pl::{Call, Error, Injection, LaunchOptions, Scheduler, World};
use std::cell::Cell;

/// Each kind of fault, by rank and number.
const KINDS: [fn(usize, u64) -> Injection; 4] = [
    |rank, op| Injection::Stop { rank, op },
    |rank, op| Injection::Delay { rank, op },
    |rank, notify| Injection::Lose { rank, notify },
    |rank, notify| Injection::Double { rank, notify },
];

/// Runs a check with a fault. Whether the fault happened, in one of its launches.
fn with_fault(world: &World, injection: Injection, scheduler: Scheduler, check: &dyn Fn(&World, Launch<'_>)) -> bool {
    let happened = Cell::new(false);
    check(world, &|world: &World, calls: Vec<Call<'_>>| {
        let options = LaunchOptions { scheduler, inject: vec![injection], ..LaunchOptions::default() };
        let what = format!("{injection}, {scheduler:?}");
        match world.launch_with(options, calls) {
            Ok(report) => {
                happened.set(happened.get() || report.not_injected.is_empty());
                let stops = matches!(injection, Injection::Stop { .. }) && report.not_injected.is_empty();
                assert!(!stops, "{what}: it did not stop");
                if !matches!(injection, Injection::Delay { .. }) {
                    // A signal may have credits left, of which the next launch would be told.
                    world.reset_all().unwrap();
                }
                true
            }
            Err(Error::Fault(fault)) => {
                happened.set(true);
                assert!(!matches!(injection, Injection::Delay { .. }), "{what}: {fault}");
                world.reset_all().unwrap();
                false
            }
            Err(other) => panic!("{what}: {other}"),
        }
    });
    happened.get()
}

fn sweep(check: &dyn Fn(&World, Launch<'_>)) {
    let ranks: &[usize] = if full() { &[2, 3, 4] } else { &[2] };
    for p in ranks {
        let world = world(*p);
        for (kind, rank) in KINDS.iter().flat_map(|kind| (0..*p).map(move |rank| (kind, rank))) {
            for number in 1.. {
                let injection = kind(rank, number);
                let runs = |scheduler| with_fault(&world, injection, scheduler, check);
                if !(runs(Scheduler::Parallel) | runs(Scheduler::Seeded(number))) {
                    assert!(number > 2, "{injection} did not happen");
                    break;
                }
            }
        }
    }
}

#[test]
fn into_broadcast() {
    sweep(&|world, launch| copies::check_broadcast::<f32>(world, 3, 1, launch));
}

#[test]
fn into_allgather() {
    sweep(&|world, launch| copies::check_allgather::<f32>(world, 3, launch));
}

#[test]
fn into_all_to_all() {
    sweep(&|world, launch| copies::check_all_to_all::<f32>(world, 3, launch));
}

#[test]
fn into_all_to_all_v() {
    sweep(&|world, launch| counts::check::<f32>(world, 2, 3, launch));
}

#[test]
fn into_reduce_scatter() {
    sweep(&|world, launch| copies::check_reduce_scatter::<i32>(world, 3, launch));
}

/// Mesh and ring.
#[test]
fn into_allreduce() {
    sweep(&|world, launch| allreduce::check_on::<i32>(world, ReduceOp::Sum, 5, launch));
}

#[test]
fn into_barriers_and_puts() {
    sweep(&|world, launch| transfers::check_whole::<f32>(world, 3, launch));
}

/// Rank r gets the row and the box that rank r - 1 puts.
#[test]
fn into_put_with_signal() {
    sweep(&|world, launch| {
        let p = world.size();
        let (data, more) = (world.window::<f32>([1, 3]).unwrap(), world.window::<f32>([2, 4]).unwrap());
        let signal = world.window::<i32>([p, 2]).unwrap();
        let inputs = |rows| (0..p).map(|rank| scattered::<f32>(rank, (rows, 3))).collect::<Vec<_>>();
        let (first, second, mut y) = (inputs(1), inputs(3), Array3::<f32>::zeros((p, 2, 3)));
        let args = first.iter().zip(&second).zip(y.outer_iter_mut());
        let calls = args.map(|((first, second), y)| {
            transfers::signalled::<f32, 4096, false>(first.view(), second.view(), y, &data, &more, &signal)
        });
        if launch(world, calls.collect()) {
            for (rank, y) in y.outer_iter().enumerate() {
                let previous = (rank + p - 1) % p;
                assert_eq!((y.row(0), y.row(1)), (first[previous].row(0), second[previous].row(2)), "rank {rank}");
            }
        }
    });
}
