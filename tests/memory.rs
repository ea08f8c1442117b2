//! Launches that follow one another, and loops in kernels, leave memory flat: counted by the allocator, which is why this is a program of its own, with
//! one test. `PL_TEST=full` counts longer.

use peak_alloc::PeakAlloc;
use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};
use pl::{LaunchOptions, Scheduler, World};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The bytes by which memory may seem to grow: what threads and the test's own bookkeeping take now and then.
const SLACK: usize = 64 << 10;

/// Adds up what the peers have, and brings the signal back to zero.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn sum(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let nranks = pld::nranks(pld::get_comm_ctx(data));
    let own = pl::load(x, [0, 0], [1, SIZE]);
    data = pl::store(own, [0, 0], data);
    pld::tensor::barrier(signal);
    let mut all = pl::full::<f32>([1, SIZE], 0.0);
    for peer in 0..nranks {
        let theirs = pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, SIZE]);
        all = pl::add(all, theirs);
    }
    pld::tensor::barrier(signal);
    pl::store(all, [0, 0], y)
}

/// Meets so often, and computes a tile each time.
#[pl::function(InCore, dynamic(NR))]
fn meet(
    rounds: i32,
    y: pl::Out<pl::Tensor<f32, { [1, 8] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
) -> pl::Tensor<f32, { [1, 8] }> {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let mut count = pl::full::<f32>([1, 8], 0.0);
    for round in 0..rounds as usize {
        for peer in 0..nranks {
            if peer != my_rank {
                pld::system::notify(signal, peer = peer, offsets = [my_rank], value = 1, op = pld::NotifyOp::AtomicAdd);
            }
        }
        for src in 0..nranks {
            if src != my_rank {
                pld::system::wait(signal, offsets = [src], expected = round as i32 + 1, cmp = pld::WaitCmp::Ge);
            }
        }
        count = pl::add(count, 1.0);
    }
    pl::store(count, [0, 0], y)
}

/// The bytes in use after `run`, and the most in use while it ran.
fn measure(run: impl FnOnce()) -> (usize, usize) {
    ALLOCATOR.reset_peak_usage();
    run();
    (ALLOCATOR.current_usage(), ALLOCATOR.peak_usage())
}

fn launches(options: &LaunchOptions, size: usize, times: usize) {
    let world = World::open("sim", &[0, 1, 2, 3]).expect("devices");
    let x = Array3::from_shape_fn((4, 1, size), |(r, _, i)| (r + i) as f32);
    let mut y = Array3::<f32>::zeros((4, 1, size));
    let (data, signal) =
        (world.window::<f32>([1, size]).expect("a window"), world.window::<i32>([4]).expect("a window"));
    let mut launch = |times: usize| {
        measure(|| {
            for _ in 0..times {
                let calls = x.outer_iter().zip(y.axis_iter_mut(Axis(0))).map(|(x, y)| sum(x, y, &data, &signal));
                world.launch_with(options.clone(), calls).expect("it goes well");
            }
        })
    };
    launch(100);
    let (few, most_of_few) = launch(100);
    let (many, most_of_many) = launch(times);
    assert!(many <= few + SLACK, "{options:?}: {few} bytes in use after 200 launches, {many} after {times}");
    assert!(most_of_many <= most_of_few + SLACK, "{options:?}: {most_of_few} and {most_of_many} bytes at most");
    assert_eq!(y[[3, 0, 1]], 10.0);
}

fn rounds(options: &LaunchOptions, rounds: i32) {
    let world = World::open("sim", &[0, 1, 2]).expect("devices");
    let mut y = Array3::<f32>::zeros((3, 1, 8));
    let signal = world.window::<i32>([3]).expect("a window");
    let mut launch = |rounds: i32| {
        world.reset(&signal).expect("nobody uses it");
        measure(|| {
            let calls = y.axis_iter_mut(Axis(0)).map(|y| meet(rounds, y, &signal));
            world.launch_with(options.clone(), calls).expect("it goes well");
        })
    };
    // What is kept for reports is all there by then.
    launch(5_000);
    let (_, few) = launch(5_000);
    let (_, many) = launch(rounds);
    assert!(many <= few + SLACK, "{options:?}: {few} bytes at most in 5000 rounds, {many} in {rounds}");
    assert_eq!(y[[2, 0, 7]], rounds as f32);
}

/// Touches one element.
#[pl::function(InCore, dynamic(SIZE))]
fn touch(data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>) {
    pl::write(data, [0, 5], 1.0);
}

/// The memory that the process has of the system, where that tells: mapped pages are not the allocator's.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kib| kib << 10)
}

/// A reset takes no memory for what nobody touched, whether or not it is known what that is.
fn resets() {
    const SIZE: usize = 64 << 20;
    let world = World::open("sim", &[0]).expect("devices");
    let (zeros, used) =
        (world.zeros::<f32>([1, SIZE]).expect("a window"), world.window::<f32>([1, SIZE]).expect("a window"));
    let options = LaunchOptions { checks: false, ..LaunchOptions::default() };
    world.launch_with(options, [touch(&used)]).expect("it goes well");
    let before = resident();
    world.reset(&zeros).expect("nobody uses it");
    world.reset(&used).expect("nobody uses it");
    assert!(used.to_array(0).expect("nobody uses it").iter().all(|element| *element == 0.0));
    let taken = resident().zip(before).map(|(after, before)| after.saturating_sub(before));
    assert!(taken.is_none_or(|taken| taken < SIZE), "{taken:?} bytes");
}

#[test]
fn memory_stays_flat() {
    let full = std::env::var("PL_TEST").is_ok_and(|test| test == "full");
    let times = if full { 1_000_000 } else { 20_000 };
    let options = |scheduler, checks| LaunchOptions { scheduler, checks, ..LaunchOptions::default() };
    for options in
        [options(Scheduler::Parallel, true), options(Scheduler::Parallel, false), options(Scheduler::Seeded(1), true)]
    {
        launches(&options, 64, times);
        rounds(&options, times as i32);
    }
    resets();
    // So large that worker threads join.
    launches(&options(Scheduler::Parallel, true), 1 << 18, 500);
}
