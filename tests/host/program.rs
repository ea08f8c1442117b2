//! `Host` and `Orchestration` functions: what they compute, what they launch, and what stops them.

use crate::support::world;
use pl::distributed as pld;
use pl::ndarray::{Array1, Array2, Array3, Axis, s};
use pl::{Error, Fault, HostCall, LaunchOptions, Scheduler, World};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[pl::function(InCore, dynamic(ROWS, SIZE))]
fn stage(x: pl::Tensor<f32, { [ROWS, SIZE] }>, data: pl::InOut<pld::DistributedTensor<f32, { [ROWS, SIZE] }>>) {
    pl::store(pl::load(x, [0, 0], [ROWS, SIZE]), [0, 0], data);
}

#[pl::function(InCore, dynamic(ROWS, SIZE))]
fn fetch(data: pld::DistributedTensor<f32, { [ROWS, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [ROWS, SIZE] }>>) {
    pl::store(pl::load(data, [0, 0], [ROWS, SIZE]), [0, 0], y);
}

#[pl::function(InCore, dynamic(ROWS, SIZE))]
fn scale(data: pl::InOut<pld::DistributedTensor<f32, { [ROWS, SIZE] }>>, by: f32) {
    pl::store(pl::load(data, [0, 0], [ROWS, SIZE]) * by, [0, 0], data);
}

#[pl::function(InCore, dynamic(SIZE))]
fn fill(y: pl::Out<pl::Tensor<i32, { [SIZE] }>>, value: i32) {
    pl::store(pl::full::<i32>([SIZE], value), [0], y);
}

/// Copies, scales so often, copies back: one device.
#[pl::function(Orchestration, dynamic(ROWS, SIZE))]
fn steps(
    x: pl::Tensor<f32, { [ROWS, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [ROWS, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [ROWS, SIZE] }>>,
    times: usize,
) {
    stage(x, data);
    for i in 0..times {
        if i % 2 == 0 {
            scale(data, 2.0);
        } else {
            scale(data, 3.0);
        }
    }
    fetch(data, y);
}

#[pl::function(Host, dynamic(NR, ROWS, SIZE))]
fn run_steps(
    x: pl::Tensor<f32, { [NR, ROWS, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, ROWS, SIZE] }>>,
    times: usize,
) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(ROWS * SIZE * 4), [ROWS, SIZE]);
    for r in 0..pld::world_size() {
        steps(x[r], y[r], data, times + r, device = r);
    }
}

fn ramp(ranks: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 2, 3), |(r, i, j)| (100 * r + 10 * i + j) as f32)
}

#[test]
fn a_device_runs_an_orchestration_function() {
    let world = world("a2a3sim", 3);
    let x = ramp(3);
    let mut y = Array3::zeros((3, 2, 3));
    let report = world.run(run_steps(x.view(), y.view_mut(), 1)).unwrap();
    for (rank, by) in [(0, 2.0), (1, 6.0), (2, 12.0)] {
        assert_eq!(y.index_axis(Axis(0), rank), &x.index_axis(Axis(0), rank) * by, "{rank}");
    }
    let launches: Vec<_> = report.launches.iter().map(|l| (l.what.as_str(), l.report.ranks.len())).collect();
    assert_eq!(launches, [("steps", 3)]);
    // It may be launched like any kernel.
    let data = world.window::<f32>([2, 3]).unwrap();
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| steps(x, y, &data, 0));
    world.launch(calls).unwrap();
    assert_eq!(y, x);
}

#[test]
fn a_call_goes_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<HostCall<'_>>();
}

#[test]
fn strided_arguments_are_copied_and_written_back() {
    let world = world("sim", 2);
    let wide = Array3::from_shape_fn((2, 2, 6), |(r, i, j)| (100 * r + 10 * i + j) as f32);
    let mut out = Array3::zeros((2, 2, 6));
    let x = wide.slice(s![.., .., ..;2]);
    world.run(run_steps(x, out.slice_mut(s![.., .., 1..;2]), 0)).unwrap();
    let expected = Array3::from_shape_fn((2, 2, 3), |(r, i, j)| wide[[r, i, 2 * j]] * if r == 0 { 1.0 } else { 2.0 });
    assert_eq!(out.slice(s![.., .., 1..;2]), expected);
    assert!(out.slice(s![.., .., ..;2]).iter().all(|v| *v == 0.0));
}

#[test]
fn a_subset_is_a_world() {
    let world = world("sim", 4);
    let pair = world.subset(&[3, 1]).unwrap();
    let x = ramp(2);
    let mut y = Array3::zeros((2, 2, 3));
    pair.run(run_steps(x.view(), y.view_mut(), 0)).unwrap();
    assert_eq!(y.index_axis(Axis(0), 1), &x.index_axis(Axis(0), 1) * 2.0);
}

#[pl::function(Host, dynamic(NR, SIZE))]
fn scalars(y: pl::Out<pl::Tensor<i32, { [NR, SIZE] }>>, start: i32, limit: usize, scale: f32, up: bool) {
    let p = pld::world_size();
    let mut total = start;
    let mut i = 0;
    while i < limit && total < 1000 {
        i += 1;
        total = total * 2 + i as i32;
    }
    let far = (scale * 2.5) as i32;
    let extra = if up { pl::max(p, SIZE) } else { pl::min(p, SIZE) };
    for r in pl::range(0, p, 1) {
        fill(y[p - 1 - r], total + far * (r as i32) - extra as i32, device = p - 1 - r);
    }
}

#[test]
fn scalars_are_computed_as_devices_compute_them() {
    let world = world("sim", 3);
    let mut y = Array2::zeros((3, 5));
    for (start, limit, scale, up) in [(1, 3, 2.0_f32, true), (1, 0, -1.5, false), (7, 99, 0.9, true)] {
        world.run(scalars(y.view_mut(), start, limit, scale, up)).unwrap();
        let (mut total, mut i) = (start, 0);
        while i < limit && total < 1000 {
            i += 1;
            total = total * 2 + i as i32;
        }
        let extra = if up { 5 } else { 3 };
        let expected: Vec<i32> = (0..3).rev().map(|r| total + (scale * 2.5) as i32 * r - extra).collect();
        assert_eq!(y.column(4).to_vec(), expected, "{start} {limit} {scale} {up}");
    }
}

fn text(result: Result<pl::HostReport, Error>) -> String {
    let text = result.unwrap_err().to_string();
    // Lines move when the file does.
    let lines = text.lines().map(|line| match line.find(".rs:") {
        Some(at) => {
            let rest = line[at + 4..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            format!("{}.rs{rest}", &line[..at])
        }
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn arithmetic_that_has_no_result_is_an_error() {
    let world = world("sim", 2);
    let mut y = Array2::zeros((2, 1));
    let mut run = |start, scale| text(world.run(scalars(y.view_mut(), start, 1, scale, true)));
    for (problem, expected) in [
        (run(-1_500_000_000, 0.0), "`-1500000000 * 2` underflows (`i32`)\n"),
        (run(2_147_483_647, 4.0), "`2147483647 + 10` overflows (`i32`)\n"),
    ] {
        assert!(problem.starts_with(expected), "{problem}");
        assert!(
            problem.contains("\n  --> tests/host/program.rs (in Host function `scalars`)\n  = help: "),
            "{problem}"
        );
    }
}

/// The line of `ranges`.
const RANGES: u32 = line!() + 3;

#[pl::function(Host, dynamic(NR, SIZE))]
fn ranges(y: pl::Out<pl::Tensor<i32, { [NR, SIZE] }>>, start: usize, end: usize, shift: usize, parts: usize) {
    let p = pld::world_size();
    for r in start..end {
        fill(y[(r + parts) % NR], r as i32, device = r * shift % (p + 1));
    }
}

#[test]
fn a_launch_has_every_rank_once() {
    let world = world("sim", 4);
    let mut y = Array2::zeros((8, 1));
    world.run(ranges(y.view_mut(), 0, 4, 1, 0)).unwrap();
    let mut run = |start, end, shift, parts| text(world.run(ranges(y.view_mut(), start, end, shift, parts)));
    for (problem, expected) in [
        (run(1, 3, 1, 0), "the loop dispatches to 2 ranks, and leaves out ranks 0, 3"),
        (run(0, 0, 1, 0), "the loop dispatches to 0 ranks, and leaves out ranks 0 to 3"),
        (run(0, 5, 1, 0), "device 4 is not a rank of a world of 4 ranks: ranks are 0 to 3"),
        (run(0, 4, 0, 0), "the loop dispatches twice to rank 0"),
    ] {
        assert!(problem.starts_with(expected), "{problem}");
        assert!(problem.contains("\n  --> tests/host/program.rs (in Host function `ranges`)\n  = help: "), "{problem}");
    }
    // What is wrong with a device stands where it is named.
    for (end, shift) in [(5, 1), (4, 0)] {
        let Err(Error::Host(problem)) = world.run(ranges(y.view_mut(), 0, end, shift, 0)) else { panic!("no error") };
        let place = problem.place.unwrap();
        assert_eq!((place.line, place.column), (RANGES + 3, 54));
    }
}

#[pl::function(Host, dynamic(NR, SIZE))]
fn parts(y: pl::Out<pl::Tensor<i32, { [NR, SIZE] }>>, x: pl::Tensor<i32, { [NR, SIZE] }>, from: usize, to: usize) {
    for r in 0..pld::world_size() {
        copy(x[r / from], y[r / to], device = r);
    }
}

#[pl::function(InCore, dynamic(SIZE))]
fn copy(x: pl::Tensor<i32, { [SIZE] }>, y: pl::Out<pl::Tensor<i32, { [SIZE] }>>) {
    pl::store(pl::load(x, [0], [SIZE]), [0], y);
}

#[test]
fn what_a_rank_writes_is_for_it_alone() {
    let world = world("sim", 4);
    let x = Array2::from_shape_fn((4, 2), |(r, i)| (10 * r + i) as i32);
    let mut y = Array2::zeros((4, 2));
    // Several ranks read one part.
    world.run(parts(y.view_mut(), x.view(), 2, 1)).unwrap();
    assert_eq!(y.column(1).to_vec(), [1, 1, 11, 11]);
    let problem = text(world.run(parts(y.view_mut(), x.view(), 1, 2)));
    assert_eq!(
        problem,
        "ranks 0 and 1 get overlapping parts of `y`, and one of them writes\n  --> tests/host/program.rs (in Host function `parts`)\n  \
         = help: what a call writes is for that call alone: pass each rank its own part, `y[r]`"
    );
    let short = Array2::zeros((3, 2));
    let mut three = Array2::zeros((3, 2));
    let problem = text(world.run(parts(three.view_mut(), short.view(), 1, 1)));
    assert!(problem.starts_with("`x[3]` is outside of `x`, which has 3 parts\n  --> tests"), "{problem}");
    let problem = text(world.run(parts(y.view_mut(), x.view(), 0, 1)));
    assert!(problem.starts_with("`0 / 0` divides by zero (`usize`)\n  --> tests"), "{problem}");
}

#[pl::function(InCore, dynamic(SIZE))]
fn add_into(x: pl::InOut<pl::Tensor<i32, { [SIZE] }>>, by: i32) {
    pl::store(pl::load(x, [0], [SIZE]) + by, [0], x);
}

/// Loops around dispatch loops, and tensors that are read and written.
#[pl::function(Host, dynamic(NR, SIZE))]
fn rounds(x: pl::InOut<pl::Tensor<i32, { [NR, SIZE] }>>, times: usize) -> pl::Tensor<i32, { [NR, SIZE] }> {
    let mut left = times;
    while left > 0 {
        for r in 0..pld::world_size() {
            if r % 2 == 0 {
                add_into(x[r], left as i32, device = r);
            } else {
                add_into(x[r], -1, device = r);
            }
        }
        left -= 1;
    }
    x
}

#[test]
fn loops_launch_each_time() {
    let world = world("sim", 3);
    let mut x = Array2::zeros((3, 2));
    let report = world.run(rounds(x.view_mut(), 4)).unwrap();
    assert_eq!(x.column(0).to_vec(), [10, -4, 10]);
    assert_eq!(report.launches.len(), 4);
    assert!(report.launches.iter().all(|l| l.what == "add_into" && l.place.is_some()));
    assert!(world.run(rounds(x.view_mut(), 0)).unwrap().launches.is_empty());
}

#[test]
fn endless_loops_end() {
    let world = world("sim", 2);
    let mut x = Array2::zeros((2, 1));
    let options = LaunchOptions { op_budget: 300, ..LaunchOptions::default() };
    let problem = text(world.run_with(options, rounds(x.view_mut(), usize::MAX)));
    assert!(problem.starts_with("endless loop? `rounds` executed more than 300 statements\n  --> tests"), "{problem}");
}

#[test]
fn a_run_can_be_interrupted() {
    let world = world("sim", 2);
    let mut x = Array2::zeros((2, 1));
    let interrupt = Some(Arc::new(AtomicBool::new(true)));
    let options = LaunchOptions { interrupt, ..LaunchOptions::default() };
    let error = world.run_with(options, rounds(x.view_mut(), 1)).unwrap_err();
    assert!(matches!(error.fault(), Some(Fault::Interrupted(_))), "{error}");
    assert_eq!(error.to_string(), "interrupted");
}

#[pl::function(Host, dynamic(NR, SIZE))]
fn windows(
    x: pl::Tensor<f32, { [NR, 1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, 1, SIZE] }>>,
    bytes: usize,
    rows: usize,
) {
    let buffer = pld::alloc_window_buffer(bytes);
    let data = pld::window::<f32>(buffer, [1, SIZE]);
    for r in 0..pld::world_size() {
        stage(x[r], data, device = r);
    }
    let same = pld::window::<f32>(buffer, [rows, SIZE]);
    for r in 0..pld::world_size() {
        fetch(same, y[r], device = r);
    }
}

#[test]
fn a_buffer_is_one_window() {
    let world = world("sim", 2);
    let x = Array3::from_shape_fn((2, 1, 4), |(r, _, i)| (10 * r + i) as f32);
    let mut y = Array3::zeros((2, 1, 4));
    world.run(windows(x.view(), y.view_mut(), 16, 1)).unwrap();
    assert_eq!(y, x);
    let problem = text(world.run(windows(x.view(), y.view_mut(), 15, 1)));
    assert_eq!(
        problem,
        "a window of `f32` [1, 4] needs 16 bytes, the buffer `buffer` has 15\n  --> tests/host/program.rs (in Host function `windows`)\n  \
         = help: allocate the product of the extents times 4 bytes"
    );
    let problem = text(world.run(windows(x.view(), y.view_mut(), 64, 2)));
    assert!(
        problem.starts_with("the window buffer `buffer` is the window of `f32` [1, 4], not of `f32` [2, 4]\n"),
        "{problem}"
    );
}

/// Reads what no kernel has written.
#[pl::function(Host, dynamic(NR, SIZE))]
fn reads_nothing(y: pl::Out<pl::Tensor<f32, { [NR, 1, SIZE] }>>) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(SIZE * 4), [1, SIZE]);
    for r in 0..pld::world_size() {
        fetch(data, y[r], device = r);
    }
}

#[test]
fn a_launch_that_fails_names_the_loop_that_made_it() {
    let world = world("sim", 2);
    let mut y = Array3::zeros((2, 1, 4));
    let options = LaunchOptions { scheduler: Scheduler::Seeded(1), ..LaunchOptions::default() };
    let error = world.run_with(options, reads_nothing(y.view_mut())).unwrap_err();
    let Error::Launch { by, error: inner } = &error else { panic!("{error}") };
    assert!(matches!(**inner, Error::Fault(_)), "{inner}");
    assert!(matches!(error.fault(), Some(Fault::Uninitialised(_))), "{error}");
    assert!(by.starts_with("`reads_nothing` at tests/host/program.rs:"), "{by}");
    let text = error.to_string();
    let (launched, help) = (text.find("\n  = launched by `reads_nothing`"), text.rfind("\n  = help: "));
    assert!(launched.is_some() && launched < help, "{text}");
    // The world is as it was.
    let x = Array3::from_elem((2, 1, 4), 1.5);
    world.run(windows(x.view(), y.view_mut(), 16, 1)).unwrap();
    assert_eq!(y, x);
}

/// The kernel divides by what it is given.
#[pl::function(InCore)]
fn divide(y: pl::Out<pl::Tensor<i32, { [1] }>>, by: i32) {
    pl::write(y, [0], 12 / by);
}

#[pl::function(Orchestration)]
fn divisions(y: pl::Out<pl::Tensor<i32, { [1] }>>, by: i32) {
    divide(y, by);
    divide(y, by - 1);
}

#[test]
fn a_fault_in_an_orchestration_function_names_the_line_of_the_kernel_and_the_call() {
    let world = world("sim", 1);
    let mut y = Array1::zeros(1);
    world.launch([divisions(y.view_mut(), 3)]).unwrap();
    assert_eq!(y[0], 6);
    let text = world.launch([divisions(y.view_mut(), 1)]).unwrap_err().to_string();
    let source = include_str!("program.rs");
    let line = |what: &str| source.lines().position(|l| l.contains(what)).unwrap() + 1;
    let (kernel, call) = (line("pl::write(y, [0], 12 / by)"), line("divide(y, by - 1)"));
    assert!(text.contains(&format!("--> tests/host/program.rs:{kernel}:")), "{text}");
    assert!(text.contains(&format!(" (called from tests/host/program.rs:{call}:")), "{text}");
}

#[test]
fn stages_of_a_host_function() {
    let world = world("a2a3sim", 2);
    let x = ramp(2);
    let mut y = Array3::zeros((2, 2, 3));
    let stages = world.compile_host(run_steps(x.view(), y.view_mut(), 1)).unwrap();
    let text = pl::text::print(stages.ir());
    assert!(text.contains("Host fn run_steps(") && text.contains("call steps("), "{text}");
    let [launch] = &stages.launches[..] else { panic!("one launch") };
    assert_eq!((launch.what.as_str(), launch.ranks.len()), ("steps", 2));
    let kernel = pl::text::print(launch.ranks[1].ir());
    assert!(kernel.contains("Orchestration fn steps(") && kernel.contains("pl::mul("), "{kernel}");
    assert!(launch.ranks[0].plan().unwrap().contains("steps"));
    // Nothing ran.
    assert!(y.iter().all(|v| *v == 0.0));
}

#[pl::function(Host, dynamic(NR))]
fn collectives(
    x: pl::Tensor<f32, { [NR, 2, 3] }>,
    sums: pl::Out<pl::Tensor<f32, { [NR, 2, 3] }>>,
    firsts: pl::Out<pl::Tensor<f32, { [NR, 2, 3] }>>,
    root: usize,
) {
    let p = pld::world_size();
    let data = pld::window::<f32>(pld::alloc_window_buffer(24), [2, 3]);
    let signal = pld::window::<i32>(pld::alloc_window_buffer(4 * p), [p, 1]);
    for r in 0..p {
        stage(x[r], data, device = r);
    }
    let mut other = pld::window::<f32>(pld::alloc_window_buffer(24), [2, 3]);
    for r in 0..p {
        stage(x[r], other, device = r);
    }
    other = pld::tensor::broadcast(other, signal, root = root);
    pld::tensor::barrier(signal);
    pld::tensor::allreduce(data, op = pld::ReduceOp::Max, mode = "ring");
    pld::tensor::allreduce(data);
    for r in 0..p {
        fetch(data, sums[r], device = r);
    }
    for r in 0..p {
        fetch(other, firsts[r], device = r);
    }
}

fn call_collectives<'a>(x: &'a Array3<f32>, out: &'a mut [Array3<f32>; 2], root: usize) -> HostCall<'a> {
    let [sums, firsts] = out;
    collectives(x.view(), sums.view_mut(), firsts.view_mut(), root)
}

#[test]
fn collectives_of_a_host_function() {
    for ranks in [2, 3, 5] {
        let world = world("a2a3sim", ranks);
        let x = ramp(ranks);
        let mut out = [Array3::zeros((ranks, 2, 3)), Array3::zeros((ranks, 2, 3))];
        let report = world.run(call_collectives(&x, &mut out, 1)).unwrap();
        // The last rank has the maximum, and so many ranks add it.
        let expected = &x.index_axis(Axis(0), ranks - 1) * ranks as f32;
        for rank in 0..ranks {
            assert_eq!(out[0].index_axis(Axis(0), rank), expected, "{ranks} ranks, rank {rank}");
            assert_eq!(out[1].index_axis(Axis(0), rank), x.index_axis(Axis(0), 1), "{ranks} ranks, rank {rank}");
        }
        let what: Vec<_> = report.launches.iter().map(|l| l.what.as_str()).collect();
        let allreduce = "pld::tensor::allreduce";
        assert_eq!(
            what,
            [
                "stage",
                "stage",
                "pld::tensor::broadcast",
                "pld::tensor::barrier",
                allreduce,
                allreduce,
                "fetch",
                "fetch"
            ]
        );
    }
    let world = world("sim", 3);
    let x = ramp(3);
    let mut out = [Array3::zeros((3, 2, 3)), Array3::zeros((3, 2, 3))];
    let problem = text(world.run(call_collectives(&x, &mut out, 3)));
    assert_eq!(
        problem,
        "`root` of `pld::tensor::broadcast` is 3, which is not a rank of a world of 3 ranks\n  \
         --> tests/host/program.rs (in Host function `collectives`)\n  = help: ranks are 0 to 2"
    );
}

#[test]
fn arguments_are_bound_before_anything_runs() {
    let world: World = world("sim", 2);
    let x = ramp(2);
    let mut y = Array3::zeros((2, 2, 4));
    let problem = text(world.run(run_steps(x.view(), y.view_mut(), 0)));
    assert!(problem.starts_with("axis 2 of argument `y` is 4, the parameter declares `SIZE` = 3"), "{problem}");
    assert!(problem.contains("(in Host function `run_steps`)"), "{problem}");
}

#[pl::function(InCore, dynamic(SIZE))]
fn accumulate<T: pl::Element>(
    weights: pl::Tensor<T, { [SIZE] }>,
    data: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    rank: usize,
) {
    pl::store(pl::load(data, [0], [SIZE]) + pl::load(weights, [0], [SIZE]) * (rank as T), [0], data);
}

/// Windows of the caller, a tensor that all ranks read, an element type.
#[pl::function(Host, dynamic(NR, SIZE))]
fn on_windows<T: pl::Element>(
    weights: pl::Tensor<T, { [SIZE] }>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let p = pld::world_size();
    for r in 0..p {
        accumulate::<T>(weights, data, p - 1 - r, device = p - 1 - r);
    }
    data = pld::tensor::broadcast(data, signal, root = p - 1);
}

#[test]
fn windows_of_the_caller_outlive_the_run() {
    for ranks in [2, 256] {
        let world = world("sim", ranks);
        let weights = Array1::from_iter([1, 2, 3]);
        let (data, signal) = (world.zeros::<i32>([3]).unwrap(), world.window::<i32>([ranks, 1]).unwrap());
        for _ in 0..2 {
            world.run(on_windows::<i32>(weights.view(), &data, &signal)).unwrap();
        }
        let expected = &weights * (2 * (ranks as i32 - 1));
        for rank in [0, ranks - 1] {
            assert_eq!(data.to_array(rank).unwrap(), expected.clone().into_dyn(), "rank {rank} of {ranks}");
        }
        assert_eq!(signal.to_array(1).unwrap().sum(), 0);
    }
    let (all, other) = (world("sim", 2), world("sim", 2));
    let (data, signal) = (other.zeros::<i32>([3]).unwrap(), other.window::<i32>([2, 1]).unwrap());
    let problem = text(all.run(on_windows::<i32>(Array1::zeros(3).view(), &data, &signal)));
    assert!(
        problem.starts_with("`data` of `accumulate`, called for rank 0, is a window of another world\n"),
        "{problem}"
    );
    assert!(problem.contains("\n  = launched by `on_windows` at tests/host/program.rs\n  = help: "), "{problem}");
}

#[pl::function(InCore, dynamic(NR))]
fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::barrier(signal);
}

#[pl::function(Orchestration, dynamic(NR))]
fn meets(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    meet(signal);
}

#[test]
fn problems_of_windows_name_the_level() {
    let world = world("sim", 3);
    let [a, b] = [world.window::<i32>([3, 1]).unwrap(), world.window::<i32>([3, 1]).unwrap()];
    let of_pair = world.subset(&[0, 1]).unwrap().window::<i32>([2, 1]).unwrap();
    let outside = world.launch([meets(&of_pair), meets(&of_pair), meets(&of_pair)]).unwrap_err().to_string();
    let different = world.launch([meets(&a), meets(&a), meets(&b)]).unwrap_err().to_string();
    for (text, expected) in [(outside, "the window passed for `signal`"), (different, "the ranks pass 2 different")] {
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("(in Orchestration function `meets`)"), "{text}");
    }
}
