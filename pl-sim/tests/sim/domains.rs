//! Windows of some ranks only: places in the domain, reports, deadlocks of one domain beside others.

use crate::support::{Arg, World, id, index, output};
use expect_test::{Expect, expect};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::{Engine, EngineError, Scheduler};

/// Every rank of the window's domain tells every other one its number, and gives those that it was told; then its place.
const EXCHANGE: &str = "
InCore fn exchange(cells: InOut window<i32, [NR]>, y: Out tensor<i32, [NR + 2]>) dynamic(NR) {
  ctx = pld::get_comm_ctx(cells)
  me = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for peer in 0..nranks {
    pld::system::notify(cells, peer, [me], (10 * me + peer + 1) as i32, op = Set)
  }
  for src in 0..nranks {
    pld::system::wait(cells, [src], 1, cmp = Ge)
    told = pl::read(cells, [src])
    pl::write(y, [src], told)
  }
  pl::write(y, [nranks], me as i32)
  pl::write(y, [nranks + 1], nranks as i32)
}";

/// What a rank of a domain of so many is to give.
fn exchanged(me: usize, nranks: usize) -> Vec<i32> {
    (0..nranks).map(|src| 10 * src + me + 1).chain([me, nranks]).map(|v| v as i32).collect()
}

#[track_caller]
fn check(error: &EngineError, expected: Expect) {
    expected.assert_eq(&format!("{error}\n"));
}

#[test]
fn disjoint_domains_in_one_launch() {
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2)] {
        let mut world = World::new(6);
        world.options.scheduler = scheduler;
        let domains: [&[usize]; 3] = [&[4, 0, 5], &[1, 3], &[2]];
        let windows = domains.map(|domain| world.window_of(domain, DType::I32, &[domain.len()]));
        let place = |rank| {
            let of = domains.iter().position(|d| d.contains(&rank)).expect("a domain");
            (of, domains[of].iter().position(|r| *r == rank).expect("a place"))
        };
        let ran = world
            .run_on(&[0, 1, 2, 3, 4, 5], EXCHANGE, |rank| {
                let of = place(rank).0;
                vec![windows[of].clone(), output(DType::I32, &[domains[of].len() + 2])]
            })
            .expect("a run");
        for rank in 0..6 {
            let (of, me) = place(rank);
            assert_eq!(ran.out::<i32>(rank, 0), exchanged(me, domains[of].len()), "rank {rank}");
            let cost = ran.report.ranks[rank];
            assert_eq!((cost.peer_notifies, cost.self_notifies), (domains[of].len() as u64 - 1, 1));
        }
    }
}

#[test]
fn ranks_without_a_call_take_no_part() {
    let world = World::new(5);
    let domain = [3, 1];
    let window = world.window_of(&domain, DType::I32, &[2]);
    // The order of the calls does not matter; the report keeps it.
    let ran = world.run_on(&[1, 3], EXCHANGE, |_| vec![window.clone(), output(DType::I32, &[4])]).expect("a run");
    assert_eq!(
        (ran.report.ranks.len(), ran.out::<i32>(0, 0), ran.out::<i32>(1, 0)),
        (2, exchanged(1, 2), exchanged(0, 2))
    );
    let mut cells = [0; 8];
    world.sim.read(id(&window), 0, &mut cells).expect("a window");
    assert_eq!(bytemuck::pod_read_unaligned::<[i32; 2]>(&cells), [1, 11]);
    assert!(world.sim.read(id(&window), 2, &mut cells).is_err());
}

/// A rank notifies and reads the memory of a rank that takes no part.
#[test]
fn the_memory_of_ranks_without_a_call() {
    let world = World::new(3);
    let (data, signal) = (world.zeros(DType::F32, &[4]), world.window(DType::I32, &[1]));
    let kernel = "
InCore fn k(data: InOut window<f32, [4]>, signal: InOut window<i32, [1]>, y: Out tensor<f32, [4]>) {
  pld::system::notify(signal, 2, [0], 5, op = AtomicAdd)
  t = pld::tile::remote_load(data, 2, [0], [4])
  y = pl::store(t, [0], y)
}";
    let args = |_| vec![data.clone(), signal.clone(), output(DType::F32, &[4])];
    let ran = world.run_on(&[1], kernel, args).expect("a run");
    let cost = ran.report.ranks[0];
    assert_eq!((cost.bytes_received, cost.remote_loads, cost.peer_notifies), (16, 1, 1));
    let mut cell = [0; 4];
    world.sim.read(id(&signal), 2, &mut cell).expect("a window");
    assert_eq!(i32::from_le_bytes(cell), 5);
}

/// Each rank of a grid tells its neighbours in the row and in the column, through windows of both.
#[test]
fn a_kernel_with_windows_of_two_domains() {
    let kernel = "
InCore fn k(row: InOut window<i32, [COLUMNS]>, column: InOut window<i32, [ROWS]>, y: Out tensor<i32, [4]>) dynamic(ROWS, COLUMNS) {
  in_row = pld::get_comm_ctx(row)
  in_column = pld::get_comm_ctx(column)
  x = pld::rank(in_row)
  y_at = pld::rank(in_column)
  width = pld::nranks(in_row)
  height = pld::nranks(in_column)
  for peer in 0..width {
    pld::system::notify(row, peer, [x], (y_at + 1) as i32, op = AtomicAdd)
  }
  for peer in 0..height {
    pld::system::notify(column, peer, [y_at], (x + 1) as i32, op = AtomicAdd)
  }
  for src in 0..width {
    pld::system::wait(row, [src], (y_at + 1) as i32, cmp = Eq)
  }
  for src in 0..height {
    pld::system::wait(column, [src], (x + 1) as i32, cmp = Eq)
  }
  pl::write(y, [0], x as i32)
  pl::write(y, [1], y_at as i32)
  pl::write(y, [2], width as i32)
  pl::write(y, [3], height as i32)
}";
    for (rows, columns) in [(2, 2), (2, 3), (3, 1)] {
        let world = World::new(rows * columns);
        let row: Vec<Arg> = (0..rows)
            .map(|y| (0..columns).map(|x| y * columns + x).collect::<Vec<_>>())
            .map(|ranks| world.window_of(&ranks, DType::I32, &[columns]))
            .collect();
        let column: Vec<Arg> = (0..columns)
            .map(|x| (0..rows).map(|y| y * columns + x).collect::<Vec<_>>())
            .map(|ranks| world.window_of(&ranks, DType::I32, &[rows]))
            .collect();
        let all: Vec<usize> = (0..rows * columns).collect();
        let args =
            |rank: usize| vec![row[rank / columns].clone(), column[rank % columns].clone(), output(DType::I32, &[4])];
        let ran = world.run_on(&all, kernel, args).expect("a run");
        for rank in all {
            let expected = [rank % columns, rank / columns, columns, rows].map(|v| v as i32);
            assert_eq!(ran.out::<i32>(rank, 0), expected);
        }
    }
}

#[test]
fn reports_name_ranks_of_the_world() {
    let world = World::new(5).seeded(3);
    let (data, signal) = (world.window_of(&[4, 2], DType::F32, &[4]), world.window_of(&[4, 2], DType::I32, &[2]));
    let write = "
InCore fn write(data: InOut window<f32, [4]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  t = pl::full::<f32>([4], 1.0)
  if me == 0 {
    data = pl::store(t, [0], data)
  } else {
    u = pld::tile::remote_load(data, 0, [0], [4])
  }
}";
    let error = world.run_on(&[2, 4], write, |_| vec![data.clone()]).map(|_| ()).expect_err("a race");
    let EngineError::Fault(fault) = &error else { panic!("{error}") };
    let text = fault.to_string();
    match &**fault {
        Fault::Race(_) => {
            assert!(text.starts_with("error: race on `data[0..4]` of rank 4 (rank 0 of its domain)"), "{text}")
        }
        _ => assert!(text.contains("4 of 4 in `data[0..4]` of rank 4 (rank 0 of its domain)"), "{text}"),
    }
    world.sim.reset(id(&data)).expect("a reset");

    let wait = "
InCore fn k(signal: InOut window<i32, [2]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  if me == 1 {
    pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)
  }
  pld::system::wait(signal, [1 - me], 1, cmp = Ge)
}";
    check(
        &world.run_on(&[2, 4], wait, |_| vec![signal.clone()]).map(|_| ()).expect_err("a deadlock"),
        expect![[r#"
            error: deadlock: 2 ranks of 2 blocked, 0 finished
              --> text:9:3 (rank 2, kernel `k`)
              = rank 2 waits for `signal[0]` of rank 2 (rank 1 of its domain) >= 1; it is 0
              = no kernel of this launch can notify that cell
              --> text:9:3 (rank 4, kernel `k`)
              = rank 4 waits for `signal[1]` of rank 4 (rank 0 of its domain) >= 1; it is 0
              = no kernel of this launch can notify that cell
              = help: a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait
        "#]],
    );
    world.sim.reset(id(&signal)).expect("a reset");
    check(
        &world
            .run_on(
                &[2, 4],
                "
InCore fn k(signal: InOut window<i32, [2]>, peer: usize) {
  pld::system::notify(signal, peer, [0], 1, op = AtomicAdd)
}",
                |rank| vec![signal.clone(), index(rank as i128)],
            )
            .map(|_| ())
            .expect_err("no such peer"),
        expect![[r#"
            error: peer 2 is not a rank: the domain of `signal` has 2 ranks
              --> text:4:3 (rank 2, kernel `k`)
              = help: peers of `pld::system::notify` are 0..2: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`
        "#]],
    );
}

/// One domain is stuck; the others need not end for that to be known.
#[test]
fn a_deadlock_of_one_domain() {
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(5)] {
        let mut world = World::new(5);
        world.options.scheduler = scheduler;
        let (stuck, endless) =
            (world.window_of(&[3, 1], DType::I32, &[2]), world.window_of(&[0, 2, 4], DType::I32, &[1]));
        let wait = "
InCore fn wait(signal: InOut window<i32, [2]>) {
  pld::system::wait(signal, [0], 1, cmp = Ge)
}";
        let spin = "
InCore fn spin(signal: InOut window<i32, [1]>) {
  i = 0usize
  while i >= 0 {
    i = i + 1
  }
}";
        let call = |rank: usize| match rank % 2 {
            1 => (rank, world.program(wait, std::slice::from_ref(&stuck)), vec![stuck.clone()]),
            _ => (rank, world.program(spin, std::slice::from_ref(&endless)), vec![endless.clone()]),
        };
        let error = world.launch_on((0..5).map(call).collect()).map(|_| ()).expect_err("a deadlock");
        check(
            &error,
            expect![[r#"
                error: deadlock among ranks 1, 3: 2 ranks of 2 blocked, 0 finished
                  --> text:4:3 (rank 1, kernel `wait`)
                  = rank 1 waits for `signal[0]` of rank 1 >= 1; it is 0
                  = no kernel of this launch can notify that cell
                  --> text:4:3 (rank 3, kernel `wait`)
                  = rank 3 waits for `signal[0]` of rank 3 (rank 0 of its domain) >= 1; it is 0
                  = no kernel of this launch can notify that cell
                  = help: a wait needs a notify of the same cell: compare peer and offsets of the notify with the offsets of the wait
            "#]],
        );
    }
}

#[test]
fn what_does_not_fit_a_domain() {
    let world = World::new(4);
    let window = world.window_of(&[0, 2], DType::I32, &[2]);
    let run = |ranks: &[usize], window: &Arg| {
        let args = |_| vec![window.clone(), output(DType::I32, &[4])];
        world.run_on(ranks, EXCHANGE, args).map(|_| ()).expect_err("an error").to_string()
    };
    assert!(run(&[0, 1], &window).contains("rank 1 is not of the domain of the window that it has as `cells`"));
    // Bound with a window of another domain.
    let other = world.window_of(&[0, 1, 2], DType::I32, &[2]);
    let args = vec![window.clone(), output(DType::I32, &[4])];
    let program = world.program(EXCHANGE, &args);
    let calls = vec![(0, program, vec![other, output(DType::I32, &[4])])];
    let error = world.launch_on(calls).map(|_| ()).expect_err("an error").to_string();
    assert!(error.contains("`cells` was bound for a domain of 2 ranks, the window's has 3"), "{error}");
    for (ranks, message) in
        [(&[0, 4][..], "a domain names rank 4; the world has 4"), (&[1, 1], "a domain names rank 1 more than once")]
    {
        let error = world.sim.allocate(ranks.into(), DType::I32, &[1], pl_core::runtime::Contents::Zeros);
        assert!(error.expect_err("an error").to_string().contains(message));
    }
}

/// A box goes from a window of one domain into one of another: peers are ranks of the target's domain.
#[test]
fn transfers_into_the_windows_of_a_domain() {
    let kernel = "
InCore fn k(own: InOut window<i32, [4]>, data: InOut window<i32, [2, 4]>, signal: InOut window<i32, [2]>, y: Out tensor<i32, [2, 4]>) {
  outer = pld::get_comm_ctx(own)
  inner = pld::get_comm_ctx(data)
  number = pld::rank(outer)
  me = pld::rank(inner)
  t = pl::full::<i32>([4], number as i32)
  own = pl::store(t, [0], own)
  row = pl::reshape(own, [1, 4])
  for peer in 0..2 {
    pld::tensor::put_with_signal(data, peer, row, signal, [me], 1, op = Set, [me, 0], [0, 0], [1, 4], atomic = None, 0, 0, false)
  }
  pld::system::wait(signal, [1 - me], 1, cmp = Eq)
  y = pld::tensor::get(y, me, data, _, _, _, 0, 0, false)
}";
    for seed in 0..10 {
        let world = World::new(4).seeded(seed);
        let (own, domain) = (world.window(DType::I32, &[4]), [3, 1]);
        let (data, signal) =
            (world.window_of(&domain, DType::I32, &[2, 4]), world.window_of(&domain, DType::I32, &[2]));
        let args = |_| vec![own.clone(), data.clone(), signal.clone(), output(DType::I32, &[2, 4])];
        let ran = world.run_on(&[1, 3], kernel, args).expect("a run");
        for (call, cost) in ran.report.ranks.iter().enumerate() {
            assert_eq!(ran.out::<i32>(call, 0), [3, 3, 3, 3, 1, 1, 1, 1]);
            assert_eq!((cost.bytes_received, cost.bytes_sent, cost.remote_stores), (16, 16, 1));
            assert_eq!((cost.peer_notifies, cost.self_notifies), (1, 1));
        }
    }
}

/// What ranks enter is compared per domain: in which order the domains come does not matter, who is missing is told by its number in the world.
#[test]
fn entries_are_compared_per_domain() {
    let kernel = "
InCore fn k(wide: InOut window<i32, [3, 1]>, pair: InOut window<i32, [2, 1]>, late: usize) {
  outer = pld::get_comm_ctx(wide)
  number = pld::rank(outer)
  for round in 0..3 {
    if number == late {
      pld::system::enter(wide, _, collective = Barrier, _, _, _)
      pld::system::enter(pair, pair, collective = Broadcast, _, _, round % 2)
    } else {
      pld::system::enter(pair, pair, collective = Broadcast, _, _, round % 2)
      pld::system::enter(wide, _, collective = Barrier, _, _, _)
    }
  }
}";
    let alone = "
InCore fn alone(wide: InOut window<i32, [3, 1]>, rounds: usize) {
  for round in 0..rounds {
    pld::system::enter(wide, _, collective = Barrier, _, _, _)
  }
  pld::system::wait(wide, [0, 0], 1, cmp = Ge)
}";
    let run = |rounds: i128, seed| {
        let world = World::new(3).seeded(seed);
        let (wide, pair) = (world.window(DType::I32, &[3, 1]), world.window_of(&[2, 0], DType::I32, &[2, 1]));
        let calls = (0..3).map(|rank| {
            let (kernel, args) = match rank {
                1 => (alone, vec![wide.clone(), index(rounds)]),
                _ => (kernel, vec![wide.clone(), pair.clone(), index(2)]),
            };
            (rank, world.program(kernel, &args), args)
        });
        let error = world.launch_on(calls.collect()).map(|_| ()).expect_err("a deadlock").to_string();
        error.lines().filter(|line| line.contains("enter")).collect::<Vec<_>>().join("\n")
    };
    for seed in 0..20 {
        // All entered all: the wait has another cause.
        assert_eq!(run(3, seed), "");
        expect!["  = rank 1 did not enter `pld::tensor::barrier` (SITE), in which 2 ranks wait: it is blocked in `pld::system::wait` at text:7:3"]
            .assert_eq(&run(2, seed).replace("text:8:7", "SITE").replace("text:12:7", "SITE"));
    }
}
