//! Checks that stop a run, as the user sees them: each names the line of its kernel.

use crate::support::world;
use expect_test::{Expect, expect};
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{Error, Fault, LaunchOptions, Scheduler, World};
use pl_examples_cli::Failure;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn seeded() -> LaunchOptions {
    LaunchOptions { scheduler: Scheduler::Seeded(7), ..LaunchOptions::default() }
}

/// The report of a fault of this kind. Lines are counted from the kernel's first line, so that the expectation stays when the file grows.
#[track_caller]
fn check(result: Result<pl::Report, Error>, kind: &str, first_line: u32, expected: Expect) {
    let error = result.unwrap_err();
    let Error::Fault(fault) = &error else { panic!("{error}") };
    assert_eq!(fault.kind(), kind, "{error}");
    assert!(fault.site().unwrap().place.is_some());
    assert_eq!(Failure::from(error.clone()).status(), 3);
    expected.assert_eq(&relative(&error.to_string(), first_line));
}

/// Writes `LINE+n` for the lines of this file.
fn relative(text: &str, first_line: u32) -> String {
    let mut parts = text.split(concat!(file!(), ":"));
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let line: u32 = part[..digits].parse().unwrap();
        out += &format!("faults.rs:+{}{}", line - first_line, &part[digits..]);
    }
    out
}

/// Two windows for kernels of two ranks.
fn two() -> (World, pl::Window<f32>, pl::Window<i32>) {
    let world = world("sim", 2);
    let (data, signal) = (world.window([2, 4]).unwrap(), world.window([2, 1]).unwrap());
    (world, data, signal)
}

#[test]
fn deadlock() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(
        data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    ) {
        let my_rank = pld::rank(pld::get_comm_ctx(data));
        if my_rank == 0 {
            pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
        if my_rank == 1 {
            // One notify comes, two are awaited.
            pld::system::wait(signal, offsets = [0, 0], expected = 2, cmp = pld::WaitCmp::Ge);
        }
    }
    let (world, data, signal) = two();
    let parallel = world.launch([step(&data, &signal), step(&data, &signal)]);
    world.reset_all().unwrap();
    let result = world.launch_with(seeded(), [step(&data, &signal), step(&data, &signal)]);
    let fault = |result: &Result<pl::Report, Error>| result.as_ref().err().and_then(Error::fault).cloned();
    assert_eq!(fault(&parallel), fault(&result), "a deadlock does not depend on the scheduler");
    check(
        result,
        "deadlock",
        first_line,
        expect![[r#"
            deadlock: 1 rank of 2 blocked, 1 finished
              --> faults.rs:+12:13 (rank 1, kernel `step`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 2; it is 1
              = rank 0 added 1 at faults.rs:+8:13, which made it 1
              = rank 0 notifies it at faults.rs:+8:13: it sent once and will not any more, it is finished
              = note: found in the schedule of seed 7, which repeats it
              = help: nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects"#]],
    );
}

#[test]
fn uninitialised() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, y: pl::Out<pl::Tensor<f32, { [1, 4] }>>) {
        let row = pl::full::<f32>([1, 3], 1.0);
        pl::store(row, [0, 0], data);
        let whole = pl::load(data, [0, 0], [1, 4]);
        pl::store(whole, [0, 0], y);
    }
    let (world, data, _) = two();
    let mut y = [Array2::zeros((1, 4)), Array2::zeros((1, 4))];
    let result = world.launch_with(seeded(), y.iter_mut().map(|y| step(&data, y.view_mut())));
    check(
        result,
        "uninitialised",
        first_line,
        expect![[r#"
            read of an element that nothing wrote: 1 of 4 in `data[0, 0..4]` of rank 1
              --> faults.rs:+5:21 (rank 1, kernel `step`)
              = `pl::load`: the first of them is [0, 3]
              = note: found in the schedule of seed 7, which repeats it
              = help: store into the window before it is read; or make the window's zeros data with `world.zeros` or `world.window_from`"#]],
    );
    // What the host wrote, and the zeros of `zeros`, are data.
    let data = world.zeros::<f32>([2, 4]).unwrap();
    world.launch(y.iter_mut().map(|y| step(&data, y.view_mut()))).unwrap();
    assert_eq!(y[0].as_slice().unwrap(), [1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn out_of_bounds() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>, row: usize) {
        let t = pl::full::<f32>([1, 4], 1.0);
        pl::store(t, [row, 0], data);
    }
    let (world, data, _) = two();
    let result = world.launch_with(seeded(), [step(&data, 1), step(&data, 2)]);
    check(
        result,
        "out-of-bounds",
        first_line,
        expect![[r#"
            box out of bounds: axis 0 of `data` has extent 2, and the index is 2
              --> faults.rs:+4:9 (rank 1, kernel `step`)
              = `pl::store`: offsets [2, 0] and extents [1, 4] in `data` of shape [2, 4]
              = note: found in the schedule of seed 7, which repeats it
              = help: offset + extent must not be more than the extent of the memory, on every axis; a ragged tail takes `pl::min(…)`"#]],
    );
}

#[test]
fn index_underflow() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>) {
        let my_rank = pld::rank(pld::get_comm_ctx(data));
        let t = pl::full::<f32>([1, 4], 1.0);
        pl::store(t, [my_rank - 1, 0], data);
    }
    let (world, data, _) = two();
    let result = world.launch_with(seeded(), [step(&data), step(&data)]);
    check(
        result,
        "arithmetic",
        first_line,
        expect![[r#"
            `0 - 1` is less than 0 (`usize`)
              --> faults.rs:+5:23 (rank 0, kernel `step`)
              = note: found in the schedule of seed 7, which repeats it
              = help: an index is never negative: compare before you subtract, or add before you subtract"#]],
    );
}

#[test]
fn peer_out_of_range() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
        let my_rank = pld::rank(pld::get_comm_ctx(signal));
        pld::system::notify(signal, peer = my_rank + 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
    }
    let (world, _, signal) = two();
    let result = world.launch_with(seeded(), [step(&signal), step(&signal)]);
    check(
        result,
        "peer",
        first_line,
        expect![[r#"
            peer 2 is not a rank: the domain of `signal` has 2 ranks
              --> faults.rs:+4:9 (rank 1, kernel `step`)
              = note: found in the schedule of seed 7, which repeats it
              = help: peers of `pld::system::notify` are 0..2: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`"#]],
    );
}

#[test]
fn endless_loop() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>) {
        let mut n = 1;
        while n > 0 {
            let t = pl::full::<f32>([1, 4], 1.0);
            pl::store(t, [0, 0], data);
            n = 1;
        }
    }
    let (world, data, _) = two();
    let options = LaunchOptions { op_budget: 10_000, ..seeded() };
    check(
        world.launch_with(options, [step(&data), step(&data)]),
        "op-budget",
        first_line,
        expect![[r#"
            endless loop? rank 1 executed more than 10000 ops
              --> faults.rs:+7:13 (rank 1, kernel `step`)
              = note: found in the schedule of seed 7, which repeats it
              = help: look at the condition of the loop; a kernel that needs more ops than that takes a larger op budget"#]],
    );
}

#[test]
fn livelock() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
        while pl::read(signal, [0, 0]) == 0 {}
    }
    let (world, _, signal) = two();
    check(
        world.launch_with(seeded(), [step(&signal), step(&signal)]),
        "livelock",
        first_line,
        expect![[r#"
            livelock: 2 ranks of 2 re-reading cells that nobody will change, 0 blocked, 0 finished
              --> faults.rs:+3:15 (rank 0, kernel `step`)
              = rank 0 re-reads `signal[0, 0]` of rank 0, which stays 0
              --> faults.rs:+3:15 (rank 1, kernel `step`)
              = rank 1 re-reads `signal[0, 0]` of rank 1, which stays 0
              = note: found in the schedule of seed 7, which repeats it
              = help: `pl::read` acquires nothing and waits for nothing: use `pld::system::wait`, and a notify that satisfies it; what a rank writes into its own copy of a window, no other rank sees"#]],
    );
}

#[test]
fn interrupted() {
    let first_line = line!();
    #[pl::function(InCore)]
    fn step(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
        let my_rank = pld::rank(pld::get_comm_ctx(signal));
        if my_rank == 1 {
            pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
        let mut n = 1;
        while n > 0 {
            n = 1;
        }
    }
    let (world, _, signal) = two();
    let options = LaunchOptions { interrupt: Some(Arc::new(AtomicBool::new(true))), ..seeded() };
    let error = world.launch_with(options, [step(&signal), step(&signal)]).unwrap_err();
    let Error::Fault(fault) = &error else { panic!("{error}") };
    assert!(matches!(fault.fault, Fault::Interrupted(_)));
    expect![[r#"
        interrupted
          = ranks 0-1: running, at faults.rs:+3:33"#]]
    .assert_eq(&relative(&error.to_string(), first_line));
}

/// One launch is one interleaving: a race that depends on it is found under some seeds, and under those every time.
#[test]
fn interleavings() {
    #[pl::function(InCore)]
    fn first_come(
        mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
    ) {
        let my_rank = pld::rank(pld::get_comm_ctx(data));
        if my_rank == 0 {
            pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
            let row = pld::tile::remote_load(data, peer = 1, offsets = [0, 0], shape = [1, 4]);
            data = pl::store(row, [0, 0], data);
        } else {
            data = pl::store(pl::full::<f32>([1, 4], 1.0), [0, 0], data);
            pld::system::notify(signal, peer = 0, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    let world = world("sim", 3);
    let (data, signal) = (world.window::<f32>([1, 4]).unwrap(), world.window::<i32>([1, 1]).unwrap());
    let outcome = |seed| {
        world.reset_all().unwrap();
        let options = LaunchOptions { scheduler: Scheduler::Seeded(seed), ..LaunchOptions::default() };
        let result = world.launch_with(options, (0..3).map(|_| first_come(&data, &signal)));
        result.map(|_| data.to_array(0).unwrap()).map_err(|error| error.to_string())
    };
    let outcomes: Vec<_> = (0..64).map(outcome).collect();
    assert!(outcomes.iter().any(Result::is_ok) && outcomes.iter().any(Result::is_err));
    for (seed, expected) in (0..).zip(&outcomes) {
        assert_eq!(outcome(seed), *expected, "seed {seed}");
        let report = expected.as_ref().err();
        let named =
            report.is_none_or(|r| r.starts_with("race on `data") || r.starts_with("read of elements that nothing"));
        assert!(named, "seed {seed}: {report:?}");
    }
}

#[pl::function(InCore)]
fn square(n: usize, y: pl::Out<pl::Tensor<f32, { [1, 1] }>>) {
    let ones = pl::full::<f32>([n, n], 1.0);
    pl::store(ones, [0, 0], y);
}

#[test]
fn a_tile_that_the_host_cannot_hold() {
    let world = world("sim", 1);
    let mut y = Array2::zeros((1, 1));
    for n in [1 << 21, 1 << 32, usize::MAX / 2] {
        let error = world.launch([square(n, y.view_mut())]).unwrap_err();
        assert!(matches!(&error, Error::Fault(fault) if matches!(fault.fault, Fault::TileMemory(_))), "{error}");
        let error = error.to_string();
        assert!(error.contains("`pl::full` needs") && error.contains("faults.rs:"), "{error}");
        assert!(error.contains("the host does not have as much"), "{error}");
    }
}
