//! What a launch costs, in what is exact: ops that the ranks execute, bytes that they move, and how often the heap is asked for memory. A change that makes
//! launches slower often shows here, where nothing depends on the machine. `UPDATE_EXPECT=1` writes the numbers anew.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use allocation_counter::measure;
use expect_test::expect;
use kernels::example_14;
use pl::ndarray::Array3;
use pl::{Call, LaunchOptions, Report, Scheduler, Window, World};
use std::fmt::Write as _;

#[path = "../../benches/support/kernels.rs"]
mod kernels;

const RANKS: usize = 4;
/// Elements of a row: each rank brings 4 KiB.
const SIZE: usize = 256;

/// What launches are made of. The arrays are as large as example 14 needs them.
struct Bench {
    world: World,
    x: Array3<f32>,
    y: Array3<f32>,
    data: Window<f32>,
    signal: Window<i32>,
}

impl Bench {
    fn new() -> Bench {
        let world = World::open("sim", &[0, 1, 2, 3]).unwrap();
        let x = Array3::from_shape_fn((RANKS, 1, RANKS * SIZE), |(r, _, i)| (r + i) as f32);
        let y = Array3::zeros((RANKS, 1, SIZE));
        let data = world.window([RANKS, SIZE]).unwrap();
        let signal = world.window([RANKS, 1]).unwrap();
        Bench { world, x, y, data, signal }
    }

    /// One launch, and how many allocations it made, calls included.
    fn launch(&mut self, kernel: Kernel, checks: bool) -> (Report, u64) {
        let Bench { world, x, y, data, signal } = self;
        world.reset(signal).unwrap();
        let options = LaunchOptions { checks, ..LaunchOptions::default() };
        let mut report = Report::default();
        let info = measure(|| {
            let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| match kernel {
                Kernel::Barriers(rounds) => kernels::barriers(rounds, signal),
                Kernel::Hand => example_14::hand_step(x, y, data, signal),
                Kernel::Builtin => example_14::builtin_step(x, y, data, signal),
            });
            let calls: Vec<Call<'_>> = calls.collect();
            report = world.launch_with(options, calls).unwrap();
        });
        (report, info.count_total)
    }

    /// The third of three launches: the first one plans, and memory grows as long as something is new.
    fn warm(&mut self, kernel: Kernel, checks: bool) -> (Report, u64) {
        self.launch(kernel, checks);
        self.launch(kernel, checks);
        self.launch(kernel, checks)
    }
}

#[derive(Clone, Copy, Debug)]
enum Kernel {
    /// So many barriers.
    Barriers(i32),
    Hand,
    Builtin,
}

#[test]
fn ops_bytes_and_allocations() {
    let mut bench = Bench::new();
    let mut table = String::new();
    for kernel in [Kernel::Barriers(10), Kernel::Hand, Kernel::Builtin] {
        let (report, with) = bench.warm(kernel, true);
        let (unchecked, without) = bench.warm(kernel, false);
        assert_eq!(report.ranks, unchecked.ranks, "what is moved does not depend on checks");
        let ops = report.checked.ops;
        let received: u64 = report.ranks.iter().map(|rank| rank.bytes_received).sum();
        let signals: u64 = report.ranks.iter().map(|r| r.peer_notifies + r.self_notifies + r.waits).sum();
        _ = writeln!(table, "{kernel:?}: {ops} ops, {received} bytes received, {signals} signals");
        _ = writeln!(table, "    allocations: {with}, without checks {without}");
    }
    expect![[r#"
        Barriers(10): 612 ops, 0 bytes received, 240 signals
            allocations: 13, without checks 13
        Hand: 164 ops, 12288 bytes received, 24 signals
            allocations: 13, without checks 13
        Builtin: 264 ops, 12288 bytes received, 60 signals
            allocations: 14, without checks 14
    "#]]
    .assert_eq(&table);
}

/// However long a launch runs, it asks for no more memory: without checks not once, with checks it uses again what it has given back.
#[test]
fn rounds_take_no_memory() {
    let bench = Bench::new();
    let launch = |rounds: i32, checks: bool, scheduler: Scheduler| {
        let options = LaunchOptions { checks, scheduler, ..LaunchOptions::default() };
        let run = || {
            bench.world.reset(&bench.signal).unwrap();
            let calls = (0..RANKS).map(|_| kernels::barriers(rounds, &bench.signal));
            measure(|| _ = bench.world.launch_with(options.clone(), calls).unwrap())
        };
        [run(), run(), run()][2]
    };
    // What the ranks execute is the plan for the one, and unrolled for the other.
    for scheduler in [Scheduler::Seeded(1), Scheduler::Parallel] {
        let [long, short] = [100_000, 10_000].map(|rounds| launch(rounds, false, scheduler).count_total);
        assert_eq!(long, short, "{scheduler:?}");
        let [long, short] = [100_000, 10_000].map(|rounds| launch(rounds, true, scheduler).bytes_max);
        assert_eq!(long, short, "{scheduler:?}");
    }
}
