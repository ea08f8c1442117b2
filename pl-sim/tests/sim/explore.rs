//! Exploration: what it runs, what it finds, what it gives back, and that it can be run again.

use crate::support::{Arg, World, input, output};
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Explored, Outcome};
use pl_core::fault::Fault;
use pl_core::runtime::{Engine, EngineError, LaunchOptions};

/// Every rank gathers what its peers have staged, several rounds with a barrier before and after the reading.
const ROUNDS: &str = "
InCore fn rounds(x: InOut tensor<f32, [1, 4]>, data: InOut window<f32, [1, 4]>, signal: InOut window<i32, [P, 1]>, rounds: usize) dynamic(P) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  acc = pl::load(x, [0, 0], [1, 4])
  for round in 0..rounds {
    data = pl::store(acc, [0, 0], data)
    for peer in 0..n {
      if peer != me {
        pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
      }
    }
    for src in 0..n {
      if src != me {
        pld::system::wait(signal, [src, 0], 1, cmp = Ge)
      }
    }
    for p in 0..n {
      if p != me {
        recv = pld::tile::remote_load(data, p, [0, 0], [1, 4])
        acc = pl::add(acc, recv)
      }
    }
    for peer.1 in 0..n {
      if peer.1 != me {
        pld::system::notify(signal, peer.1, [me, 0], 1, op = AtomicAdd)
      }
    }
    for src.1 in 0..n {
      if src.1 != me {
        pld::system::wait(signal, [src.1, 0], 2, cmp = Ge)
      }
    }
    for src.2 in 0..n {
      if src.2 != me {
        pld::system::notify(signal, me, [src.2, 0], -2, op = AtomicAdd)
      }
    }
  }
  x = pl::store(acc, [0, 0], x)
}";

/// The flag goes up before the data is there, and rank 1 reads it without waiting for anything else: wrong only when rank 1 is quick.
const EARLY: &str = "
InCore fn early(data: InOut window<f32, [1, 4]>, signal: InOut window<i32, [2]>, y: Out tensor<f32, [1, 4]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  t = pl::full::<f32>([1, 4], 1.0)
  if me == 0 {
    data = pl::store(t, [0, 0], data)
    pld::system::notify(signal, 1, [0], 1, op = Set)
    flag = pl::read(signal, [1])
    if flag == 0 {
      data = pl::store(t, [0, 0], data)
    }
    pld::system::notify(signal, 1, [1], 1, op = Set)
  }
  if me == 1 {
    pld::system::wait(signal, [0], 1, cmp = Ge)
    pld::system::notify(signal, 0, [1], 1, op = Set)
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 4])
    y = pl::store(u, [0, 0], y)
  }
  if me == 2 {
    y = pl::store(t, [0, 0], y)
  }
}";

/// Runs a body that launches one kernel, under an exploration; the text of the last failure with it.
fn explore(
    world: &World,
    how: &Explore,
    kernel: &str,
    args: impl Fn(usize) -> Vec<Arg>,
) -> Result<(Explored, Option<String>), EngineError> {
    let mut text = None;
    let ranks: Vec<usize> = (0..world.sim.ranks()).collect();
    let explored = world.sim.explore(how, &mut |scheduler| {
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        outcome(world.run_with(options, &ranks, kernel, &args), |fault| text = Some(fault.to_string()))
    })?;
    Ok((explored, text))
}

/// What a launch means for the exploration; `f` is handed a fault.
fn outcome<T>(result: Result<T, EngineError>, f: impl FnOnce(Fault)) -> Outcome {
    match result {
        Ok(_) => Outcome::Right,
        Err(EngineError::Fault(fault)) => {
            let signature = fault.signature();
            f(*fault);
            Outcome::Fails(signature)
        }
        Err(_) => Outcome::Ends,
    }
}

fn early(world: &World) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let (data, signal) = (world.window(DType::F32, &[1, 4]), world.window(DType::I32, &[2]));
    move |_| vec![data.clone(), signal.clone(), output(DType::F32, &[1, 4])]
}

#[test]
fn a_protocol_that_leaves_nothing_to_timing_has_one_schedule() {
    for ranks in 2..5 {
        let world = World::new(ranks);
        let (data, signal) = (world.window(DType::F32, &[1, 4]), world.window(DType::I32, &[ranks, 1]));
        let args = |rank: usize| {
            vec![
                Arg::Out(vec![1, 4], bytemuck::cast_slice(&[rank as f32 + 1.0; 4]).to_vec()),
                data.clone(),
                signal.clone(),
                crate::support::index(3),
            ]
        };
        let (explored, text) = explore(&world, &Explore::exhaustive(), ROUNDS, args).expect("fits");
        assert_eq!(text, None);
        assert_eq!((explored.schedules, explored.redundant, explored.complete), (1, 0, true), "{ranks} ranks");
        for how in [Explore::random(40), Explore::pct(40)] {
            let (explored, text) = explore(&world, &how, ROUNDS, args).expect("fits");
            assert_eq!((explored.schedules, explored.complete, text), (40, false, None));
        }
    }
}

#[test]
fn what_timing_decides_is_found_by_all_made_small_and_replayed() {
    let world = World::new(3);
    let args = early(&world);
    for how in [Explore::random(1000).seed(3), Explore::pct(1000).seed(4), Explore::exhaustive()] {
        let (explored, text) = explore(&world, &how, EARLY, &args).expect("fits");
        let found = explored.found.as_ref().unwrap_or_else(|| panic!("{explored}"));
        let text = text.expect("a failure");
        assert!(text.starts_with("error: race on `data"), "{text}");
        assert!(found.repeatable && found.switches <= 4, "{explored}");
        for _ in 0..2 {
            let replay = Explore::replay(&*found.token);
            let (again, same) = explore(&world, &replay, EARLY, &args).expect("fits");
            assert_eq!(same.as_ref(), Some(&text));
            assert_eq!(again.found.map(|f| f.token), Some(found.token.clone()));
        }
    }
}

/// What fails at the end of a long run has in its front no switch that is not needed to get there.
#[test]
fn a_long_schedule_is_made_small() {
    let kernel = "
InCore fn late(data: InOut window<f32, [1, 4]>, flags: InOut window<i32, [2]>, signal: InOut window<i32, [P, 1]>, rounds: usize) dynamic(P) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for round in 0..rounds {
    for peer in 0..n {
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
  }
  t = pl::full::<f32>([1, 4], 1.0)
  if me == 0 {
    data = pl::store(t, [0, 0], data)
    pld::system::notify(flags, 1, [0], 1, op = Set)
    flag = pl::read(flags, [1])
    if flag == 0 {
      data = pl::store(t, [0, 0], data)
    }
  }
  if me == 1 {
    pld::system::wait(flags, [0], 1, cmp = Ge)
    pld::system::notify(flags, 0, [1], 1, op = Set)
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 4])
    data = pl::store(u, [0, 0], data)
  }
}";
    const ROUNDS: usize = 40;
    let ranks = 4;
    let world = World::new(ranks);
    let windows = [(DType::F32, vec![1, 4]), (DType::I32, vec![2]), (DType::I32, vec![ranks, 1])];
    let mut args: Vec<Arg> = windows.iter().map(|(dtype, shape)| world.window(*dtype, shape)).collect();
    args.push(crate::support::index(ROUNDS as i128));
    for how in [Explore::random(1000), Explore::pct(1000).seed(2)] {
        let (explored, text) = explore(&world, &how, kernel, |_| args.clone()).expect("fits");
        let found = explored.found.as_ref().unwrap_or_else(|| panic!("{explored}"));
        // A barrier takes no less than three switches: the rank that comes last goes on into the next one.
        assert!(found.switches <= 3 * ROUNDS + 4 && found.repeatable, "{explored}");
        let (_, same) = explore(&world, &Explore::replay(&*found.token), kernel, |_| args.clone()).expect("fits");
        assert_eq!(same, text);
    }
}

#[test]
fn memory_is_as_it_was_before_each_schedule() {
    let kernel = "
InCore fn more(x: InOut tensor<f32, [1, 2]>, data: InOut window<f32, [1, 2]>) {
  t = pl::load(x, [0, 0], [1, 2])
  u = pl::load(data, [0, 0], [1, 2])
  v = pl::add(t, u)
  x = pl::store(v, [0, 0], x)
  data = pl::store(v, [0, 0], data)
}";
    let world = World::new(2);
    let window = world.zeros(DType::F32, &[1, 2]);
    let data = crate::support::id(&window);
    world.sim.write(data, 1, bytemuck::cast_slice(&[5.0_f32, 6.0])).expect("a window");
    let mut x = [[1.0_f32, 2.0], [3.0, 4.0]];
    let mut runs = 0;
    let explored = world.sim.explore(&Explore::random(10), &mut |scheduler| {
        for launch in 0..2 {
            let program = world.program(kernel, &[Arg::Out(vec![1, 2], vec![0; 8]), window.clone()]);
            let [a, b] = &mut x;
            let calls = [a, b].into_iter().enumerate().map(|(rank, x)| pl_core::runtime::RankCall {
                rank,
                program: &program,
                args: vec![
                    pl_core::runtime::ArgValue::Out(bytemuck::cast_slice_mut(x)),
                    pl_core::runtime::ArgValue::Window(data),
                ],
            });
            let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
            if let Err(error) = world.sim.launch(pl_core::runtime::Launch { calls: calls.collect(), options }) {
                return Outcome::Fails(format!("launch {launch}: {error}"));
            }
        }
        runs += 1;
        if x == [[2.0, 4.0], [16.0, 20.0]] { Outcome::Right } else { Outcome::Fails(format!("{x:?}")) }
    });
    // The first launch adds 0, or 5 and 6; the second what the first left.
    assert_eq!(explored.map(|e| (e.schedules, e.found)), Ok((10, None)));
    assert_eq!(runs, 10);
}

#[test]
fn a_failure_of_the_body_is_one_too() {
    let world = World::new(2);
    let (data, signal) = (world.window(DType::F32, &[1, 4]), world.window(DType::I32, &[2, 1]));
    let args =
        |_: usize| vec![Arg::Out(vec![1, 4], vec![0; 16]), data.clone(), signal.clone(), crate::support::index(1)];
    let mut runs = 0;
    let explored = world.sim.explore(&Explore::random(10), &mut |scheduler| {
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        assert!(world.run_with(options, &[0, 1], ROUNDS, args).is_ok());
        runs += 1;
        Outcome::Fails("always".into())
    });
    let explored = explored.expect("fits");
    let found = explored.found.expect("a failure");
    assert!(found.repeatable && explored.schedules == 1 && runs > 2);
    // No more switches than a run that changes ranks only where one has to wait.
    assert!(found.switches <= 4, "{found:?}");
}

#[test]
fn tokens_that_do_not_fit_say_what_changed() {
    let world = World::new(3);
    let args = early(&world);
    let (explored, _) = explore(&world, &Explore::exhaustive(), EARLY, &args).expect("fits");
    let token = explored.found.expect("a failure").token;
    let error = |world: &World, kernel: &str, args: &dyn Fn(usize) -> Vec<Arg>, token: &str| match explore(
        world,
        &Explore::replay(token),
        kernel,
        args,
    ) {
        Err(EngineError::Usage { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    let two = World::new(2);
    assert!(error(&two, EARLY, &early(&two), &token).contains("made with 3 ranks, and the launch has 2"));
    let other = EARLY.replace("1.0", "2.0");
    assert!(error(&world, &other, &args, &token).contains("the kernels have changed"));
    let wide = EARLY.replace("signal: InOut window<i32, [2]>", "signal: InOut window<i32, [3]>");
    let (data, signal) = (world.window(DType::F32, &[1, 4]), world.window(DType::I32, &[3]));
    let wider = move |_| vec![data.clone(), signal.clone(), output(DType::F32, &[1, 4])];
    assert!(error(&world, &wide, &wider, &token).contains("other shapes"));
    assert!(error(&world, EARLY, &args, &token[..token.len() - 2]).contains("damaged"));
    assert!(error(&world, EARLY, &args, "what").contains("`what` is no token"));
}

#[test]
fn what_cannot_be_explored_is_told() {
    let world = World::new(2);
    let usage = |result: Result<Explored, EngineError>| match result {
        Err(EngineError::Usage { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    assert!(usage(world.sim.explore(&Explore::random(3), &mut |_| Outcome::Right)).contains("launched nothing"));
    assert!(usage(world.sim.explore(&Explore::random(0), &mut |_| Outcome::Right)).contains("no schedules"));
    let kept = std::cell::Cell::new(None);
    let _ = world.sim.explore(&Explore::random(1), &mut |scheduler| {
        kept.set(Some(scheduler));
        Outcome::Right
    });
    let options = LaunchOptions { scheduler: kept.get().expect("a scheduler"), ..LaunchOptions::default() };
    let kernel = "InCore fn nothing(y: Out tensor<f32, [1, 1]>) {\n}";
    let result = world.run_with(options, &[0, 1], kernel, |_| vec![output(DType::F32, &[1, 1])]);
    assert!(result.is_err_and(|e| e.to_string().contains("has ended")));
    // Not the same each time.
    let (signal, mut odd) = (world.window(DType::I32, &[2]), false);
    let kernel = "
InCore fn notes(signal: InOut window<i32, [2]>, times: usize) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  for t in 0..times {
    pld::system::notify(signal, 0, [t], 1 + me as i32, op = Set)
  }
}";
    let result = world.sim.explore(&Explore::exhaustive(), &mut |scheduler| {
        odd = !odd;
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        let times = if odd { 1 } else { 2 };
        outcome(world.run_with(options, &[0, 1], kernel, |_| vec![signal.clone(), crate::support::index(times)]), drop)
    });
    assert!(
        matches!(&result, Err(EngineError::Usage { message, .. }) if message.contains("same each time")),
        "{result:?}"
    );
}

/// Kernels and the number of schedules that can differ.
#[test]
fn the_number_of_schedules() {
    // Two sets of one cell come in either order.
    let sets = "
InCore fn sets(signal: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  pld::system::notify(signal, 0, [0], me as i32, op = Set)
}";
    // Adds of peers to one cell do, too: a wait may pass because of the first. An owner's own does not count.
    let adds = sets.replace("me as i32, op = Set", "1, op = AtomicAdd");
    for (kernel, ranks, schedules) in [(sets, 2, 2), (sets, 3, 6), (&*adds, 2, 1), (&*adds, 3, 2), (&*adds, 4, 6)] {
        let world = World::new(ranks);
        let signal = world.window(DType::I32, &[1]);
        let (explored, text) = explore(&world, &Explore::exhaustive(), kernel, |_| vec![signal.clone()]).expect("fits");
        assert_eq!(
            (explored.schedules, explored.complete, text),
            (schedules, true, None),
            "{ranks} ranks of\n{kernel}"
        );
    }
}

#[test]
fn results_that_differ_are_a_failure() {
    let world = World::new(2);
    let data = world.zeros(DType::F32, &[1, 1]);
    let kernel = "
InCore fn put(x: In tensor<f32, [1, 1]>, data: InOut window<f32, [1, 1]>) {
  t = pl::load(x, [0, 0], [1, 1])
  data = pl::store(t, [0, 0], data)
}";
    let mut value = 0.0_f32;
    let mut last = None;
    let explored = world.sim.explore(&Explore::random(5), &mut |scheduler| {
        value += 1.0;
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        let args = |_| vec![input(&[1, 1], &[value]), data.clone()];
        outcome(world.run_with(options, &[0, 1], kernel, args), |fault| last = Some(fault))
    });
    assert_eq!(explored.map(|e| e.schedules), Ok(2));
    assert!(matches!(&last, Some(Fault::Differs(d)) if d.region.owner == Some(0)), "{last:?}");
}

/// Rank 1 waits for some of many credits, and reads what rank 0 wrote after it had sent those: a race, however late rank 1 comes.
#[test]
fn a_wait_learns_from_no_more_than_it_needs() {
    let kernel = "
InCore fn chunks(data: InOut window<f32, [1, 4]>, signal: InOut window<i32, [2]>, needed: usize, more: usize) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  if me == 0 {
    for c in 0..needed {
      pld::system::notify(signal, 1, [0], 1, op = AtomicAdd)
    }
    t = pl::full::<f32>([1, 4], 1.0)
    data = pl::store(t, [0, 0], data)
    for c.1 in 0..more {
      pld::system::notify(signal, 1, [0], 1, op = AtomicAdd)
    }
    pld::system::notify(signal, 1, [1], 1, op = AtomicAdd)
  } else {
    pld::system::wait(signal, [0], needed as i32, cmp = Ge)
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 4])
  }
}";
    for needed in [1, 2, 63, 64, 65, 300] {
        for more in [0, 1, 100] {
            let world = World::new(2);
            let (data, signal) = (world.zeros(DType::F32, &[1, 4]), world.window(DType::I32, &[2]));
            let index = crate::support::index;
            let args = |_| vec![data.clone(), signal.clone(), index(needed), index(more)];
            for how in [Explore::random(50), Explore::pct(50), Explore::exhaustive()] {
                let (explored, text) = explore(&world, &how, kernel, args).expect("fits");
                assert!(text.is_some_and(|t| t.contains("race on `data")), "{needed} and {more}: {explored}");
            }
        }
    }
}

/// Whether a cell overflows may depend on the order of adds.
#[test]
fn overflow_depends_on_the_order() {
    let kernel = "
InCore fn full(signal: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  pld::system::notify(signal, 0, [0], 2000000000, op = AtomicAdd)
  if me == 0 {
    pld::system::notify(signal, 0, [0], -2000000000, op = AtomicAdd)
  }
}";
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let (explored, text) = explore(&world, &Explore::exhaustive(), kernel, |_| vec![signal.clone()]).expect("fits");
    assert!(text.is_some_and(|t| t.contains("signal overflow")), "{explored}");
}

/// A loop that polls, and counts how often: it ends as soon as the other rank has run.
#[test]
fn polling_makes_no_schedules() {
    let kernel = "
InCore fn polls(signal: InOut window<i32, [2]>, y: Out tensor<i32, [1]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = 0
  if me == 0 {
    a = pl::read(signal, [0])
    while a == 0 {
      n = n + 1
      b = pl::read(signal, [1])
      a = pl::read(signal, [0])
    }
  } else {
    pld::system::notify(signal, 0, [0], 1, op = Set)
  }
  pl::write(y, [0], 1)
}";
    let world = World::new(2);
    let signal = world.window(DType::I32, &[2]);
    let args = |_| vec![signal.clone(), output(DType::I32, &[1])];
    for how in [Explore::random(50), Explore::pct(50), Explore::exhaustive()] {
        let (explored, text) = explore(&world, &how, kernel, args).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(text, None);
        assert_eq!(explored.complete, how.strategy == Explore::exhaustive().strategy);
        assert!(explored.schedules <= 50);
    }
}

#[test]
fn a_schedule_may_be_too_long() {
    let kernel = "
InCore fn many(signal: InOut window<i32, [1]>, times: usize) {
  for t in 0..times {
    pld::system::notify(signal, 0, [0], 1, op = Set)
  }
}";
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let args = |_| vec![signal.clone(), crate::support::index(20_000)];
    let result = explore(&world, &Explore::exhaustive(), kernel, args);
    assert!(matches!(&result, Err(EngineError::Usage { message, .. }) if message.contains("too long")), "{result:?}");
}

/// A failure that does not come again, and one whose search is interrupted while it is made smaller, are told all the same.
#[test]
fn failures_that_do_not_come_again() {
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let kernel = "
InCore fn one(signal: InOut window<i32, [1]>) {
  pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)
}";
    for then in [Outcome::Right, Outcome::Ends] {
        let mut first = true;
        let explored = world.sim.explore(&Explore::random(10), &mut |scheduler| {
            let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
            assert!(world.run_with(options, &[0, 1], kernel, |_| vec![signal.clone()]).is_ok());
            if std::mem::take(&mut first) { Outcome::Fails("once".into()) } else { then.clone() }
        });
        let found = explored.expect("fits").found.expect("a failure");
        assert_eq!(found.repeatable, then == Outcome::Ends);
    }
}

/// A body that goes on after a launch that failed has not seen all that could be: nothing is proved.
#[test]
fn a_body_that_goes_on_after_a_failure_proves_nothing() {
    let kernel = "
InCore fn waits(signal: InOut window<i32, [1]>) {
  pld::system::wait(signal, [0], 1, cmp = Ge)
}";
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let explored = world.sim.explore(&Explore::exhaustive(), &mut |scheduler| {
        let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
        assert!(world.run_with(options, &[0, 1], kernel, |_| vec![signal.clone()]).is_err());
        Outcome::Right
    });
    assert_eq!(explored.map(|e| (e.schedules, e.complete, e.found)), Ok((1, false, None)));
}

/// Without checks a race is not seen, so that an exploration would say nothing.
#[test]
fn launches_without_checks_are_not_explored() {
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let kernel = "InCore fn nothing(signal: InOut window<i32, [1]>) {\n}";
    let explored = world.sim.explore(&Explore::random(3), &mut |scheduler| {
        let options = LaunchOptions { scheduler, checks: false, ..LaunchOptions::default() };
        outcome(world.run_with(options, &[0, 1], kernel, |_| vec![signal.clone()]), drop)
    });
    assert!(matches!(&explored, Err(EngineError::Usage { message, .. }) if message.contains("without checks")));
}
