//! Many ranks on few cores.

use crate::runs::{HAND, hand_args};
use crate::support::{Arg, World, index, input, output};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::ir::{Elem, Lit, ScalarType};
use std::time::{Duration, Instant};

#[test]
fn hundreds_of_ranks_exchange_their_rows() {
    let start = Instant::now();
    let world = World::new(256);
    let ran = world.ok(HAND, hand_args(&world, 256, 16));
    let expected = |rank: usize| (0..256).map(|k| (k * 1000 + rank * 16) as f32).sum::<f32>();
    assert_eq!(ran.out::<f32>(255, 0)[0], expected(255));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

const BARRIERS: &str = "
InCore fn barriers(signal: InOut window<i32, [P, 1]>, rounds: usize) dynamic(P) {
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
        pld::system::wait(signal, [src, 0], round as i32 + 1, cmp = Ge)
      }
    }
  }
}";

#[test]
fn a_thousand_ranks_meet() {
    let start = Instant::now();
    let world = World::new(1024);
    let signal = world.window(DType::I32, &[1024, 1]);
    let ran = world.ok(BARRIERS, |_| vec![signal.clone(), index(2)]);
    assert_eq!(ran.report.checked.signals, 2 * 2 * 1024 * 1023);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn many_rounds_of_few_ranks() {
    for ranks in [2, 4] {
        let world = World::new(ranks);
        let signal = world.window(DType::I32, &[ranks, 1]);
        world.ok(BARRIERS, |_| vec![signal.clone(), index(2000)]);
    }
}

#[test]
fn a_deadlock_of_a_thousand_ranks_is_told_shortly() {
    let world = World::new(1024);
    let signal = world.window(DType::I32, &[1024, 1]);
    let kernel = BARRIERS.replace("if peer != me", "if peer != me && me != 77");
    let fault = world.fault(&kernel, |_| vec![signal.clone(), index(1)]);
    let Fault::Deadlock(deadlock) = &fault else { panic!("{fault}") };
    assert_eq!((deadlock.blocked.len(), deadlock.finished), (1023, 1));
    let first = &deadlock.blocked[0];
    assert_eq!(first.cell.offsets, [77, 0]);
    assert_eq!(first.senders.iter().map(|s| s.site.rank).collect::<Vec<_>>(), [77]);
    assert_eq!(first.senders[0].sent, 0);
    let text = fault.to_string();
    assert!(text.lines().count() < 60, "{text}");
    assert!(text.contains("  = ranks 8-76, 78-1023: blocked in `pld::system::wait` at text:15:9\n"), "{text}");
}

/// Each entry is compared with the first one alone, and what all have entered is forgotten.
#[test]
fn entries_of_thousands_of_ranks_are_cheap() {
    let start = Instant::now();
    let world = World::new(4096);
    let signal = world.window(DType::I32, &[4096, 1]);
    let kernel = "
InCore fn enters(signal: InOut window<i32, [P, 1]>, rounds: usize) dynamic(P) {
  for round in 0..rounds {
    pld::system::enter(signal, signal, collective = Broadcast, _, _, round)
  }
}";
    let ran = world.ok(kernel, |_| vec![signal.clone(), index(200)]);
    assert_eq!(ran.report.checked.ops, 2 * 200 * 4096);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// The adds of a thousand ranks to the same elements.
#[test]
fn adds_of_a_thousand_ranks_meet() {
    let start = Instant::now();
    let world = World::new(1024);
    let (sum, signal) = (world.window(DType::I32, &[1, 64]), world.window(DType::I32, &[1]));
    let kernel = "
InCore fn adds(x: In tensor<i32, [1, 64]>, sum: InOut window<i32, [1, 64]>, signal: InOut window<i32, [1]>, y: Out tensor<i32, [1, 64]>) {
  ctx = pld::get_comm_ctx(sum)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  pld::tensor::put_with_signal(sum, 0, x, signal, [0], 1, op = AtomicAdd, _, _, _, atomic = Add, 0, 0, false)
  if me == 0 {
    pld::system::wait(signal, [0], n as i32, cmp = Eq)
    y = pld::tensor::get(y, 0, sum, _, _, _, 0, 0, false)
  }
}";
    let ran = world.ok(kernel, |rank| {
        let x: Vec<i32> = (0..64).map(|i| rank as i32 * i).collect();
        vec![input(&[1, 64], &x), sum.clone(), signal.clone(), output(DType::I32, &[1, 64])]
    });
    assert_eq!(ran.out::<i32>(0, 0), (0..64).map(|i| i * 1023 * 512).collect::<Vec<i32>>());
    assert_eq!(ran.report.ranks[0].bytes_received, 1023 * 256);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A token goes round all ranks, then all report to rank 0, which lets all go at once: each rank parks, and is woken from another thread or its own.
const TOKEN: &str = "
InCore fn token(base: i32, token: InOut window<i32, [1, 1]>, signal: InOut window<i32, [3]>, pad: InOut window<f32, [PAD]>, y: Out tensor<i32, [1, 1]>) dynamic(PAD) {
  ctx = pld::get_comm_ctx(token)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  if me > 0 {
    pld::system::wait(signal, [0], 1, cmp = Ge)
    held = pld::tile::remote_load(token, me - 1, [0, 0], [1, 1])
    passed = pl::add(held, 3i32)
    token = pl::store(passed, [0, 0], token)
  } else {
    pl::write(token, [0, 0], base)
  }
  if me + 1 < n {
    pld::system::notify(signal, me + 1, [0], 1, op = AtomicAdd)
  }
  pld::system::notify(signal, 0, [1], 1, op = AtomicAdd)
  if me == 0 {
    pld::system::wait(signal, [1], n as i32, cmp = Ge)
    for peer in 0..n {
      pld::system::notify(signal, peer, [2], 1, op = AtomicAdd)
    }
  }
  pld::system::wait(signal, [2], 1, cmp = Ge)
  last = pld::tile::remote_load(token, (me + n - 1) % n, [0, 0], [1, 1])
  y = pl::store(last, [0, 0], y)
  pld::system::notify(signal, me, [1], 0, op = Set)
  pld::system::notify(signal, me, [2], 0, op = Set)
  pld::system::notify(signal, me, [0], 0, op = Set)
}";

/// Ten thousand launches of 64 ranks on all workers, one after the other on the same windows.
#[test]
fn many_launches_of_many_ranks() {
    const RANKS: usize = 64;
    let world = World::new(RANKS);
    let (token, signal) = (world.window(DType::I32, &[1, 1]), world.window(DType::I32, &[3]));
    // So large a launch that all workers are asked to join at once. One that is busy elsewhere, or still asleep, does not.
    let pad = world.zeros(DType::F32, &[(4 << 20) / 4 / RANKS]);
    let args = |base: i32| {
        let base = Arg::Scalar(Lit::Int(base.into()), ScalarType::Elem(Elem::Known(DType::I32)));
        vec![base, token.clone(), signal.clone(), pad.clone(), output(DType::I32, &[1, 1])]
    };
    let program = world.program(TOKEN, &args(0));
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(RANKS));
    let mut most = 0;
    for launch in 0..10_000 {
        let calls = (0..RANKS).map(|rank| (rank, program.clone(), args(launch))).collect();
        let ran = world.launch_on(calls).unwrap_or_else(|e| panic!("{e}"));
        most = most.max(ran.report.threads);
        for rank in 0..RANKS {
            let from = (rank + RANKS - 1) % RANKS;
            assert_eq!(ran.out::<i32>(rank, 0), [launch + 3 * from as i32], "launch {launch}, rank {rank}");
        }
    }
    assert_eq!(most, workers);
}
