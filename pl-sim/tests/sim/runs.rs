//! What a launch does when nothing is wrong with it: data, control flow, reports.

use crate::support::{Arg, World, id, index, input, output};
use pl_core::cost::{RankProgram, cards};
use pl_core::dtype::DType;
use pl_core::fault::RankCost;
use pl_core::runtime::{Contents, Engine, Scheduler};

pub const HAND: &str = "
InCore fn hand(x: In tensor<f32, [1, NR * SIZE]>, y: Out tensor<f32, [1, SIZE]>, data: InOut window<f32, [NR, SIZE]>, signal: InOut window<i32, [NR, 1]>) -> tensor<f32, [1, SIZE]> dynamic(NR, SIZE) {
  ctx = pld::get_comm_ctx(data)
  my_rank = pld::rank(ctx)
  nranks = pld::nranks(ctx)
  for c in 0..nranks {
    chunk = pl::load(x, [0, c * SIZE], [1, SIZE])
    data = pl::store(chunk, [c, 0], data)
  }
  for peer in 0..nranks {
    if peer != my_rank {
      pld::system::notify(signal, peer, [my_rank, 0], 1, op = AtomicAdd)
    }
  }
  for src in 0..nranks {
    if src != my_rank {
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }
  }
  acc = pl::load(data, [my_rank, 0], [1, SIZE])
  for p in 0..nranks {
    if p != my_rank {
      recv = pld::tile::remote_load(data, p, [my_rank, 0], [1, SIZE])
      acc = pl::add(acc, recv)
    }
  }
  y = pl::store(acc, [0, 0], y)
  return y
}";

/// The arguments of [`HAND`]: rank r's element i is r * 1000 + i.
pub fn hand_args(world: &World, ranks: usize, size: usize) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let data = world.window(DType::F32, &[ranks, size]);
    let signal = world.window(DType::I32, &[ranks, 1]);
    move |rank| {
        let x: Vec<f32> = (0..ranks * size).map(|i| (rank * 1000 + i) as f32).collect();
        vec![input(&[1, ranks * size], &x), output(DType::F32, &[1, size]), data.clone(), signal.clone()]
    }
}

#[test]
fn reduce_scatter_by_hand_on_every_scheduler() {
    for ranks in [1, 2, 3, 4, 7, 16] {
        for size in [1, 3, 64] {
            for scheduler in [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2)] {
                let mut world = World::new(ranks);
                world.options.scheduler = scheduler;
                let ran = world.ok(HAND, hand_args(&world, ranks, size));
                for rank in 0..ranks {
                    let expected: Vec<f32> =
                        (0..size).map(|i| (0..ranks).map(|k| (k * 1000 + rank * size + i) as f32).sum()).collect();
                    assert_eq!(ran.out::<f32>(rank, 0), expected);
                    let others = ranks as u64 - 1;
                    let cost = RankCost {
                        bytes_received: others * size as u64 * 4,
                        bytes_sent: others * size as u64 * 4,
                        remote_loads: others,
                        remote_stores: 0,
                        peer_notifies: others,
                        self_notifies: 0,
                        waits: others,
                        result_elements: size as u64,
                    };
                    assert_eq!(ran.report.ranks[rank], cost);
                }
                assert_eq!(ran.report.scheduler, scheduler);
                assert!(ran.report.order_dependent().next().is_none());
                assert_eq!(ran.report.checked.accesses, (ranks * ranks + ranks * ranks) as u64);
            }
        }
    }
}

#[test]
fn control_flow_and_scalars() {
    let world = World::new(1);
    // Sums the odd numbers below n in a while loop, counts by steps in a for loop, and stops short where it must.
    let kernel = "
InCore fn flow(n: usize, y: Out tensor<i64, [4]>) {
  sum = 0usize
  i = 0usize
  while i < n && 10 / (n - i) < 100 {
    if i % 2 == 1 {
      sum = sum + i
    } else {
      if i == 4 || 1 / i > 5 {
        sum = sum + 100
      }
    }
    i = i + 1
  }
  steps = 0usize
  for k in 1..n step 3 {
    steps = steps + k
    n = n + 1
  }
  y = pl::write(y, [0], sum as i64)
  y = pl::write(y, [1], steps as i64)
  y = pl::write(y, [2], pl::max(n, 3) as i64 - 20)
  y = pl::write(y, [3], -(pl::min(n, 3) as i64))
}";
    // `1 / i` divides by zero at i = 0, unless `||` stops before; give it an odd start by a first step.
    let kernel = kernel.replace("1 / i > 5", "1 / (i + 1) > 5");
    let ran = world.ok(&kernel, |_| vec![index(9), output(DType::I64, &[4])]);
    assert_eq!(ran.out::<i64>(0, 0), [1 + 3 + 5 + 7 + 100, 1 + 4 + 7, 12 - 20, -3]);
}

#[test]
fn tiles_are_values() {
    let world = World::new(1);
    let kernel = "
InCore fn values(x: In tensor<f32, [1, 8]>, y: Out tensor<f32, [4, 8]>) {
  a = pl::load(x, [0, 0], [1, 8])
  b = a
  for i in 0..3 {
    a = pl::add(a, b)
    c = a
    a = pl::mul(a, 2.0)
    y = pl::store(c, [i, 0], y)
  }
  a = pl::sub(a, a)
  y = pl::store(a, [3, 0], y)
}";
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let ran = world.ok(kernel, |_| vec![input(&[1, 8], &x), output(DType::F32, &[4, 8])]);
    let rows: Vec<f32> = [2.0, 5.0, 11.0, 0.0].iter().flat_map(|f| x.iter().map(move |x| x * f)).collect();
    assert_eq!(ran.out::<f32>(0, 0), rows);
}

#[test]
fn ragged_tails_and_empty_boxes() {
    let world = World::new(1);
    let kernel = "
InCore fn ragged(x: In tensor<i32, [ROWS, COLS]>, y: InOut tensor<i32, [ROWS, COLS]>, chunk: usize) dynamic(ROWS, COLS) {
  start = 0usize
  while start <= COLS {
    width = pl::min(chunk, COLS - start)
    t = pl::load(x, [0, start], [ROWS, width])
    t = pl::mul(t, 3)
    y = pl::store(t, [0, start], y)
    start = start + chunk
  }
  empty = pl::load(x, [ROWS + chunk, 0], [chunk - chunk, COLS])
  y = pl::store(empty, [ROWS + chunk, 3 * chunk], y)
}";
    let x: Vec<i32> = (0..7 * 10).collect();
    for chunk in [1, 2, 3, 5, 10, 64] {
        let ran = world.ok(kernel, |_| vec![input(&[7, 10], &x), output(DType::I32, &[7, 10]), index(chunk)]);
        assert_eq!(ran.out::<i32>(0, 0), x.iter().map(|x| x * 3).collect::<Vec<_>>());
    }
}

#[test]
fn boxes_of_three_axes() {
    let world = World::new(1);
    let kernel = "
InCore fn boxes(x: In tensor<u8, [3, 4, 5]>, y: InOut tensor<u8, [4, 3, 5]>, w: InOut window<u8, [3, 4, 5]>) {
  t = pl::load(x, [0, 1, 2], [3, 2, 3])
  w = pl::store(t, [0, 1, 2], w)
  u = pl::load(w, [1, 1, 3], [2, 2, 2])
  y = pl::store(u, [2, 1, 0], y)
}";
    let x: Vec<u8> = (0..60).collect();
    let ran = world.ok(kernel, |_| {
        vec![input(&[3, 4, 5], &x), output(DType::U8, &[4, 3, 5]), world.window(DType::U8, &[3, 4, 5])]
    });
    let mut expected = vec![0_u8; 60];
    for a in 0..2 {
        for b in 0..2 {
            for c in 0..2 {
                expected[(2 + a) * 15 + (1 + b) * 5 + c] = x[(1 + a) * 20 + (1 + b) * 5 + 3 + c];
            }
        }
    }
    assert_eq!(ran.out::<u8>(0, 0), expected);
}

#[test]
fn ranks_run_different_kernels() {
    let world = World::new(2);
    let signal = world.window(DType::I32, &[2, 1]);
    let data = world.window(DType::BF16, &[1, 4]);
    let producer = "
InCore fn producer(data: InOut window<bf16, [1, 4]>, signal: InOut window<i32, [2, 1]>) {
  t = pl::full::<bf16>([1, 4], 2.5)
  data = pl::store(t, [0, 0], data)
  pld::system::notify(signal, 1, [0, 0], 7, op = Set)
}";
    let consumer = "
InCore fn consumer(data: InOut window<bf16, [1, 4]>, signal: InOut window<i32, [2, 1]>, y: Out tensor<f32, [1, 4]>) {
  pld::system::wait(signal, [0, 0], 7, cmp = Eq)
  t = pld::tile::remote_load(data, 0, [0, 0], [1, 4])
  u = pl::cast::<f32>(t)
  y = pl::store(u, [0, 0], y)
}";
    let first = vec![data.clone(), signal.clone()];
    let second = vec![data.clone(), signal.clone(), output(DType::F32, &[1, 4])];
    let calls = vec![(world.program(producer, &first), first), (world.program(consumer, &second), second)];
    let ran = world.launch(calls).expect("a run");
    assert_eq!(ran.out::<f32>(1, 0), [2.5; 4]);
    let mut cell = [0; 8];
    world.sim.read(id(&signal), 1, &mut cell).expect("a window");
    assert_eq!(cell, [7, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn the_host_reads_and_writes_windows() {
    let world = World::new(2);
    let window = world.sim.allocate(world.all(), DType::I16, &[3], Contents::Uninitialised).expect("a window");
    world.sim.write(window, 1, &[1, 0, 2, 0, 3, 0]).expect("a write");
    let mut bytes = [9; 6];
    world.sim.read(window, 1, &mut bytes).expect("a read");
    assert_eq!(bytes, [1, 0, 2, 0, 3, 0]);
    world.sim.read(window, 0, &mut bytes).expect("a read");
    assert_eq!(bytes, [0; 6]);
    assert!(world.sim.read(window, 2, &mut bytes).is_err());
    assert!(world.sim.read(window, 1, &mut bytes[1..]).is_err());
    world.sim.free(window);
    assert!(world.sim.read(window, 1, &mut bytes).is_err());
    assert!(world.sim.allocate(world.all(), DType::I8, &[1 << 20, 1 << 20], Contents::Zeros).is_err());
}

#[test]
fn the_same_seed_gives_the_same_run() {
    // A race: which side is found first, and where the other stands, depends on the interleaving.
    let kernel = "
InCore fn race(data: InOut window<f32, [4, 4]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  for i in 0..4 {
    t = pl::full::<f32>([1, 4], 1.0)
    data = pl::store(t, [i, 0], data)
  }
  for i in 0..4 {
    u = pld::tile::remote_load(data, (me + i) % 3, [i, 0], [1, 4])
  }
}";
    let report = |seed| {
        let world = World::new(3).seeded(seed);
        let data = world.window(DType::F32, &[4, 4]);
        world.fault(kernel, |_| vec![data.clone()]).to_string()
    };
    let reports: std::collections::BTreeSet<String> = (0..20).map(report).collect();
    assert!(reports.len() > 3, "{reports:#?}");
    for seed in 0..20 {
        assert_eq!(report(seed), report(seed));
    }
}

#[test]
fn polled_cells_are_reported_as_order_dependent() {
    let world = World::new(2);
    let signal = world.window(DType::I32, &[1]);
    let kernel = "
InCore fn poll(signal: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  if me == 0 {
    pld::system::notify(signal, 1, [0], 1, op = AtomicAdd)
  } else {
    seen = pl::read(signal, [0])
    while seen < 1 {
      seen = pl::read(signal, [0])
    }
  }
}";
    for seed in 0..10 {
        let world = World::new(2).seeded(seed);
        let signal = world.window(DType::I32, &[1]);
        let ran = world.ok(kernel, |_| vec![signal.clone()]);
        let lines: Vec<u32> = ran.report.order_dependent().filter_map(|s| s.place.as_ref()).map(|p| p.line).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| [9, 11].contains(line)), "{lines:?}");
    }
    let ran = world.ok(kernel, |_| vec![signal.clone()]);
    assert!(ran.report.order_dependent().next().is_some());
}

#[test]
fn a_load_of_no_use_costs_what_the_card_says() {
    let world = World::new(2);
    let data = world.zeros(DType::F32, &[4, 8]);
    let kernel = "
InCore fn unused(data: In window<f32, [4, 8]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  pld::tile::remote_load(data, 1 - me, [1, 2], [3, 4])
  pld::tile::remote_load(data, me, [0, 0], [4, 8])
  pl::load(data, [0, 0], [1, 8])
}";
    let program = world.program(kernel, std::slice::from_ref(&data));
    let ran = world.ok(kernel, |_| vec![data.clone()]);
    let domains = [[0, 1].into()];
    let calls = [0, 1].map(|rank| RankProgram { rank, program: &program, scalars: &[None], domains: &domains });
    for (card, cost) in cards(&calls).iter().zip(&ran.report.ranks) {
        assert_eq!(card.exact(), Some(*cost));
        assert_eq!((cost.bytes_received, cost.bytes_sent, cost.remote_loads), (48, 48, 1));
    }
}
