//! How many schedules of a barrier among three ranks are run in a second on one core, all checks on; beside it shuttle runs the same barrier, made of its
//! mutex and its condition variable. Both draw who goes on at each step.

#[path = "support/bench.rs"]
mod bench;
mod support;

use pl::{Explore, Window, World};
use shuttle::sync::{Arc, Condvar, Mutex};
use std::process::ExitCode;
use std::time::Duration;
use support::cases::{Case, Contest, Goal};
use support::kernels;
use support::measure::{lap, time};

const RANKS: usize = 3;
/// The schedules of a run.
const SCHEDULES: usize = 2000;

/// How our side explores.
#[derive(Clone, Copy)]
enum How {
    /// A body that launches.
    Body,
    /// A launch for itself.
    Launch,
}

struct Barrier {
    how: How,
    world: World,
    signal: Window<i32>,
}

impl Barrier {
    fn new(how: How) -> Barrier {
        let world = World::open("sim", &[0, 1, 2]).expect("a world");
        let signal = world.window([RANKS, 1]).expect("a window");
        Barrier { how, world, signal }
    }
}

impl Contest for Barrier {
    fn ours(&mut self, laps: usize) -> Duration {
        let how = Explore::random(SCHEDULES as u64);
        lap(laps, || {
            self.world.reset(&self.signal).expect("no view");
            let calls = || (0..RANKS).map(|_| kernels::barriers(1, &self.signal));
            time(|| {
                let explored = match self.how {
                    How::Body => {
                        let body = |world: &World| Ok(world.launch(calls()).map(|_| ())?);
                        self.world.explore(&how, body).expect("a right kernel")
                    }
                    How::Launch => {
                        let report = self.world.exploring(how.clone()).launch(calls()).expect("a right kernel");
                        report.explored.expect("an exploration")
                    }
                };
                assert_eq!(explored.schedules, SCHEDULES as u64);
            })
        })
    }

    fn reference(&mut self, laps: usize) -> Option<Duration> {
        Some(lap(laps, || time(|| shuttle::check_random(barrier, SCHEDULES))))
    }
}

/// The cells of a rank, one per peer.
#[derive(Default)]
struct Cells {
    values: Mutex<[i32; RANKS]>,
    changed: Condvar,
}

/// The barrier of shuttle's threads; the first rank is the thread that starts the others.
fn barrier() {
    let cells: Arc<[Cells; RANKS]> = Arc::default();
    let start = |me: usize| {
        let cells = Arc::clone(&cells);
        shuttle::thread::spawn(move || meet(&cells, me))
    };
    let others: Vec<_> = (1..RANKS).map(start).collect();
    meet(&cells, 0);
    others.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

fn meet(cells: &[Cells; RANKS], me: usize) {
    for (peer, cell) in cells.iter().enumerate() {
        if peer != me {
            cell.values.lock().expect("no panic")[me] += 1;
            cell.changed.notify_one();
        }
    }
    let own = &cells[me];
    for src in (0..RANKS).filter(|src| *src != me) {
        let values = own.values.lock().expect("no panic");
        let passed = own.changed.wait_while(values, |values| values[src] < 1).expect("no panic");
        drop(passed);
    }
}

fn main() -> ExitCode {
    let case = |what: &str, how| {
        let name = format!("exploration/{what}/P={RANKS}");
        let mut case = Case::new(name, Goal::Seconds(5e-6), move || Barrier::new(how)).against("shuttle");
        case.unit = (SCHEDULES as f64, "schedule");
        case
    };
    bench::main(vec![case("body", How::Body), case("launch", How::Launch)])
}
