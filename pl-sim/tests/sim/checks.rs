//! Credits, the history of cells, what orders accesses, and launches without checks.

use crate::support::{Arg, World, id, output};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::{CellChange, CreditsFound, Fault};
use pl_core::runtime::{Engine, EngineError, Scheduler};

/// A kernel in which `HAND` is a barrier that clears up after itself, and `BUILTIN` the same as a collective, both on `signal`.
fn kernel(body: &str) -> String {
    const BARRIER: &str = "for peer in 0..n {
    if peer != me {
      pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..n {
    if src != me {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  for src in 0..n {
    if src != me {
      pld::system::notify(signal, me, [src, 0], -1, op = AtomicAdd)
    }
  }";
    let builtin = format!(
        "pld::system::enter(signal, _, collective = Barrier, _, _, _)\n  {BARRIER}\n  pld::system::leave(signal)"
    );
    format!(
        "InCore fn k(data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [P, 1]>, bell: InOut window<i32, [4]>, y: InOut tensor<f32, [1, 8]>) dynamic(P) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  {}
}}",
        body.replace("HAND", BARRIER).replace("BUILTIN", &builtin)
    )
}

fn args(world: &World) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let windows = [
        world.zeros(DType::F32, &[4, 8]),
        world.window(DType::I32, &[world.sim.ranks(), 1]),
        world.window(DType::I32, &[4]),
    ];
    move |_| windows.iter().cloned().chain([output(DType::F32, &[1, 8])]).collect()
}

#[track_caller]
fn fault(ranks: usize, body: &str) -> Fault {
    let world = World::new(ranks).seeded(3);
    let args = args(&world);
    world.fault(&kernel(body), &args)
}

#[track_caller]
fn check(ranks: usize, body: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n", fault(ranks, body)));
}

/// Collectives in a row and in loops, hand-written barriers on the same signal between them, and stores into it that are ordered: no report,
/// whoever is fast.
#[test]
fn signals_that_are_clean_are_not_reported() {
    let bodies = [
        "BUILTIN
  BUILTIN
  BUILTIN",
        "for round in 0..5 {
    BUILTIN
    HAND
    HAND
    BUILTIN
  }",
        "HAND
  pl::write(signal, [me, 0], 7)
  pl::write(signal, [me, 0], 0)
  BUILTIN",
        "for round in 0..4 {
    pld::system::notify(signal, me, [me, 0], 5, op = Set)
    pld::system::notify(signal, me, [me, 0], 0, op = Set)
    BUILTIN
    pld::system::notify(signal, (me + 1) % n, [me, 0], 3, op = AtomicAdd)
    pld::system::wait(signal, [(me + n - 1) % n, 0], 3, cmp = Ge)
    pld::system::notify(signal, me, [(me + n - 1) % n, 0], -3, op = AtomicAdd)
    BUILTIN
  }",
    ];
    for body in bodies {
        for ranks in 2..5 {
            for seed in 0..40 {
                let world = if seed % 8 == 0 { World::new(ranks) } else { World::new(ranks).seeded(seed) };
                let args = args(&world);
                for _ in 0..2 {
                    world.ok(&kernel(body), &args);
                }
            }
        }
    }
}

/// What the host, an earlier launch or the kernel itself left in a collective's signal is found when the collective begins, on every schedule.
#[test]
fn a_signal_is_zero_when_a_collective_begins() {
    // The host.
    let world = World::new(2).seeded(1);
    let windows = args(&world);
    world.sim.write(id(&windows(0)[1]), 1, bytemuck::cast_slice(&[0, 4])).expect("written");
    let found = world.fault(&kernel("BUILTIN"), &windows);
    expect![[r#"
        error: `signal[1, 0]` of rank 1 is 4 where `pld::tensor::barrier` begins, expected 0
          --> text:6:3 (rank 1, kernel `k`)
          = rank 1 enters it here
          = it was 4 when the launch started
          = help: an earlier launch, or the host, left this: `world.reset(&signal)` clears it; or let who deposits something take it back
    "#]]
    .assert_eq(&format!("{found}\n"));
    // An earlier launch.
    let world = World::new(2).seeded(1);
    let args = args(&world);
    world.ok(&kernel("pld::system::notify(signal, (me + 1) % n, [me, 0], 2, op = AtomicAdd)"), &args);
    let Fault::Credits(found) = world.fault(&kernel("BUILTIN"), &args) else { panic!("credits") };
    assert_eq!((found.when, found.value, found.credit, found.history.initial), (CreditsFound::Before, 2, 0, 2));
    // The kernel, before a collective, between two and in a loop.
    check(
        2,
        "pld::system::notify(signal, me, [1 - me, 0], 2, op = AtomicAdd)
  BUILTIN",
        expect![[r#"
            error: `signal[1, 0]` of rank 0 is 2 where `pld::tensor::barrier` begins, expected 0
              --> text:7:3 (rank 0, kernel `k`)
              = rank 0 enters it here
              = rank 0 added 2 at text:6:3, which made it 2
              = help: what the kernel itself deposits in the signal must be gone before a collective uses it: take it back (notify yourself with a negative value), or use a signal of its own
        "#]],
    );
    let bodies = [
        "BUILTIN
  pld::system::notify(signal, me, [0, 0], 2, op = Set)
  BUILTIN",
        "for round in 0..9 {
    BUILTIN
    if round == 7 {
      pld::system::notify(signal, (me + 1) % n, [me, 0], -1, op = AtomicAdd)
      pld::system::notify(bell, (me + 1) % n, [0], 1, op = AtomicAdd)
      pld::system::wait(bell, [0], 1, cmp = Ge)
    }
  }",
        "pl::write(signal, [me, 0], 3)
  BUILTIN",
    ];
    for body in bodies {
        for seed in 0..40 {
            let world = if seed % 8 == 0 { World::new(3) } else { World::new(3).seeded(seed) };
            let args = super::checks::args(&world);
            let found = world.fault(&kernel(body), &args);
            let Fault::Credits(found) = found else { panic!("{found}\n{body}") };
            assert_eq!((found.when, found.site.op), (CreditsFound::Before, "pld::tensor::barrier"));
            assert_eq!(found.cell.owner, Some(found.site.rank));
            assert_ne!(found.value, found.credit);
        }
    }
}

/// A peer that is in the collective already has deposited: that is not taken for something foreign, and what is foreign is told beside it.
#[test]
fn deposits_of_fast_peers_are_not_foreign() {
    let body = "if me == 0 {
    pld::system::wait(bell, [0], 1, cmp = Ge)
    pld::system::notify(signal, me, [1, 0], FOREIGN, op = AtomicAdd)
  }
  pld::system::enter(signal, _, collective = Barrier, _, _, _)
  pld::system::notify(signal, 1 - me, [me, 0], 1, op = AtomicAdd)
  if me == 1 {
    pld::system::notify(bell, 0, [0], 1, op = AtomicAdd)
  }
  pld::system::wait(signal, [1 - me, 0], 1, cmp = Ge)
  pld::system::notify(signal, me, [1 - me, 0], -1, op = AtomicAdd)
  pld::system::leave(signal)";
    let world = World::new(2).seeded(1);
    let clean = args(&world);
    world.ok(&kernel(&body.replace("FOREIGN", "0")), &clean);
    let Fault::Credits(found) = fault(2, &body.replace("FOREIGN", "3")) else { panic!("credits") };
    assert_eq!((found.value, found.credit), (4, 1));
    let changes: Vec<_> = found.history.events.iter().map(|e| (e.site.rank, e.change, e.value)).collect();
    assert_eq!(changes, [(1, CellChange::Add(1), 1), (0, CellChange::Add(3), 4)]);
    // A `Set` that makes a deposit void is found as well.
    let set = body.replace("FOREIGN, op = AtomicAdd", "0, op = Set");
    let Fault::Credits(found) = fault(2, &set) else { panic!("credits") };
    assert_eq!((found.value, found.credit), (0, 1));
}

/// A body that does not take its credits back, or not all.
#[test]
fn credits_that_a_collective_leaves() {
    let body = kernel("BUILTIN").replace("[src, 0], -1, op", "[src, 0], 0, op");
    let world = World::new(2).seeded(2);
    let windows = args(&world);
    let found = world.fault(&body, &windows);
    expect![[r#"
        error: collectives left 1 in `signal[1, 0]` of rank 0, expected 0
          --> text:6:3 (rank 0, kernel `k`)
          = rank 0 entered `pld::tensor::barrier`, the last one with this signal, here
          = rank 1 added 1 at text:9:7, which made it 1
          = rank 0 added 0 at text:19:7, which made it 1
          = help: the body of a collective takes back what it deposits: what it takes back differs from what came
    "#]]
    .assert_eq(&format!("{found}\n"));
    // The windows cannot be relied on.
    let Err(EngineError::Poisoned(_)) = world.run(&kernel("BUILTIN"), &windows) else { panic!("poisoned") };
}

/// A cell that goes below zero keeps the next waits from passing: the report says so, with what became of the cell.
#[test]
fn too_much_taken_back() {
    let body = kernel("BUILTIN\n  BUILTIN").replace("[src, 0], -1, op", "[src, 0], -2, op");
    let world = World::new(2).seeded(4);
    let args = args(&world);
    let found = world.fault(&body, &args);
    expect![[r#"
        error: deadlock: 2 ranks of 2 blocked, 0 finished
          --> text:31:7 (rank 0, kernel `k`)
          = rank 0 waits for `signal[1, 0]` of rank 0 >= 1; it is 0
          = rank 1 added 1 at text:9:7, which made it 1
          = rank 1 added 1 at text:26:7, which made it 2
          = rank 0 added -2 at text:19:7, which made it 0
          = rank 1 notifies it at text:26:7: it sent 2 times and will not any more, it is blocked too
          --> text:31:7 (rank 1, kernel `k`)
          = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
          = rank 0 added 1 at text:9:7, which made it 1
          = rank 1 added -2 at text:19:7, which made it -1
          = rank 0 added 1 at text:26:7, which made it 0
          = rank 0 notifies it at text:26:7: it sent 2 times and will not any more, it is blocked too
          = help: a cell went below zero: more was taken back than had come, so the next waits lack it: compare what is taken back with what is waited for
    "#]]
    .assert_eq(&format!("{found}\n"));
}

/// A notify that takes credits back helps no wait: what a rank would take back behind its wait is not what that waits for.
#[test]
fn what_is_taken_back_is_no_hope() {
    let barrier = |notify: &str| {
        format!(
            "for src in 0..n {{
    if src != me {{
      {notify}
    }}
  }}
  for src in 0..n {{
    if src != me {{
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }}
  }}
  for src in 0..n {{
    if src != me {{
      pld::system::notify(signal, me, [src, 0], -1, op = AtomicAdd)
    }}
  }}"
        )
    };
    let notify = "pld::system::notify(signal, src, [me, 0], 1, op = AtomicAdd)";
    let skipped = barrier(&format!("if me * 10 + src != 12 {{\n        {notify}\n      }}"));
    let Fault::Deadlock(found) = fault(3, &skipped) else { panic!("a deadlock") };
    assert_eq!((found.ring.len(), found.blocked.len(), found.finished), (0, 1, 2));
    let text = Fault::Deadlock(found).to_string();
    assert!(text.contains("rank 1 notifies it at text:9:9: it sent nothing to it"), "{text}");
    assert!(!text.contains("for itself") && !text.contains("one another"), "{text}");
    // Each rank waits for more than comes.
    let more = barrier(notify).replace("[src, 0], 1, cmp", "[src, 0], 2, cmp");
    let Fault::Deadlock(found) = fault(3, &more) else { panic!("a deadlock") };
    assert_eq!((found.ring.len(), found.blocked.len()), (0, 3));
    // Where it did notify is told, and not where it could have.
    assert!(found.blocked.iter().all(|b| b.senders.iter().all(|s| s.sent == 1 && !s.still)));
    let text = Fault::Deadlock(found).to_string();
    assert!(text.contains("fewer credits were sent"), "{text}");
}

/// Only the last changes of a cell are kept, and the shortest ring comes first.
#[test]
fn a_deadlock_begins_with_a_ring_and_tells_what_became_of_its_cells() {
    let body = "for i in 0..20 {
    pld::system::notify(bell, 3, [0], 1, op = AtomicAdd)
  }
  if me == 0 {
    pld::system::wait(bell, [1], 1, cmp = Ge)
  } else {
    if me == 3 {
      pl::write(signal, [0, 0], 1)
      pld::system::wait(bell, [2], 1, cmp = Ge)
    } else {
      pld::system::wait(bell, [1], 1, cmp = Ge)
    }
  }
  pld::system::notify(bell, (4 - me) % 4, [1], 1, op = AtomicAdd)
  if me == 0 {
    pld::system::notify(bell, 3, [2], 1, op = AtomicAdd)
  }";
    let Fault::Deadlock(found) = fault(4, body) else { panic!("a deadlock") };
    // Ranks 0 and 2 wait for themselves, rank 1 for rank 3, that one for rank 0.
    assert_eq!(found.ring, [0]);
    assert_eq!(found.blocked.iter().map(|b| b.site.rank).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(Fault::Deadlock(found).to_string().contains("rank 0 waits for itself"));
    let body =
        body.replace("wait(bell, [1], 1", "wait(bell, [0], 100").replace("wait(bell, [2], 1", "wait(bell, [0], 100");
    let Fault::Deadlock(found) = fault(4, &body) else { panic!("a deadlock") };
    let last = found.blocked.iter().find(|b| b.site.rank == 3).expect("rank 3");
    assert_eq!((last.value, last.history.events.len(), last.history.earlier), (80, 8, 72));
    assert!(last.history.events.iter().all(|event| event.change == CellChange::Add(1)));
    assert_eq!(last.history.events.iter().map(|event| event.value).collect::<Vec<_>>(), (73..=80).collect::<Vec<_>>());
}

/// Ranks that wait in a collective which others did not enter are told beside those that spin.
#[test]
fn a_livelock_tells_who_did_not_enter() {
    let body = "if me == 0 {
    seen = 0i32
    while seen < 1 {
      seen = pl::read(bell, [0])
    }
  }
  BUILTIN";
    let Fault::Livelock(found) = fault(3, body) else { panic!("a livelock") };
    assert_eq!(found.not_entered.len(), 1);
    assert_eq!(found.not_entered[0].absent.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0]);
    assert!(Fault::Livelock(found).to_string().contains("rank 0 did not enter `pld::tensor::barrier`"));
}

/// What is missing is told in the words of the protocol: which collective each rank had passed.
#[test]
fn a_race_tells_between_which_collectives_the_ranks_were() {
    let body = "t = pl::full::<f32>([1, 8], 1.0)
  BUILTIN
  if me == 0 {
    data = pl::store(t, [0, 0], data)
  }
  BUILTIN
  u = pld::tile::remote_load(data, 0, [0, 0], [1, 8])
  if me == 0 {
    data = pl::store(t, [0, 0], data)
  }
  BUILTIN";
    let mut texts = vec![];
    for seed in 0..30 {
        let world = World::new(2).seeded(seed);
        let args = args(&world);
        let found = world.fault(&kernel(body), &args);
        let Fault::Race(race) = &found else { panic!("{found}") };
        let reached = [&race.first, &race.second].map(|side| side.reached.as_ref().expect("a collective"));
        assert_eq!(reached.map(|r| (r.number, r.inside, r.site.op)), [(2, false, "pld::tensor::barrier"); 2]);
        texts.push(found.to_string());
    }
    texts.retain(|text| text.contains("nothing orders `pl::store`"));
    expect![[r#"
        error: race on `data[0, 0..8]` of rank 0: nothing orders `pl::store` of rank 0 after `pld::tile::remote_load` of rank 1
          --> text:46:5 (rank 0, kernel `k`)
          = rank 0 would write `data[0, 0..8]` of rank 0 here; it was stopped before
          --> text:44:3 (rank 1, kernel `k`)
          = rank 1 read `data[0, 0..8]` of rank 0 here
          = what is missing: rank 1 did this after its collective number 2, `pld::tensor::barrier` at text:27:3
          = rank 0 is after its collective number 2, `pld::tensor::barrier` at text:27:3
          = help: let rank 1 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` does both
    "#]]
    .assert_eq(&format!("{}\n", texts[0]));
}

/// Order that comes through another rank is told by the wait that brought it.
#[test]
fn a_race_tells_by_which_wait_a_rank_learnt() {
    let body = "t = pl::full::<f32>([1, 8], 1.0)
  if me == 0 {
    pld::system::notify(bell, 1, [0], 1, op = AtomicAdd)
    data = pl::store(t, [0, 0], data)
    pld::system::notify(bell, 1, [1], 1, op = AtomicAdd)
    pld::system::wait(bell, [3], 1, cmp = Ge)
  }
  if me == 1 {
    pld::system::wait(bell, [0], 1, cmp = Ge)
    pld::system::notify(bell, 2, [0], 1, op = AtomicAdd)
    pld::system::wait(bell, [1], 1, cmp = Ge)
    pld::system::notify(bell, 2, [2], 1, op = AtomicAdd)
  }
  if me == 2 {
    pld::system::wait(bell, [0], 1, cmp = Ge)
    seen = 0i32
    while seen < 1 {
      seen = pl::read(bell, [2])
    }
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 8])
    pld::system::notify(bell, 0, [3], 1, op = AtomicAdd)
  }";
    let found = fault(3, body);
    let Fault::Race(race) = &found else { panic!("{found}") };
    let learnt = race.learnt.as_ref().expect("a wait");
    assert_eq!((learnt.wait.op, learnt.through, race.acquired), ("pld::system::wait", Some(1), 1));
    assert_eq!(race.notify.as_ref().and_then(|site| site.place.as_ref()).map(|place| place.line), Some(10));
    let text = found.to_string();
    assert!(text.contains("rank 2 knows it by its wait at text:20:5, through rank 1"), "{text}");
}

/// Without checks one thread runs all ranks: what is wrong with the order of accesses goes unseen, what hangs does not.
#[test]
fn a_launch_without_checks() {
    let racing = "t = pl::full::<f32>([1, 8], 2.5)
  if me == 0 {
    data = pl::store(t, [0, 0], data)
  } else {
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 8])
    y = pl::store(u, [0, 0], y)
  }";
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(5)] {
        let mut world = World::new(2);
        world.options.scheduler = scheduler;
        let args = args(&world);
        assert!(matches!(world.fault(&kernel(racing), &args), Fault::Race(_)));
        world.options.checks = false;
        let args = super::checks::args(&world);
        let ran = world.ok(&kernel(racing), &args);
        assert_eq!((ran.report.threads, ran.report.checked.accesses, ran.report.checked.signals), (1, 0, 0));
        assert!(ran.report.checked.ops > 0 && ran.report.lints.is_empty());
        let y = ran.out::<f32>(1, 0);
        assert!(y == [2.5; 8] || y == [0.0; 8], "{y:?}");
        // Signals still make ranks wait, and windows hold data afterwards.
        let ordered = racing.replace("  } else {", "    pld::system::notify(bell, 1, [0], 1, op = AtomicAdd)\n  } else {\n    pld::system::wait(bell, [0], 1, cmp = Ge)");
        let ran = world.ok(&kernel(&ordered), &args);
        assert_eq!(ran.out::<f32>(1, 0), [2.5; 8]);
        let window = args(0)[0].clone();
        let mut out = [0_u8; 4 * 8 * 4];
        world.sim.read(id(&window), 0, &mut out).expect("read");
        assert_eq!(bytemuck::cast_slice::<u8, f32>(&out)[..8], [2.5; 8]);
        // What hangs is found, with what became of the cells.
        let stuck = "pld::system::notify(bell, 1 - me, [2], 1, op = AtomicAdd)
  pld::system::wait(bell, [2], 2, cmp = Ge)";
        let Fault::Deadlock(found) = world.fault(&kernel(stuck), &args) else { panic!("a deadlock") };
        assert_eq!((found.blocked.len(), found.blocked[0].value, found.blocked[0].history.events.len()), (2, 1, 1));
        let args = super::checks::args(&world);
        let bounds = "pl::write(bell, [me + 4], 1)";
        assert!(matches!(world.fault(&kernel(bounds), &args), Fault::OutOfBounds(_)));
        // A checked launch on the windows of one that was not takes what they hold for data.
        let args = super::checks::args(&world);
        world.ok(&kernel("pl::write(bell, [0], 4)"), &args);
        world.options.checks = true;
        world.ok(&kernel("seen = pl::read(bell, [0])\n  pl::write(bell, [1], seen)"), &args);
    }
}
