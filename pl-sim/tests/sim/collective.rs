//! What ranks enter, and counts that are checked.

use crate::support::{Arg, World, index};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::EngineError;

/// A kernel in which `BARRIER` stands for the body of a collective of three ranks, signal `signal`.
fn kernel(body: &str) -> String {
    const BARRIER: &str = "for peer in 0..n {
      if peer != me {
        pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
      }
    }
    for src in 0..n {
      if src != me {
        pld::system::wait(signal, [src, 0], 1, cmp = Ge)
        pld::system::notify(signal, me, [src, 0], -1, op = AtomicAdd)
      }
    }
    pld::system::leave(signal)";
    format!(
        "InCore fn k(data: InOut window<f32, [3, 8]>, other: InOut window<f32, [3, 8]>, signal: InOut window<i32, [3, 1]>, bell: InOut window<i32, [3, 1]>, root: usize) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  flat = pl::reshape(data, [24])
{}
}}",
        body.replace("BARRIER", BARRIER)
    )
}

fn args(world: &World) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let windows = [
        world.zeros(DType::F32, &[3, 8]),
        world.zeros(DType::F32, &[3, 8]),
        world.window(DType::I32, &[3, 1]),
        world.window(DType::I32, &[3, 1]),
    ];
    move |_| windows.iter().cloned().chain([index(2)]).collect()
}

#[track_caller]
fn fault(body: &str) -> Fault {
    let world = World::new(3).seeded(3);
    let args = args(&world);
    world.fault(&kernel(body), &args)
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n", fault(body)));
}

#[test]
fn ranks_that_enter_the_same_go_on() {
    let body = "
  for round in 0..20 {
    if me == round % n {
      pld::system::enter(signal, data, collective = Broadcast, _, _, (root + round) % n)
    } else {
      pld::system::enter(signal, data, collective = Broadcast, _, _, (root + round) % n)
    }
    BARRIER
    pld::system::enter(signal, _, collective = Barrier, _, _, _)
    BARRIER
    pld::system::enter(bell, flat, collective = Allreduce, op = Max, mode = Ring, 0)
    BARRIER
  }";
    for seed in 0..20 {
        let world = if seed == 0 { World::new(3) } else { World::new(3).seeded(seed) };
        let args = args(&world);
        world.ok(&kernel(body), &args);
    }
}

#[test]
fn ranks_that_enter_different_collectives() {
    check(
        "
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  BARRIER
  if me == 1 {
    pld::system::enter(signal, data, collective = Allgather, _, _, _)
  } else {
    pld::system::enter(signal, data, collective = Broadcast, _, _, root)
  }",
        expect![[r#"
            error: ranks enter different collectives: rank 1 enters `pld::tensor::allgather` at text:22:5, rank 0 `pld::tensor::broadcast` at text:24:5
              --> text:22:5 (rank 1, kernel `k`)
              = rank 1 enters `pld::tensor::allgather` here, collective number 2 of this domain
              --> text:24:5 (rank 0, kernel `k`)
              = rank 0 entered `pld::tensor::broadcast` here
              = help: all ranks of a domain enter the same collectives, in the same order and with the same arguments
        "#]],
    );
}

/// Each argument that differs is named, with both values.
#[test]
fn ranks_that_enter_one_collective_with_different_arguments() {
    let enter = "pld::system::enter(signal, data, collective = Allreduce, op = Sum, mode = Mesh, 0)";
    let mut texts = String::new();
    for (from, to) in [
        ("op = Sum", "op = Prod"),
        ("Mesh", "Ring"),
        (", 0)", ", root)"),
        ("data", "other"),
        ("data", "flat"),
        ("(signal", "(bell"),
        ("op = Sum, mode = Mesh", "op = Min, mode = Ring"),
    ] {
        let body = format!("\n  if me == 0 {{\n    {enter}\n  }} else {{\n    {}\n  }}", enter.replace(from, to));
        let fault = fault(&body);
        let Fault::Collective(found) = &fault else { panic!("a difference") };
        assert_eq!(found.before, 0);
        let text = fault.explain().to_string();
        texts += &text.lines().filter(|l| !l.contains("help") && !l.contains("-->")).collect::<Vec<_>>().join("\n");
        texts += "\n";
    }
    expect![[r#"
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `op` is `pld::ReduceOp::Prod`
          = rank 0 entered `pld::tensor::allreduce` here
          = `op` is `pld::ReduceOp::Sum`
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `mode` is `"ring"`
          = rank 0 entered `pld::tensor::allreduce` here
          = `mode` is `"mesh"`
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `root` is 2
          = rank 0 entered `pld::tensor::allreduce` here
          = `root` is 0
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `target` is `other`: `f32` [3, 8]
          = rank 0 entered `pld::tensor::allreduce` here
          = `target` is `data`: `f32` [3, 8]
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `target` is `flat`: `f32` [24]
          = rank 0 entered `pld::tensor::allreduce` here
          = `target` is `data`: `f32` [3, 8]
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `signal` is `bell`: `i32` [3, 1]
          = rank 0 entered `pld::tensor::allreduce` here
          = `signal` is `signal`: `i32` [3, 1]
        ranks enter `pld::tensor::allreduce` with different arguments
          = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
          = `op` is `pld::ReduceOp::Min`
          = `mode` is `"ring"`
          = rank 0 entered `pld::tensor::allreduce` here
          = `op` is `pld::ReduceOp::Sum`
          = `mode` is `"mesh"`
    "#]]
    .assert_eq(&texts);
    // Barriers move no data: which window stands for it does not matter.
    let body = "
  if me == 0 {
    pld::system::enter(bell, _, collective = Barrier, _, _, _)
  } else {
    pld::system::enter(signal, _, collective = Barrier, _, _, _)
  }";
    check(
        body,
        expect![[r#"
        error: ranks enter `pld::tensor::barrier` with different arguments
          --> text:11:5 (rank 1, kernel `k`)
          = rank 1 enters `pld::tensor::barrier` here, collective number 1 of this domain
          = `signal` is `signal`: `i32` [3, 1]
          --> text:9:5 (rank 0, kernel `k`)
          = rank 0 entered `pld::tensor::barrier` here
          = `signal` is `bell`: `i32` [3, 1]
          = help: all ranks of a domain enter the same collectives, in the same order and with the same arguments
    "#]],
    );
}

/// Every interleaving finds the difference, whoever comes first.
#[test]
fn every_schedule_finds_the_difference() {
    let body = "
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  BARRIER
  if me == 0 {
    pld::system::enter(signal, data, collective = Allreduce, op = Sum, mode = Mesh, 0)
  } else {
    pld::system::enter(signal, data, collective = Allreduce, op = Max, mode = Mesh, 0)
  }
  BARRIER";
    let mut stopped = [0; 3];
    for seed in 0..60 {
        let world = World::new(3).seeded(seed);
        let args = args(&world);
        let Fault::Collective(found) = world.fault(&kernel(body), &args) else { panic!("a difference") };
        assert_eq!(found.before, 1);
        assert!((found.first.rank == 0) != (found.second.rank == 0));
        stopped[found.second.rank] += 1;
    }
    assert!(stopped.iter().all(|n| *n > 3), "{stopped:?}");
}

#[test]
fn a_root_is_a_rank() {
    check(
        "
  pld::system::enter(signal, data, collective = Broadcast, _, _, root + 1)",
        expect![[r#"
            error: root 3 of `pld::tensor::broadcast` is not a rank: the domain has 3 ranks
              --> text:8:3 (rank 0, kernel `k`)
              = help: the root is one of 0..3, and the same on every rank
        "#]],
    );
}

/// Ranks wait in a collective that others did not enter: they are done, or wait elsewhere.
#[test]
fn a_deadlock_tells_who_did_not_enter() {
    let enter = "pld::system::enter(signal, _, collective = Barrier, _, _, _)";
    let text = |body: String| {
        let fault = fault(&body).to_string();
        let kept = |l: &&str| l.contains("deadlock") || l.contains("enter") || l.contains("help");
        fault.lines().filter(kept).collect::<Vec<_>>().join("\n") + "\n"
    };
    let finished = text(format!("\n  if me != 2 {{\n    {enter}\n    BARRIER\n  }}"));
    expect![[r#"
        error: deadlock: 2 ranks of 3 blocked, 1 finished
          = rank 2 did not enter `pld::tensor::barrier` (text:9:5), in which 2 ranks wait: it is finished
          = help: every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did not
    "#]].assert_eq(&finished);
    let elsewhere = text(format!(
        "\n  if me == 1 {{\n    pld::system::wait(bell, [0, 0], 1, cmp = Ge)\n  }}\n  {enter}\n  BARRIER\n  pld::system::notify(bell, 1, [0, 0], 1, op = Set)"
    ));
    expect![[r#"
        error: deadlock: 3 ranks of 3 blocked, 0 finished
          = rank 1 did not enter `pld::tensor::barrier` (text:11:3), in which 2 ranks wait: it is blocked in `pld::system::wait` at text:9:5
          = help: the ranks wait for one another: notify before you wait
    "#]].assert_eq(&elsewhere);
    // One round more on one rank.
    let round = text(format!("\n  for round in 0..1 + me / 2 {{\n    {enter}\n    BARRIER\n  }}"));
    expect![[r#"
        error: deadlock: 1 rank of 3 blocked, 2 finished
          = ranks 0-1 did not enter `pld::tensor::barrier` (text:9:5), in which 1 rank waits: they are finished
          = help: every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did not
    "#]].assert_eq(&round);
    let all = fault(&format!("\n  if me == 0 {{\n    {enter}\n    BARRIER\n  }}"));
    expect![[r#"
        error: deadlock: 1 rank of 3 blocked, 2 finished
          = ranks 1-2 did not enter `pld::tensor::barrier` (text:9:5), in which 1 rank waits: they are finished
          --> text:17:9 (rank 0, kernel `k`)
          = rank 0 waits for `signal[1, 0]` of rank 0 >= 1; it is 0
          = no kernel of this launch can notify that cell
          = help: every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did not
    "#]].assert_eq(&format!("{all}\n"));
}

/// A rank without a call in the launch enters nothing.
#[test]
fn a_rank_without_a_call_does_not_enter() {
    let world = World::new(3).seeded(1);
    let args = args(&world);
    let program =
        world.program(&kernel("\n  pld::system::enter(signal, _, collective = Barrier, _, _, _)\n  BARRIER"), &args(0));
    let calls = [0, 2].map(|rank| (rank, program.clone(), args(rank)));
    let Err(EngineError::Fault(fault)) = world.launch_on(calls.into()) else { panic!("a deadlock") };
    let text = fault.to_string();
    let line = text.lines().find(|line| line.contains("did not enter"));
    expect!["  = rank 1 did not enter `pld::tensor::barrier` (text:8:3), in which 2 ranks wait: it is without a call in this launch"].assert_eq(line.unwrap_or_default());
}

#[test]
fn counts_are_checked() {
    let kernel = "
InCore fn k(counts: InOut window<i32, [4]>, count: i32, limit: usize) {
  ctx = pld::get_comm_ctx(counts)
  me = pld::rank(ctx)
  rows = pld::system::check_count(count, me + 1, limit)
  for i in 0..rows {
    counts = pl::write(counts, [0], i as i32)
  }
  pl::write(counts, [1], rows as i32)
  seen = pl::read(counts, [1])
  sure = pld::system::check_count(seen, me, rows)
}";
    let run = |count: i32, limit: i128| {
        use pl_core::ir::{Elem, Lit, ScalarType};
        let world = World::new(2).seeded(1);
        let counts = world.window(DType::I32, &[4]);
        let count = Arg::Scalar(Lit::Int(count.into()), ScalarType::Elem(Elem::Known(DType::I32)));
        world.run(kernel, |_| vec![counts.clone(), count.clone(), index(limit)]).map(|_| ())
    };
    for (count, limit) in [(0, 0), (4, 4), (3, 1 << 40), (0, 7)] {
        assert_eq!(run(count, limit), Ok(()));
    }
    let texts: Vec<_> =
        [(-1, 4), (5, 4), (1, 0), (i32::MIN, 1 << 40)].map(|(c, l)| run(c, l).expect_err("a fault").to_string()).into();
    expect![[r#"
        error: rank 1 has count -1 for peer 2; counts are 0..=4
          --> text:6:3 (rank 1, kernel `k`)
          = help: a count is not negative, and not more than what there is room for at each peer
        error: rank 1 has count 5 for peer 2; counts are 0..=4
          --> text:6:3 (rank 1, kernel `k`)
          = help: a count is not negative, and not more than what there is room for at each peer
        error: rank 1 has count 1 for peer 2; counts are 0..=0
          --> text:6:3 (rank 1, kernel `k`)
          = help: a count is not negative, and not more than what there is room for at each peer
        error: rank 1 has count -2147483648 for peer 2; counts are 0..=1099511627776
          --> text:6:3 (rank 1, kernel `k`)
          = help: a count is not negative, and not more than what there is room for at each peer
    "#]]
    .assert_eq(&(texts.join("\n") + "\n"));
}
