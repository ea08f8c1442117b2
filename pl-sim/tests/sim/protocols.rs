//! Signals that order, on many schedules: no false report, and the same bits on all.

use crate::support::{Arg, Random, World, input, output};
use pl_core::dtype::DType;
use pl_core::fault::Fault;

/// Rank 0's data reaches the last rank through all others; only neighbours signal one another.
#[test]
fn order_is_transitive() {
    let kernel = "
InCore fn chain(data: InOut window<f32, [1, 8]>, signal: InOut window<i32, [1]>, y: Out tensor<f32, [1, 8]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  if me == 0 {
    t = pl::full::<f32>([1, 8], 3.5)
    data = pl::store(t, [0, 0], data)
  } else {
    pld::system::wait(signal, [0], 1, cmp = Ge)
  }
  if me + 1 < n {
    pld::system::notify(signal, me + 1, [0], 1, op = AtomicAdd)
  }
  if me + 1 == n {
    u = pld::tile::remote_load(data, 0, [0, 0], [1, 8])
    y = pl::store(u, [0, 0], y)
  }
}";
    for seed in 0..30 {
        let world = World::new(5).seeded(seed);
        let (data, signal) = (world.window(DType::F32, &[1, 8]), world.window(DType::I32, &[1]));
        let ran = world.ok(kernel, |_| vec![data.clone(), signal.clone(), output(DType::F32, &[1, 8])]);
        assert_eq!(ran.out::<f32>(4, 0), [3.5; 8]);
    }
}

/// A counter in one cell: the wait learns from every add.
#[test]
fn a_wait_learns_from_all_adds_since_the_last_set() {
    let kernel = "
InCore fn gather(data: InOut window<f32, [1, 4]>, signal: InOut window<i32, [1]>, y: Out tensor<f32, [N, 4]>) dynamic(N) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  t = pl::full::<f32>([1, 4], me as f32)
  data = pl::store(t, [0, 0], data)
  if me != 0 {
    pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)
  } else {
    pld::system::wait(signal, [0], n as i32 - 1, cmp = Eq)
    for p in 1..n {
      u = pld::tile::remote_load(data, p, [0, 0], [1, 4])
      y = pl::store(u, [p, 0], y)
    }
  }
}";
    let run = |kernel: &str, seed| {
        let world = World::new(4).seeded(seed);
        let (data, signal) = (world.window(DType::F32, &[1, 4]), world.window(DType::I32, &[1]));
        world.run(kernel, |_| vec![data.clone(), signal.clone(), output(DType::F32, &[4, 4])])
    };
    for seed in 0..30 {
        let ran = run(kernel, seed).unwrap_or_else(|e| panic!("{e}"));
        for p in 1..4 {
            assert_eq!(ran.out::<f32>(0, 0)[p * 4], p as f32);
        }
    }
    // A `Set` hides the adds before it: what these ranks did is not ordered, although the value is right in the end.
    let set = kernel.replace(
        "pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)",
        "pld::system::notify(signal, 0, [0], 3, op = Set)",
    );
    let races = (0..30).filter(|&seed| run(&set, seed).is_err()).count();
    assert!(races > 20, "{races}");
}

/// The barrier that every builtin uses, back to back in a loop, with data that moves between.
pub const CREDITS: &str = "
InCore fn credits(x: In tensor<f32, [1, 8]>, data: InOut window<f32, [1, 8]>, signal: InOut window<i32, [P, 1]>, y: Out tensor<f32, [1, 8]>, rounds: usize) dynamic(P) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  acc = pl::load(x, [0, 0], [1, 8])
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
        recv = pld::tile::remote_load(data, p, [0, 0], [1, 8])
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
  y = pl::store(acc, [0, 0], y)
}";

pub fn credits(world: &World, ranks: usize) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let (data, signal) = (world.window(DType::F32, &[1, 8]), world.window(DType::I32, &[ranks, 1]));
    move |rank| {
        let x: Vec<f32> = (0..8).map(|i| (rank * 8 + i) as f32 * 0.1).collect();
        let rounds = crate::support::index(5);
        vec![input(&[1, 8], &x), data.clone(), signal.clone(), output(DType::F32, &[1, 8]), rounds]
    }
}

#[test]
fn every_schedule_gives_the_same_bits() {
    for ranks in [2, 3, 5] {
        let world = World::new(ranks);
        let args = credits(&world, ranks);
        let reference = world.ok(CREDITS, &args).outputs;
        for seed in 0..100 {
            let world = World::new(ranks).seeded(seed);
            let args = credits(&world, ranks);
            // Twice on the same windows: the credits are back.
            assert_eq!(world.ok(CREDITS, &args).outputs, reference);
            assert_eq!(world.ok(CREDITS, &args).outputs, reference);
        }
    }
}

/// With a window large enough that all workers start at once, turns of a few signals go to and fro between the threads.
#[test]
fn threads_wake_one_another() {
    let kernel = CREDITS
        .replace("rounds: usize", "rounds: usize, pad: InOut window<f32, [PAD]>")
        .replace("dynamic(P)", "dynamic(P, PAD)");
    for ranks in [2, 3, 8] {
        let world = World::new(ranks);
        let (args, pad) = (credits(&world, ranks), world.zeros(DType::F32, &[4 << 20]));
        let with_pad = |rank| args(rank).into_iter().chain([pad.clone()]).collect();
        let reference = world.ok(&kernel, with_pad).outputs;
        for _ in 0..200 {
            assert_eq!(world.ok(&kernel, with_pad).outputs, reference);
        }
    }
}

#[test]
fn a_protocol_with_a_part_left_out_is_found() {
    // A read that comes before the data was ever written is an uninitialised one.
    // Without the second barrier a fast rank stages its next data while others still read. Without the first they read too early.
    let second: Vec<&str> = CREDITS.split("    for peer.1 in").collect();
    let without_second = format!(
        "{}{}",
        second[0],
        &second[1][second[1].find("    for src.2").expect("the epilogue")..].replace("-2", "-1")
    );
    let without_wait = CREDITS.replace("        pld::system::wait(signal, [src, 0], 1, cmp = Ge)", "        n = n + 0");
    let weaker = CREDITS.replace("[src.1, 0], 2, cmp", "[src.1, 0], 1, cmp");
    for (name, kernel) in [("second barrier", without_second), ("wait", without_wait), ("weaker", weaker)] {
        let mut found = 0;
        for seed in 0..40 {
            let world = World::new(3).seeded(seed);
            let args = credits(&world, 3);
            match world.run(&kernel, &args) {
                Err(pl_core::runtime::EngineError::Fault(fault))
                    if matches!(*fault, Fault::Race(_) | Fault::Uninitialised(_)) =>
                {
                    found += 1;
                }
                Err(other) => panic!("{name}: {other}"),
                Ok(_) => {}
            }
        }
        assert!(found >= 35, "{name}: found by {found} of 40 seeds");
    }
}

/// Random programs of barriers and of accesses between them, each row written by one rank per phase and read by any in the next:
/// never a report, and the parallel and seeded schedulers agree.
#[test]
fn well_ordered_programs_are_never_reported() {
    let mut random = Random(3);
    for _ in 0..30 {
        let ranks = 2 + (random.next() % 3) as usize;
        let mut body = String::new();
        for phase in 0..4 {
            let shift = random.next() % ranks as u64;
            body += &format!("  t = pl::full::<f32>([1, 4], (me * {} + {phase}) as f32)\n", 1 + random.next() % 5);
            body += &format!("  data = pl::store(t, [(me + {shift}) % n, 0], data)\n");
            body += &barrier(2 * phase + 1);
            let (peer, row) = (random.next() % ranks as u64, random.next() % 4);
            body += &format!("  for i{phase} in 0..{row} {{\n");
            body += &format!("    p{phase} = (me + {peer} + i{phase}) % n\n");
            body += &format!("    u = pld::tile::remote_load(data, p{phase}, [(p{phase} + {shift}) % n, 0], [1, 4])\n");
            body += "    acc = pl::add(acc, u)\n  }\n";
            body += &barrier(2 * phase + 2);
        }
        let kernel = format!(
            "InCore fn k(data: InOut window<f32, [P, 4]>, signal: InOut window<i32, [P, 1]>, y: Out tensor<f32, [1, 4]>) dynamic(P) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  acc = pl::full::<f32>([1, 4], 0.0)
{body}  y = pl::store(acc, [0, 0], y)
}}"
        );
        let run = |world: World| {
            let (data, signal) = (world.window(DType::F32, &[ranks, 4]), world.window(DType::I32, &[ranks, 1]));
            world.ok(&kernel, |_| vec![data.clone(), signal.clone(), output(DType::F32, &[1, 4])]).outputs
        };
        let reference = run(World::new(ranks));
        for seed in 0..10 {
            assert_eq!(run(World::new(ranks).seeded(seed)), reference, "{kernel}");
        }
    }
}

fn barrier(generation: usize) -> String {
    format!(
        "  for peer.{generation} in 0..n {{
    if peer.{generation} != me {{
      pld::system::notify(signal, peer.{generation}, [me, 0], 1, op = AtomicAdd)
    }}
  }}
  for src.{generation} in 0..n {{
    if src.{generation} != me {{
      pld::system::wait(signal, [src.{generation}, 0], {generation}, cmp = Ge)
    }}
  }}
"
    )
}
