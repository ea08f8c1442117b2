//! What each check says. The whole text of every kind of report stands here.

use crate::runs::{HAND, hand_args};
use crate::support::{Arg, World, id, index, input, output};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::ir::{Lit, ScalarType};
use pl_core::runtime::{Engine, EngineError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[track_caller]
fn check(fault: &Fault, expected: Expect) {
    expected.assert_eq(&format!("{fault}\n"));
}

/// A world of `ranks` whose schedule does not change, with a window `data` of f32 [4, 8] and one `signal` of i32 [4, 1].
fn two_windows(ranks: usize) -> (World, impl Fn(usize) -> Vec<Arg>) {
    let world = World::new(ranks).seeded(7);
    let (data, signal) = (world.window(DType::F32, &[4, 8]), world.window(DType::I32, &[4, 1]));
    (world, move |_| vec![data.clone(), signal.clone()])
}

/// A kernel on [`two_windows`].
fn kernel(body: &str) -> String {
    format!(
        "InCore fn k(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
{body}
}}"
    )
}

/// Two rounds with one barrier each: who is fast stages the second while others may still read the first. A wait that comes late finds
/// the credits of both rounds; that it could have passed after the first is enough to see it, in every interleaving.
#[test]
fn one_barrier_a_round_is_a_race_in_every_interleaving() {
    let body = "  for round in 0..2 {
    t = pl::full::<f32>([1, 8], 1.0)
    data = pl::store(t, [me, 0], data)
    for peer in 0..2 {
      if peer != me {
        pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
      }
    }
    for src in 0..2 {
      if src != me {
        pld::system::wait(signal, [src, 0], (round + 1) as i32, cmp = Ge)
        u = pld::tile::remote_load(data, src, [src, 0], [1, 8])
      }
    }
  }";
    for seed in 0..60 {
        let world = World::new(2).seeded(seed);
        let (data, signal) = (world.zeros(DType::F32, &[4, 8]), world.window(DType::I32, &[4, 1]));
        let fault = world.run(&kernel(body), |_| vec![data.clone(), signal.clone()]).map(|_| ());
        let race = |e: &EngineError| matches!(e, EngineError::Fault(f) if f.kind() == "race");
        assert!(fault.as_ref().is_err_and(race), "seed {seed}: {fault:?}");
    }
}

#[test]
fn a_load_that_nothing_orders_after_a_store() {
    let body = "  t = pl::full::<f32>([2, 8], 1.0)
  data = pl::store(t, [1, 0], data)
  if me == 0 {
    pld::system::notify(signal, 1, [0, 0], 1, op = AtomicAdd)
    data = pl::store(t, [0, 0], data)
    pld::system::notify(signal, 1, [0, 0], 1, op = AtomicAdd)
  } else {
    pld::system::wait(signal, [0, 0], 1, cmp = Ge)
    u = pld::tile::remote_load(data, 0, [0, 2], [4, 3])
  }";
    // Where the wait comes late, it finds both notifies, and could have passed after the first all the same.
    let run = |seed| {
        let world = World::new(2).seeded(seed);
        let (data, signal) = (world.zeros(DType::F32, &[4, 8]), world.window(DType::I32, &[4, 1]));
        world.run(&kernel(body), |_| vec![data.clone(), signal.clone()]).map(|_| ())
    };
    let faults: Vec<_> = (0..60).filter_map(|seed| run(seed).err()).collect();
    let after_the_load =
        |fault: &&EngineError| matches!(fault, EngineError::Fault(f) if f.site().is_some_and(|s| s.rank == 0));
    let before: Vec<_> = faults.iter().filter(|f| !after_the_load(f)).collect();
    let after: Vec<_> = faults.iter().filter(after_the_load).collect();
    assert!(faults.len() == 60 && !before.is_empty() && !after.is_empty());
    expect![[r#"
        error: race on `data[0, 2..5]` of rank 0: nothing orders `pld::tile::remote_load` of rank 1 after `pl::store` of rank 0
          --> text:13:5 (rank 1, kernel `k`)
          = rank 1 would read `data[0..4, 2..5]` of rank 0 here; it was stopped before
          --> text:9:5 (rank 0, kernel `k`)
          = rank 0 wrote `data[0..2, 0..8]` of rank 0 here
          = what is missing: rank 1 knows what rank 0 did before its notify number 1 at text:8:5, and rank 0 did this after that one
          = rank 1 knows it by its wait at text:12:5
          = the next notify of rank 0 is the one at text:10:5
          = help: let rank 0 notify after its `pl::store` and rank 1 wait for that before its `pld::tile::remote_load`; or, where rank 1 was to read what stood there before, let rank 1 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` between them does either
    "#]].assert_eq(&format!("{}\n", before[0]));
    expect![[r#"
        error: race on `data[0, 2..5]` of rank 0: nothing orders `pl::store` of rank 0 after `pld::tile::remote_load` of rank 1
          --> text:9:5 (rank 0, kernel `k`)
          = rank 0 would write `data[0..2, 0..8]` of rank 0 here; it was stopped before
          --> text:13:5 (rank 1, kernel `k`)
          = rank 1 read `data[0, 2..5]` of rank 0 here
          = what is missing: no wait of rank 0 passed because of a notify of rank 1, directly or through other ranks; rank 1 did this before its first notify of this launch
          = help: let rank 1 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` does both
    "#]].assert_eq(&format!("{}\n", after[0]));
}

#[test]
fn a_store_while_another_rank_may_still_read() {
    let (world, args) = two_windows(2);
    let fault = world.fault(
        &kernel(
            "  t = pl::full::<f32>([4, 8], 1.0)
  data = pl::store(t, [0, 0], data)
  pld::system::notify(signal, 1 - me, [me, 0], 1, op = AtomicAdd)
  pld::system::wait(signal, [1 - me, 0], 1, cmp = Ge)
  u = pld::tile::remote_load(data, 1 - me, [0, 0], [4, 8])
  data = pl::store(u, [0, 0], data)",
        ),
        args,
    );
    let Fault::Race(race) = &fault else { panic!("{fault}") };
    let mut ops = [race.first.site.op, race.second.site.op];
    ops.sort_unstable();
    assert_eq!(ops, ["pl::store", "pld::tile::remote_load"]);
}

#[test]
fn a_second_launch_on_a_used_signal() {
    let mut world = World::new(2);
    world.options.scheduler = pl_core::runtime::Scheduler::Seeded(0);
    let args = hand_args(&world, 2, 4);
    world.ok(HAND, &args);
    let fault = world.fault(HAND, &args);
    check(
        &fault,
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pld::tile::remote_load` of rank 0 after `pl::store` of rank 1
              --> text:24:7 (rank 0, kernel `hand`)
              = rank 0 would read `data[0, 0..4]` of rank 1 here; it was stopped before
              --> text:9:5 (rank 1, kernel `hand`)
              = rank 1 wrote `data[0..2, 0..4]` of rank 1 here
              = what is missing: no wait of rank 0 passed because of a notify of rank 1, directly or through other ranks; rank 1 did this before its first notify of this launch
              = note: the wait of rank 0 at text:18:7 passed without a notify: `signal[1, 0]` of rank 0 was already 1 when the launch started, and 1 >= 1
              = help: `world.reset(&signal)` before the launch clears what an earlier one left in the signal; or let the kernel take its credits back, as the builtins do
        "#]],
    );
    // The windows are poisoned until they are reset.
    let windows: Vec<_> = args(0).iter().filter(|a| matches!(a, Arg::Window(..))).map(id).collect();
    assert!(matches!(world.run(HAND, &args), Err(EngineError::Poisoned(_))));
    for window in windows {
        world.sim.reset(window).expect("a window");
    }
    world.ok(HAND, &args);
}

#[test]
fn a_reset_of_the_signal_mends_a_second_launch() {
    let world = World::new(3);
    let args = hand_args(&world, 3, 4);
    for _ in 0..3 {
        world.ok(HAND, &args);
        world.sim.reset(id(&args(0)[3])).expect("a window");
    }
}

#[test]
fn stores_and_loads_on_signal_cells() {
    for (body, first, second) in [
        // A store on a cell that another rank notifies.
        (
            "if me == 0 {\n pld::system::notify(signal, 1, [0, 0], 1, op = AtomicAdd)\n } else {\n signal = pl::write(signal, [0, 0], 5)\n }",
            "pl::write",
            "notify",
        ),
        // A load over a cell that another rank notifies.
        (
            "if me == 0 {\n pld::system::notify(signal, 1, [2, 0], 1, op = Set)\n } else {\n t = pl::full::<i32>([4, 1], 0)\n signal = pl::store(t, [0, 0], signal)\n u = pl::load(signal, [0, 0], [4, 1])\n }",
            "",
            "notify",
        ),
    ] {
        for seed in 0..8 {
            let world = World::new(2).seeded(seed);
            let (data, signal) = (world.window(DType::F32, &[4, 8]), world.window(DType::I32, &[4, 1]));
            let fault = world.fault(&kernel(body), |_| vec![data.clone(), signal.clone()]);
            let Fault::Race(race) = &fault else { panic!("{fault}") };
            let ops = [race.first.site.op, race.second.site.op];
            assert!(ops.iter().any(|op| op.contains(first)) && ops.iter().any(|op| op.contains(second)), "{fault}");
        }
    }
}

#[test]
fn a_remote_load_of_a_cell_races_with_its_notify_and_a_wait_does_not() {
    let body = "
  t = pl::full::<i32>([4, 1], 0)
  if me == 2 {
    signal = pl::store(t, [0, 0], signal)
    pld::system::notify(signal, 0, [0, 0], 1, op = AtomicAdd)
    pld::system::notify(signal, 1, [0, 0], 1, op = AtomicAdd)
    pld::system::wait(signal, [3, 0], 1, cmp = Ge)
  } else {
    pld::system::wait(signal, [0, 0], 1, cmp = Ge)
    if me == 0 {
      pld::system::notify(signal, 2, [3, 0], 1, op = AtomicAdd)
    } else {
      u = pld::tile::remote_load(signal, 2, [3, 0], [1, 1])
    }
  }";
    let (world, args) = two_windows(3);
    let fault = world.fault(&kernel(body), args);
    let Fault::Race(race) = &fault else { panic!("{fault}") };
    assert!(race.overlap.offsets == [3, 0] && race.overlap.owner == Some(2), "{fault}");
}

#[test]
fn uninitialised_reads() {
    let (world, args) = two_windows(1);
    let fault = world.fault(
        &kernel(
            "  t = pl::full::<f32>([2, 3], 1.0)
  data = pl::store(t, [1, 2], data)
  u = pl::load(data, [1, 2], [2, 5])",
        ),
        args,
    );
    check(
        &fault,
        expect![[r#"
            error: read of elements that nothing wrote: 4 of 10 in `data[1..3, 2..7]` of rank 0
              --> text:7:3 (rank 0, kernel `k`)
              = `pl::load`: the first of them is [1, 5]
              = help: store into the window before it is read; or make the window's zeros data with `world.zeros` or `world.window_from`
        "#]],
    );
    let world = World::new(1);
    let kernel = "InCore fn k(y: Out tensor<f32, [8]>) {
  y = pl::write(y, [3], 1.0)
  s = pl::read(y, [3])
  s = pl::read(y, [4])
}";
    check(
        &world.fault(kernel, |_| vec![output(DType::F32, &[8])]),
        expect![[r#"
        error: read of an element that nothing wrote: 1 of 1 in `y[4]`
          --> text:5:3 (rank 0, kernel `k`)
          = `pl::read`: the first of them is [4]
          = help: an `Out` tensor holds no data before the kernel stores into it; `InOut` takes data in
    "#]],
    );
    let into = kernel.replace("Out tensor", "InOut tensor");
    world.ok(&into, |_| vec![output(DType::F32, &[8])]);
}

#[test]
fn zeros_are_data_where_they_were_asked_for() {
    let world = World::new(1);
    let load = "InCore fn k(w: InOut window<i32, [2, 2]>) {
  t = pl::load(w, [0, 0], [2, 2])
}";
    let read = "InCore fn k(w: InOut window<i32, [2, 2]>, y: Out tensor<i32, [1]>) {
  s = pl::read(w, [1, 1])
  y = pl::write(y, [0], s)
}";
    let (fresh, zeros) = (world.window(DType::I32, &[2, 2]), world.zeros(DType::I32, &[2, 2]));
    assert_eq!(world.ok(read, |_| vec![fresh.clone(), output(DType::I32, &[1])]).out::<i32>(0, 0), [0]);
    assert!(matches!(world.fault(load, |_| vec![fresh.clone()]), Fault::Uninitialised(_)));
    world.ok(load, |_| vec![zeros.clone()]);
    world.sim.reset(id(&fresh)).expect("a window");
    world.sim.write(id(&fresh), 0, &[0; 16]).expect("a write");
    world.ok(load, |_| vec![fresh.clone()]);
}

#[test]
fn boxes_out_of_bounds() {
    let world = World::new(1);
    let kernel = "InCore fn k(x: In tensor<f32, [4, 8]>, i: usize) {
  t = pl::load(x, [i, 0], [2, i * 3])
}";
    let x = input(&[4, 8], &[0_f32; 32]);
    check(
        &world.fault(kernel, |_| vec![x.clone(), index(3)]),
        expect![[r#"
        error: box out of bounds: axis 0 of `x` has extent 4, and the box is 3..5
          --> text:3:3 (rank 0, kernel `k`)
          = `pl::load`: offsets [3, 0] and extents [2, 9] in `x` of shape [4, 8]
          = help: offset + extent must not be more than the extent of the memory, on every axis; a ragged tail takes `pl::min(…)`
    "#]],
    );
    let read = "InCore fn k(x: In tensor<f32, [4, 8]>, i: usize) {
  s = pl::read(x, [i - 5, i])
}";
    check(
        &world.fault(read, |_| vec![x.clone(), index(8)]),
        expect![[r#"
        error: box out of bounds: axis 1 of `x` has extent 8, and the index is 8
          --> text:3:3 (rank 0, kernel `k`)
          = `pl::read`: offsets [3, 8] and extents [1, 1] in `x` of shape [4, 8]
          = help: offset + extent must not be more than the extent of the memory, on every axis; a ragged tail takes `pl::min(…)`
    "#]],
    );
    check(
        &world.fault(read, |_| vec![x.clone(), index(3)]),
        expect![[r#"
        error: `3 - 5` is less than 0 (`usize`)
          --> text:3:22 (rank 0, kernel `k`)
          = help: an index is never negative: compare before you subtract, or add before you subtract
    "#]],
    );
}

#[test]
fn scalar_arithmetic() {
    let world = World::new(1);
    let run = |expr: &str, n: i128| {
        let kernel = format!(
            "InCore fn k(n: usize, y: Out tensor<i32, [1]>) {{
  m = n as i32
  y = pl::write(y, [0], {expr})
}}"
        );
        world.fault(&kernel, |_| vec![index(n), output(DType::I32, &[1])])
    };
    check(
        &run("m + 2000000000", 2_000_000_000),
        expect![[r#"
        error: `2000000000 + 2000000000` overflows (`i32`)
          --> text:4:27 (rank 0, kernel `k`)
          = help: the result must fit the type: cast the operands to a wider one
    "#]],
    );
    check(
        &run("10 / (m - 4)", 4),
        expect![[r#"
        error: `10 / 0` divides by zero (`i32`)
          --> text:4:28 (rank 0, kernel `k`)
          = help: test the divisor before
    "#]],
    );
    check(
        &run("(n * n * 3) as i32", 1 << 40),
        expect![[r#"
        error: `1099511627776 * 1099511627776` overflows (`usize`)
          --> text:4:28 (rank 0, kernel `k`)
          = help: an index has 64 bits: look at where these values come from
    "#]],
    );
    let kernel = "InCore fn k(n: usize) {
  for i in 0..10 step n {
  }
}";
    check(
        &world.fault(kernel, |_| vec![index(0)]),
        expect![[r#"
        error: `pl::range` has a step of zero (`usize`)
          --> text:3:3 (rank 0, kernel `k`)
          = help: the step of `pl::range` must be at least 1
    "#]],
    );
}

#[test]
fn peers_out_of_range() {
    let (world, args) = two_windows(2);
    let fault = world.fault(&kernel("  pld::system::notify(signal, me + 1, [0, 0], 1, op = AtomicAdd)"), args);
    check(
        &fault,
        expect![[r#"
        error: peer 2 is not a rank: the domain of `signal` has 2 ranks
          --> text:5:3 (rank 1, kernel `k`)
          = help: peers of `pld::system::notify` are 0..2: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`
    "#]],
    );
}

#[test]
fn tiles_of_different_extents() {
    let world = World::new(1);
    let kernel = "InCore fn k(x: In tensor<f32, [4, 8]>, n: usize) {
  a = pl::load(x, [0, 0], [1, n])
  b = pl::load(x, [0, 0], [1, 2 * n])
  c = pl::add(a, b)
}";
    let args = |_| vec![input(&[4, 8], &[0_f32; 32]), index(3)];
    check(
        &world.fault(kernel, args),
        expect![[r#"
        error: tiles of different extents: `a` is [1, 3], `b` is [1, 6]
          --> text:5:3 (rank 0, kernel `k`)
          = help: `pl::add` works element by element: give both tiles the same extents
    "#]],
    );
    let declared = kernel.replace("  c = pl::add(a, b)", "  check b : tile<f32, [1, n]>");
    check(
        &world.fault(&declared, args),
        expect![[r#"
        error: `b` is declared with extents [1, 3], and has [1, 6]
          --> text:5:3 (rank 0, kernel `k`)
          = axis 1 differs
          = help: correct the declared type, or the extents of the value
    "#]],
    );
}

#[test]
fn tile_memory_at_run_time() {
    let kernel = "InCore fn k(x: In tensor<f32, [1, N]>, n: usize) dynamic(N) {
  a = pl::load(x, [0, 0], [1, n])
  b = pl::load(x, [0, 0], [1, n])
  c = pl::add(a, b)
  c = pl::add(c, a)
}";
    let fits = (184 << 10) / 8;
    let x = vec![1_f32; 2 * fits];
    let world = World::on("a2a3sim", 1);
    let args = |n: usize| move |_| vec![input(&[1, x.len()], &x), index(n as i128)];
    let args = &args;
    world.ok(kernel, args.clone()(fits));
    check(
        &world.fault(kernel, args.clone()(fits + 1)),
        expect![[r#"
        error: `pl::load` needs 188424 bytes of tile memory; `a2a3sim` has 188416
          --> text:4:3 (rank 0, kernel `k`)
          = `a`: 94212 bytes
          = `b`: 94212 bytes
          = help: process the data in smaller tiles, in a loop over chunks
    "#]],
    );
    World::on("sim", 1).ok(kernel, args.clone()(fits + 1));
}

#[test]
fn tiles_that_the_host_cannot_hold() {
    let world = World::new(1);
    let kernel = "InCore fn k(n: usize) {
  a = pl::full::<f32>([n, n], 1.0)
}";
    check(
        &world.fault(kernel, |_| vec![index(1 << 24)]),
        expect![[r#"
        error: `pl::full` needs 1125899906842624 bytes of tile memory; the host does not have as much
          --> text:3:3 (rank 0, kernel `k`)
          = `a`: 1125899906842624 bytes
          = help: process the data in smaller tiles, in a loop over chunks
    "#]],
    );
    for n in [1 << 21, 1 << 31, 1 << 32, 1 << 40] {
        assert!(matches!(world.fault(kernel, |_| vec![index(n)]), Fault::TileMemory(_)), "{n}");
        let literal = kernel.replace("n: usize", "").replace("[n, n]", &format!("[{n}, {n}]"));
        let fault = world.fault(&literal, |_| vec![]);
        assert!(matches!(&fault, Fault::TileMemory(_)) && fault.to_string().contains("text:3:3"), "{fault}");
        let bound = kernel
            .replace("n: usize", "")
            .replace("[n, n]", "[N, N]")
            .replace("k(", &format!("k<const N: usize = {n}>("));
        let fault = world.fault(&bound, |_| vec![]);
        assert!(matches!(&fault, Fault::TileMemory(_)), "{fault}");
    }
}

#[test]
fn a_cell_overflows() {
    let (world, args) = two_windows(1);
    let body = "  for i in 0..3 {\n    pld::system::notify(signal, 0, [2, 0], 1000000000, op = AtomicAdd)\n  }";
    check(
        &world.fault(&kernel(body), args),
        expect![[r#"
        error: signal overflow: `signal[2, 0]` of rank 0 holds 2000000000, and adding 1000000000 does not fit `i32`
          --> text:6:5 (rank 0, kernel `k`)
          = help: take credits back when they are used (notify yourself with a negative value), or `world.reset` the signal
    "#]],
    );
}

#[test]
fn deadlocks() {
    let (world, args) = two_windows(3);
    // Rank 2 waits for one credit more than it gets; the others are done.
    let body = "
  for peer in 0..3 {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..3 {
    if src != me {
      pld::system::wait(signal, [src, 0], 1 + me as i32 / 2, cmp = Ge)
    }
  }";
    check(
        &world.fault(&kernel(body), &args),
        expect![[r#"
            error: deadlock: 1 rank of 3 blocked, 2 finished
              --> text:13:7 (rank 2, kernel `k`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 2; it is 1
              = rank 0 added 1 at text:8:7, which made it 1
              = rank 0 notifies it at text:8:7: it sent once and will not any more, it is finished
              = help: nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects
        "#]],
    );
    // Each waits before it notifies.
    let (world, args) = two_windows(3);
    let body = "
  pld::system::wait(signal, [(me + 2) % 3, 0], 1, cmp = Ge)
  pld::system::notify(signal, (me + 1) % 3, [me, 0], 1, op = AtomicAdd)";
    check(
        &world.fault(&kernel(body), &args),
        expect![[r#"
            error: deadlock: 3 ranks of 3 blocked, 0 finished
              = rank 0 waits for rank 2, which waits for rank 1, which waits for rank 0
              --> text:6:3 (rank 0, kernel `k`)
              = rank 0 waits for `signal[2, 0]` of rank 0 >= 1; it is 0
              = rank 2 notifies it at text:7:3: it sent nothing so far, and is blocked too
              --> text:6:3 (rank 2, kernel `k`)
              = rank 2 waits for `signal[1, 0]` of rank 2 >= 1; it is 0
              = rank 1 notifies it at text:7:3: it sent nothing so far, and is blocked too
              --> text:6:3 (rank 1, kernel `k`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 0 notifies it at text:7:3: it sent nothing so far, and is blocked too
              = help: the ranks wait for one another: notify before you wait
        "#]],
    );
    // Nobody notifies that cell.
    let (world, args) = two_windows(2);
    let body = "
  pld::system::notify(signal, 1 - me, [me, 0], 1, op = AtomicAdd)
  pld::system::wait(signal, [me, 0], 1, cmp = Ge)";
    check(
        &world.fault(&kernel(body), &args),
        expect![[r#"
        error: deadlock: 2 ranks of 2 blocked, 0 finished
          --> text:7:3 (rank 0, kernel `k`)
          = rank 0 waits for `signal[0, 0]` of rank 0 >= 1; it is 0
          = no kernel of this launch can notify that cell
          --> text:7:3 (rank 1, kernel `k`)
          = rank 1 waits for `signal[1, 0]` of rank 1 >= 1; it is 0
          = no kernel of this launch can notify that cell
          = help: a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait
    "#]],
    );
}

#[test]
fn endless_loops() {
    let (mut world, args) = two_windows(1);
    world.options.op_budget = 10_000;
    let body = "  i = 0usize\n  while me == 0 {\n    i = i + 1\n  }";
    check(
        &world.fault(&kernel(body), &args),
        expect![[r#"
        error: endless loop? rank 0 executed more than 10000 ops
          --> text:6:12 (rank 0, kernel `k`)
          = help: look at the condition of the loop; a kernel that needs more ops than that takes a larger op budget
    "#]],
    );
}

#[test]
fn livelocks() {
    for parallel in [false, true] {
        let (mut world, args) = two_windows(3);
        if parallel {
            world.options.scheduler = pl_core::runtime::Scheduler::Parallel;
        }
        // Rank 0 polls two cells that nobody writes, rank 1 waits for rank 0, rank 2 is done.
        let body = "
  if me == 0 {
    sum = 0i32
    while sum < 5 {
      a = pl::read(signal, [1, 0])
      b = pl::read(signal, [2, 0])
      sum = a + b
    }
    pld::system::notify(signal, 1, [0, 0], 1, op = AtomicAdd)
  }
  if me == 1 {
    pld::system::wait(signal, [0, 0], 1, cmp = Ge)
  }
  if me == 2 {
    pld::system::notify(signal, 0, [2, 0], 3, op = AtomicAdd)
  }";
        let fault = world.fault(&kernel(body), &args);
        if parallel {
            let Fault::Livelock(livelock) = &fault else { panic!("{fault}") };
            assert_eq!((livelock.spinning.len(), livelock.blocked.len(), livelock.finished), (1, 1, 1));
        } else {
            check(
                &fault,
                expect![[r#"
                    error: livelock: 1 rank of 3 re-reading cells that nobody will change, 1 blocked, 1 finished
                      --> text:10:7 (rank 0, kernel `k`)
                      = rank 0 re-reads `signal[2, 0]` of rank 0, which stays 3
                      --> text:16:5 (rank 1, kernel `k`)
                      = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
                      = rank 0 notifies it at text:13:5: it sent nothing so far, and is re-reading unchanged cells at text:10:7
                      = help: `pl::read` acquires nothing and waits for nothing: use `pld::system::wait`, and a notify that satisfies it; what a rank writes into its own copy of a window, no other rank sees
                "#]],
            );
        }
        // With the missing notify all is well.
        let mended = body
            .replace("  if me == 1 {", "  if me == 1 {\n    pld::system::notify(signal, 0, [1, 0], 2, op = AtomicAdd)");
        let (world, args) = two_windows(3);
        world.ok(&kernel(&mended), &args);
    }
}

#[test]
fn interrupts() {
    let (mut world, args) = two_windows(3);
    let flag = Arc::new(AtomicBool::new(false));
    world.options.interrupt = Some(Arc::clone(&flag));
    let body = "
  if me == 0 {
    i = 0usize
    while i >= 0 {
      i = i + 1
    }
  }
  if me == 1 {
    pld::system::wait(signal, [0, 0], 1, cmp = Ge)
  }";
    let timer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        flag.store(true, Ordering::Relaxed);
    });
    let fault = world.fault(&kernel(body), &args);
    timer.join().expect("the timer");
    let text = fault.to_string();
    assert!(text.starts_with("error: interrupted"), "{text}");
    assert!(text.contains("rank 0: running, at text:7:") || text.contains("rank 0: running, at text:8:"), "{text}");
    assert!(text.contains("rank 1: blocked in `pld::system::wait` at text:13:"), "{text}");
    assert!(text.contains("rank 2: finished"), "{text}");
}

#[test]
fn what_the_caller_did_wrong() {
    assert!(Simulator_open_error("a2a3smi").contains("did you mean `a2a3sim`?"));
    assert!(Simulator_open_error("cuda").contains("platforms are `sim`, `a2a3sim`, `a5sim`"));
    let world = World::new(2);
    let kernel = "InCore fn k(x: In tensor<f32, [4]>, w: InOut window<f32, [4]>, s: f32) {
  t = pl::load(x, [0], [4])
  t = pl::mul(t, s)
  w = pl::store(t, [0], w)
}";
    let window = world.window(DType::F32, &[4]);
    let scalar = Arg::Scalar(Lit::Float(2.0), ScalarType::Elem(pl_core::ir::Elem::Known(DType::F32)));
    let args = vec![input(&[4], &[0_f32; 4]), window.clone(), scalar.clone()];
    let program = world.program(kernel, &args);
    let message = |calls: Vec<Vec<Arg>>| {
        let calls = calls.into_iter().map(|args| (Arc::clone(&program), args)).collect();
        world.launch(calls).map(|_| ()).expect_err("an error").to_string()
    };
    assert!(message(vec![args.clone(); 3]).contains("a launch names rank 2; the world has 2"));
    let twice = world.launch_on((0..2).map(|_| (1, Arc::clone(&program), args.clone())).collect()).map(|_| ());
    assert!(twice.expect_err("an error").to_string().contains("a launch names rank 1 more than once"));
    assert!(message(vec![args.clone(), args[..2].to_vec()]).contains("takes 3 arguments, not 2"));
    let short = vec![input(&[4], &[0_f32; 3]), window.clone(), scalar.clone()];
    assert!(message(vec![args.clone(), short]).contains("has 16 bytes, not 12"));
    let other = vec![args[0].clone(), world.window(DType::F32, &[5]), scalar.clone()];
    assert!(message(vec![args.clone(), other]).contains("it is `f32` [5]"));
    let swapped = vec![args[0].clone(), args[0].clone(), scalar];
    assert!(message(vec![args.clone(), swapped]).contains("takes a window"));
    world.sim.free(id(&window));
    assert!(message(vec![args.clone(), args.clone()]).contains("does not exist"));
}

#[expect(non_snake_case, reason = "named after what it calls")]
fn Simulator_open_error(platform: &str) -> String {
    pl_sim::Simulator::open(platform, 2).map(|_| ()).expect_err("an error").to_string()
}
