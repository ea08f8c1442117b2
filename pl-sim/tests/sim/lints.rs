//! What is odd about runs that go well.

use crate::support::{Arg, World, output};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::{Lint, LintData, LintKind, Lints};
use pl_core::runtime::Engine;

fn kernel(body: &str) -> String {
    format!(
        "InCore fn k(bell: InOut window<i32, [4]>, y: Out tensor<i32, [2, 4]>) {{
  ctx = pld::get_comm_ctx(bell)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  {body}
}}"
    )
}

fn args(world: &World) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let bell = world.window(DType::I32, &[4]);
    move |_| vec![bell.clone(), output(DType::I32, &[2, 4])]
}

/// Writes all of `y`.
const FILL: &str = "t = pl::full::<i32>([2, 4], 1)
  y = pl::store(t, [0, 0], y)
  ";

/// The lints of a body on so many schedules: those of each are the same.
#[track_caller]
fn lints(ranks: usize, body: &str) -> Vec<Lint> {
    let mut found: Option<Vec<Lint>> = None;
    for seed in 0..20 {
        let world = if seed == 0 { World::new(ranks) } else { World::new(ranks).seeded(seed) };
        let args = args(&world);
        let lints = world.ok(&kernel(&format!("{FILL}{body}")), &args).report.lints;
        let found = found.get_or_insert_with(|| lints.clone());
        assert_eq!(kinds(found), kinds(&lints), "seed {seed}");
    }
    found.expect("ran")
}

fn kinds(lints: &[Lint]) -> Vec<(LintKind, Vec<usize>, Option<u32>)> {
    let line = |lint: &Lint| lint.site.place.as_ref().map(|place| place.line);
    lints.iter().map(|lint| (lint.kind(), lint.ranks.clone(), line(lint))).collect()
}

#[track_caller]
fn check(ranks: usize, body: &str, expected: Expect) {
    let lints = lints(ranks, body);
    expected.assert_eq(&lints.iter().map(|lint| format!("{lint}\n")).collect::<String>());
}

#[test]
fn a_set_that_nobody_waited_for() {
    check(
        2,
        "if me == 0 {
    pld::system::notify(bell, 1, [0], 1, op = Set)
    pld::system::notify(bell, 1, [0], 2, op = Set)
  } else {
    pld::system::wait(bell, [0], 2, cmp = Ge)
  }",
        expect![[r#"
            warning: a `Set` overwrote what was in `bell[0]` of rank 1, and no wait had seen it
              --> text:10:5 (rank 0, kernel `k`)
              = rank 0 set it here
              --> text:9:5 (rank 0, kernel `k`)
              = rank 0 set it to 1 here
              = help: let the owner wait for a value before the next one is set, or count with `AtomicAdd`; where it is meant, `allow(set_overwrote)` of the kernel says so
        "#]],
    );
    // A wait between, on the cell or on another one that tells of it, or the owner's own values: nothing is lost.
    let fine = [
        "if me == 0 {
    pld::system::notify(bell, 1, [0], 1, op = Set)
    pld::system::wait(bell, [1], 1, cmp = Ge)
    pld::system::notify(bell, 1, [0], 2, op = Set)
  } else {
    pld::system::wait(bell, [0], 1, cmp = Ge)
    pld::system::notify(bell, 0, [1], 1, op = Set)
    pld::system::wait(bell, [0], 2, cmp = Ge)
  }",
        "if me == 0 {
    pld::system::notify(bell, 1, [0], 1, op = Set)
    pld::system::notify(bell, 1, [1], 1, op = Set)
  } else {
    pld::system::wait(bell, [1], 1, cmp = Ge)
    pld::system::notify(bell, 1, [0], 0, op = Set)
  }",
        "pld::system::notify(bell, me, [0], 1, op = Set)
  pld::system::notify(bell, me, [0], 2, op = Set)",
    ];
    for body in fine {
        assert_eq!(lints(2, body), []);
    }
}

#[test]
fn a_cell_that_is_set_and_added_to() {
    check(
        3,
        "if me == 0 {
    pld::system::wait(bell, [0], 2, cmp = Ge)
    pld::system::notify(bell, me, [0], 0, op = Set)
  } else {
    pld::system::notify(bell, 0, [0], 1, op = AtomicAdd)
  }",
        expect![[r#"
            warning: `bell[0]` of rank 0 was set as well as added to: what stays depends on which came last
              --> text:10:5 (rank 0, kernel `k`)
              = rank 0 did the one here
              --> text:12:5 (rank 2, kernel `k`)
              = rank 2 did the other here
              = help: use one of the two for a cell: to clear one that is added to, take back what was added; where it is meant, `allow(set_add_mixed)` of the kernel says so
        "#]],
    );
    // Different cells, or another launch: nothing is mixed.
    let body = "pld::system::notify(bell, me, [0], 1, op = Set)
  pld::system::notify(bell, me, [1], 1, op = AtomicAdd)";
    assert_eq!(lints(2, body), []);
    let world = World::new(2).seeded(1);
    let args = args(&world);
    for op in ["Set", "AtomicAdd", "Set"] {
        let body = format!("{FILL}pld::system::notify(bell, me, [0], 1, op = {op})");
        assert_eq!(world.ok(&kernel(&body), &args).report.lints, []);
    }
}

/// A wait that what an earlier launch left satisfies, and a notify that was meant for it: whichever comes first.
#[test]
fn a_wait_for_a_notify_of_an_earlier_launch() {
    let body = format!(
        "{FILL}if me == 0 {{
    pld::system::wait(bell, [0], 1, cmp = Ge)
  }} else {{
    pld::system::notify(bell, 0, [0], 1, op = AtomicAdd)
  }}"
    );
    let mut texts = vec![];
    for seed in 0..20 {
        let world = if seed == 0 { World::new(2) } else { World::new(2).seeded(seed) };
        let args = args(&world);
        assert_eq!(world.ok(&kernel(&body), &args).report.lints, []);
        let report = world.ok(&kernel(&body), &args).report;
        texts.push(report.lints.iter().map(|lint| format!("{lint}\n")).collect::<String>());
    }
    texts.dedup();
    expect![[r#"
        warning: a wait passed by what an earlier launch had left: `bell[0]` of rank 0 was 1 already
          --> text:9:5 (rank 0, kernel `k`)
          = rank 0 did not wait here for a notify of this launch
          --> text:11:5 (rank 1, kernel `k`)
          = rank 1 notified it here
          = help: clear the signal with `world.reset` before the launch, or let the kernel take its credits back, as the builtins do; where it is meant, `allow(stale_wait)` of the kernel says so
    "#]].assert_eq(&texts.concat());
    // What the host put there is meant.
    let world = World::new(2).seeded(1);
    let windows = args(&world);
    world.sim.write(crate::support::id(&windows(0)[0]), 0, bytemuck::cast_slice(&[1, 0, 0, 0])).expect("written");
    assert_eq!(world.ok(&kernel(&body), &windows).report.lints, []);
    // A credit that is taken back leaves nothing to the next launch.
    let cleared = body.replace("cmp = Ge)", "cmp = Ge)\n    pld::system::notify(bell, 0, [0], -1, op = AtomicAdd)");
    let world = World::new(2).seeded(1);
    let windows = args(&world);
    for _ in 0..3 {
        assert_eq!(world.ok(&kernel(&cleared), &windows).report.lints, []);
    }
}

#[test]
fn an_output_that_is_not_written() {
    let world = World::new(4).seeded(1);
    let args = args(&world);
    let ran = world.ok(
        &kernel(
            "if me > 0 {
    t = pl::full::<i32>([1, 4], 1)
    y = pl::store(t, [0, 0], y)
    if me == 3 {
      y = pl::store(t, [1, 0], y)
    }
  }",
        ),
        &args,
    );
    let texts: String = ran.report.lints.iter().map(|lint| format!("{lint}\n")).collect();
    expect![[r#"
        warning: 4 of 8 elements of the `Out` tensor `y` were never written
          --> text:2:11 (rank 1, kernel `k`)
          = this is the kernel of ranks 1-2
          = help: store into all of it, or take it as `InOut`, which keeps what it held; where it is meant, `allow(out_unwritten)` of the kernel says so
        warning: 8 of 8 elements of the `Out` tensor `y` were never written
          --> text:2:11 (rank 0, kernel `k`)
          = this is the kernel of rank 0
          = help: store into all of it, or take it as `InOut`, which keeps what it held; where it is meant, `allow(out_unwritten)` of the kernel says so
    "#]].assert_eq(&texts);
    let LintData::OutUnwritten { missing, elements, .. } = ran.report.lints[0].data else { panic!("{texts}") };
    assert_eq!((missing, elements), (4, 8));
}

/// What is allowed, for the launch or by the kernel, is not told.
#[test]
fn lints_are_allowed() {
    let body = "pld::system::notify(bell, me, [0], 1, op = Set)
  pld::system::notify(bell, me, [0], 1, op = AtomicAdd)";
    let run = |kernel: &str, allow: Lints| {
        let mut world = World::new(2).seeded(1);
        world.options.allow = allow;
        let args = args(&world);
        world.ok(kernel, &args).report.lints.iter().map(Lint::kind).collect::<Vec<_>>()
    };
    let (mixed, unwritten) = (LintKind::SetAddMixed, LintKind::OutUnwritten);
    assert_eq!(run(&kernel(body), Lints::NONE), [mixed, unwritten]);
    assert_eq!(run(&kernel(body), Lints::from([mixed])), [unwritten]);
    assert_eq!(run(&kernel(body), LintKind::ALL.iter().copied().collect()), []);
    let allowing = |words: &str| kernel(body).replace("[2, 4]>) {", &format!("[2, 4]>) allow({words}) {{"));
    assert_eq!(run(&allowing("set_add_mixed"), Lints::NONE), [unwritten]);
    assert_eq!(run(&allowing("out_unwritten"), Lints::NONE), [mixed]);
    assert_eq!(run(&allowing("out_unwritten, set_add_mixed"), Lints::NONE), []);
}
