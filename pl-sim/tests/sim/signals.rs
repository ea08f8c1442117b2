//! Signals that come with data, and cells that data transfers change.

use crate::support::{Arg, World, id, input, output};
use expect_test::expect;
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::{Engine, EngineError};

/// A ring of `put_with_signal`s in a loop: who waits for the cell finds the data, on every schedule, and never data of the next round.
#[test]
fn the_data_is_there_when_the_signal_is() {
    let kernel = "
InCore fn ring(data: InOut window<i64, [2, 8]>, own: InOut window<i64, [1, 8]>, full: InOut window<i32, [2]>, empty: InOut window<i32, [1]>, y: Out tensor<i64, [10, 8]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  next = (me + 1) % n
  last = (me + n - 1) % n
  t = pl::full::<i64>([1, 8], me as i64)
  own = pl::store(t, [0, 0], own)
  for round in 0..10 {
    slot = round % 2
    if round >= 2 {
      pld::system::wait(empty, [0], (round - 1) as i32, cmp = Ge)
    }
    pld::tensor::put_with_signal(data, next, own, full, [slot], VALUE, [slot, 0], [0, 0], [1, 8], atomic = None, 1, 8, false)
    pld::system::wait(full, [slot], WAIT)
    u = pl::load(data, [slot, 0], [1, 8])
    y = pl::store(u, [round, 0], y)
    pld::system::notify(empty, last, [0], 1, op = AtomicAdd)
    v = pl::add(u, 10)
    own = pl::store(v, [0, 0], own)
  }
}";
    let variants = [
        ("1, op = AtomicAdd", "(round / 2 + 1) as i32, cmp = Ge"),
        ("(round + 1) as i32, op = Set", "(round + 1) as i32, cmp = Eq"),
        ("-1, op = AtomicAdd", "-1 - (round / 2) as i32, cmp = Eq"),
        ("-(round as i32) - 5, op = Set", "-(round as i32) - 5, cmp = Eq"),
    ];
    for (value, wait) in variants {
        let kernel = kernel.replace("VALUE", value).replace("WAIT", wait);
        for seed in 0..31 {
            let world = if seed == 0 { World::new(3) } else { World::new(3).seeded(seed) };
            let (data, own) = (world.window(DType::I64, &[2, 8]), world.window(DType::I64, &[1, 8]));
            let (full, empty) = (world.window(DType::I32, &[2]), world.window(DType::I32, &[1]));
            let args = |_| vec![data.clone(), own.clone(), full.clone(), empty.clone(), output(DType::I64, &[10, 8])];
            let ran = world.ok(&kernel, args);
            for rank in 0..3_i64 {
                let y = ran.out::<i64>(rank as usize, 0);
                for round in 0..10 {
                    // What arrives in a round left its first rank so many rounds ago.
                    let value = (rank - 1 - round).rem_euclid(3) + 10 * round;
                    assert_eq!(y[round as usize * 8..][..8], [value; 8], "{value} in round {round}");
                }
            }
        }
    }
}

fn one(body: &str) -> String {
    format!(
        "InCore fn k(data: InOut window<i32, [4]>, signal: InOut window<i32, [4]>, x: In tensor<i32, [4]>, y: Out tensor<i32, [4]>) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
{body}
}}"
    )
}

fn args(world: &World) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let (data, signal) = (world.window(DType::I32, &[4]), world.window(DType::I32, &[4]));
    move |_| vec![data.clone(), signal.clone(), input(&[4], &[5, 6, 7, i32::MAX]), output(DType::I32, &[4])]
}

#[test]
fn a_cell_holds_no_more_than_it_can() {
    let world = World::new(2).seeded(0);
    let args = args(&world);
    let body = "
  if me == 0 {
    pld::tensor::put_with_signal(data, 1, x, signal, [2], 2147483647, op = AtomicAdd, _, _, _, atomic = None, 0, 0, false)
    pld::tensor::put_with_signal(data, 1, x, signal, [2], -5, op = AtomicAdd, _, _, _, atomic = None, 0, 0, false)
    pld::tensor::put_with_signal(data, 1, x, signal, [2], 6, op = AtomicAdd, _, _, _, atomic = Add, 0, 0, false)
  }";
    let fault = world.fault(&one(body), &args);
    expect![[r#"
        error: signal overflow: `signal[2]` of rank 1 holds 2147483642, and adding 6 does not fit `i32`
          --> text:9:5 (rank 0, kernel `k`)
          = help: take credits back when they are used (notify yourself with a negative value), or `world.reset` the signal
    "#]].assert_eq(&format!("{fault}\n"));
    // Data wraps, and does not care that it overflows.
    let world = World::new(1);
    let args = self::args(&world);
    let body = "
  pld::tensor::put(data, me, x, _, _, _, atomic = Add, 0, 0, false)
  pld::tensor::put(data, me, x, _, _, _, atomic = Add, 0, 0, false)
  y = pld::tensor::get(y, me, data, _, _, _, 0, 0, false)";
    assert_eq!(world.ok(&one(body), &args).out::<i32>(0, 0), [10, 12, 14, -2]);
}

/// Stores and transfers into cells are ordinary accesses: once ordered, waits see their values, and later deposits count from there.
#[test]
fn cells_may_be_written_as_data_where_it_is_ordered() {
    let body = "
  if me == 0 {
    pld::tensor::put(signal, 1, x, _, _, _, atomic = None, 0, 0, false)
    t = pl::load(x, [0], [1])
    pld::tile::remote_store(t, signal, 1, [1], atomic = Add)
    pld::system::notify(data, 1, [0], 1, op = Set)
    pld::system::wait(data, [1], 1, cmp = Ge)
    pld::system::notify(signal, 1, [1], 4, op = AtomicAdd)
    u = pld::tile::remote_load(data, 1, [3], [1])
  } else {
    pld::system::wait(data, [0], 1, cmp = Eq)
    pld::system::wait(signal, [0], 5, cmp = Eq)
    pld::system::wait(signal, [1], 11, cmp = Eq)
    v = pl::full::<i32>([1], 9)
    data = pl::store(v, [3], data)
    signal = pl::write(signal, [1], 100)
    pld::system::notify(data, 0, [1], 1, op = AtomicAdd)
    pld::system::wait(signal, [1], 104, cmp = Ge)
    seen = pl::read(signal, [1])
    y = pl::write(y, [0], seen)
  }";
    for seed in 0..40 {
        let world = World::new(2).seeded(seed);
        let args = args(&world);
        let ran = world.ok(&one(body), &args);
        assert_eq!(ran.out::<i32>(1, 0)[0], 104);
        let mut held = [0; 16];
        world.sim.read(id(&args(0)[1]), 1, &mut held).expect("a window");
        assert_eq!(bytemuck::cast::<_, [i32; 4]>(held), [5, 104, 7, i32::MAX]);
    }
}

/// A deposit after a store is what orders, however often the cell was used before it.
#[test]
fn a_wait_learns_from_the_deposit_after_a_store() {
    let body = "
  if me == 0 {
    pld::system::notify(signal, 1, [0], 3, op = AtomicAdd)
    pld::system::wait(signal, [1], 1, cmp = Ge)
    t = pl::load(x, [0], [4])
    data = pl::store(t, [0], data)
    pld::system::notify(signal, 1, [0], 1, op = AtomicAdd)
  } else {
    pld::system::wait(signal, [0], 3, cmp = Ge)
    signal = pl::write(signal, [0], 0)
    pld::system::notify(signal, 0, [1], 1, op = AtomicAdd)
    pld::system::wait(signal, [0], 1, cmp = Ge)
    y = pld::tensor::get(y, 0, data, _, _, _, 0, 0, false)
  }";
    for seed in 0..40 {
        let world = World::new(2).seeded(seed);
        let args = args(&world);
        assert_eq!(world.ok(&one(body), &args).out::<i32>(1, 0), [5, 6, 7, i32::MAX]);
    }
}

/// A transfer into a cell that its owner waits for is a race, and so is one into a cell that others notify.
#[test]
fn transfers_into_cells_in_use_race() {
    let others = [
        ("pld::system::wait(signal, [0], 5, cmp = Eq)", "test"),
        ("pld::system::notify(signal, 1, [0], 1, op = Set)", "notif"),
        ("seen = pl::read(signal, [0])\n while seen < 5 {\n seen = pl::read(signal, [0])\n }", "test"),
    ];
    for transfer in [
        "pld::tensor::put(signal, 1, x, _, _, _, atomic = None, 0, 0, false)",
        "pld::tensor::put(signal, 1, x, [0], [0], [1], atomic = Add, 0, 0, false)",
        "t = pl::load(x, [0], [2])\n pld::tile::remote_store(t, signal, 1, [0], atomic = Add)",
    ] {
        for (other, word) in others {
            for seed in 0..12 {
                let world = World::new(2).seeded(seed);
                let args = args(&world);
                let kernel = one(&format!("if me == 0 {{\n {transfer}\n }} else {{\n {other}\n }}"));
                let Err(EngineError::Fault(fault)) = world.run(&kernel, &args).map(|_| ()) else {
                    panic!("{transfer}\n{other}")
                };
                assert!(matches!(*fault, Fault::Race(_)) && fault.to_string().contains(word), "{fault}");
            }
        }
    }
}

/// A rank that reads an element over and over is woken when a transfer changes its memory.
#[test]
fn a_put_wakes_who_reads_in_circles() {
    let body = "
  if me == 1 {
    pld::system::notify(data, 0, [0], 1, op = AtomicAdd)
    seen = pl::read(signal, [3])
    while seen < 1 {
      seen = pl::read(signal, [3])
    }
  } else {
    pld::system::wait(data, [0], 1, cmp = Ge)
    for i in 0..2000 {
      pld::tensor::put(signal, 1, x, [0], [0], [1], atomic = None, 0, 0, false)
    }
    pld::tensor::put_with_signal(data, 1, x, signal, [3], 1, op = Set, [1], [0], [1], atomic = None, 0, 0, false)
  }";
    for seed in 0..10 {
        let world = if seed == 0 { World::new(2) } else { World::new(2).seeded(seed) };
        let args = args(&world);
        let ran = world.ok(&one(body), &args);
        assert!(ran.report.order_dependent().next().is_some());
    }
}

/// Who could still send the awaited signal is known of `put_with_signal`, too.
#[test]
fn a_deadlock_names_puts_that_signal() {
    let body = "
  if me == 0 {
    pld::system::wait(signal, [1], 2, cmp = Ge)
  } else {
    pld::tensor::put_with_signal(data, 0, x, signal, [1], 1, op = AtomicAdd, [0], [2], [1], atomic = None, 0, 0, false)
    if me == 2 {
      pld::tensor::put_with_signal(data, 0, x, signal, [2], 1, op = AtomicAdd, [1], [1], [1], atomic = None, 0, 0, false)
    }
  }";
    let world = World::new(2).seeded(0);
    let args = args(&world);
    let fault = world.fault(&one(body), &args);
    expect![[r#"
        error: deadlock: 1 rank of 2 blocked, 1 finished
          --> text:7:5 (rank 0, kernel `k`)
          = rank 0 waits for `signal[1]` of rank 0 >= 2; it is 1
          = rank 1 added 1 at text:9:5, which made it 1
          = rank 1 notifies it at text:9:5: it sent once and will not any more, it is finished
          = help: nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects
    "#]]
    .assert_eq(&format!("{fault}\n"));
}

/// A cell that holds a lot may be read, and stored to, like any other, in this launch and in the next ones on the same window.
#[test]
fn a_cell_that_holds_a_lot() {
    let body = "
  if me == 0 {
    pld::system::notify(signal, 1, [0], 2000000000, op = AtomicAdd)
  } else {
    pld::system::wait(signal, [0], 2000000000, cmp = Ge)
    v = pl::read(signal, [0])
    y = pl::write(y, [0], v)
    signal = pl::write(signal, [0], 0)
    t = pl::load(x, [1], [3])
    y = pl::store(t, [1], y)
  }";
    let world = World::new(2);
    let args = args(&world);
    for _ in 0..3 {
        assert_eq!(world.ok(&one(body), &args).out::<i32>(1, 0), [2_000_000_000, 6, 7, i32::MAX]);
    }
}

/// A cell has no room for what several ranks add, in whatever order they do, though each adds little but one. With several threads, too: the window is
/// large, and there is time for them to come.
#[test]
fn what_several_ranks_add_is_too_much() {
    let kernel = "
InCore fn k(signal: InOut window<i32, [2]>, pad: InOut window<f32, [PAD]>) dynamic(PAD) {
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  for round in 0..50 {
    pld::system::notify(signal, 3 - me, [1], 1, op = AtomicAdd)
    pld::system::wait(signal, [1], round as i32 + 1, cmp = Ge)
  }
  if me == 0 {
    for i in 0..3 {
      pld::system::notify(signal, 3, [0], 1, op = AtomicAdd)
    }
  }
  if me == 2 {
    pld::system::notify(signal, 3, [0], 1073741823, op = AtomicAdd)
  }
}";
    let world = World::new(4);
    for _ in 0..500 {
        let (signal, pad) = (world.zeros(DType::I32, &[2]), world.zeros(DType::F32, &[1 << 20]));
        let held: [i32; 2] = [1 << 30, 0];
        world.sim.write(id(&signal), 3, bytemuck::cast_slice(&held)).expect("a window");
        let fault = world.fault(kernel, |_| vec![signal.clone(), pad.clone()]);
        assert!(matches!(fault, Fault::CellOverflow(_)), "{fault}");
        [&signal, &pad].into_iter().for_each(|window| world.sim.free(id(window)));
    }
}
