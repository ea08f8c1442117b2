//! Ops that move boxes between ranks: what arrives, on every element type, and what the checks say of transfers that nothing orders.

use crate::support::{Arg, Random, World, id, input, output};
use expect_test::{Expect, expect};
use half::{bf16, f16};
use pl_core::dtype::DType;
use pl_core::fault::{AccessKind, Fault, LintKind, Site};
use pl_core::runtime::{Engine, EngineError};

/// Random bytes as an `In` tensor of a type.
fn random_input(dtype: DType, shape: &[usize], random: &mut Random) -> Arg {
    let count = shape.iter().product::<usize>() * dtype.bytes();
    Arg::In(shape.to_vec(), (0..count).map(|_| random.next() as u8).collect())
}

fn bytes(arg: &Arg) -> &[u8] {
    match arg {
        Arg::In(_, bytes) | Arg::Out(_, bytes) => bytes,
        _ => panic!("no tensor"),
    }
}

/// Copies a box between plain arrays of two axes, element by element.
#[expect(clippy::too_many_arguments, reason = "a box of two axes has that many numbers")]
fn copy_box(
    size: usize,
    to: &mut [u8],
    columns: usize,
    at: (usize, usize),
    from: &[u8],
    from_columns: usize,
    from_at: (usize, usize),
    extents: (usize, usize),
) {
    for row in 0..extents.0 {
        for column in 0..extents.1 {
            let target = ((at.0 + row) * columns + at.1 + column) * size;
            let source = ((from_at.0 + row) * from_columns + from_at.1 + column) * size;
            to[target..target + size].copy_from_slice(&from[source..source + size]);
        }
    }
}

/// Whole memories and boxes, of tensors, windows and tiles, one rank to the next and back.
#[test]
fn every_element_type_arrives_bit_by_bit() {
    let mut random = Random(11);
    for dtype in DType::ALL {
        let kernel = "
InCore fn ring(x: In tensor<T, [3, 6]>, data: InOut window<T, [5, 7]>, whole: InOut window<T, [3, 6]>, signal: InOut window<i32, [2, 1]>, y: Out tensor<T, [4, 9]>, z: Out tensor<T, [3, 6]>, v: Out tensor<T, [5, 7]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  next = (me + 1) % n
  pld::tensor::put(whole, next, x, _, _, _, atomic = None, 2, 4, true)
  t = pl::load(x, [0, 0], [2, 3])
  pld::tile::remote_store(t, data, next, [0, 4], atomic = None)
  pld::tensor::put_with_signal(data, next, x, signal, [1, 0], 1, op = AtomicAdd, [2, 2], [0, 1], [3, 4], atomic = None, 0, 0, false)
  pld::system::wait(signal, [1, 0], 1, cmp = Ge)
  y = pld::tensor::get(y, next, data, [1, 5], [2, 2], [3, 4], 0, 0, false)
  z = pld::tensor::get(z, me, whole, _, _, _, 0, 0, false)
  pld::tensor::put(data, me, z, [0, 0], [2, 0], [1, 4], atomic = None, 0, 0, false)
  data = pld::tensor::get(data, me, whole, [1, 0], [0, 2], [2, 2], 0, 0, false)
  u = pl::load(data, [0, 4], [2, 3])
  v = pl::store(u, [0, 0], v)
  w = pl::load(data, [2, 2], [3, 4])
  v = pl::store(w, [2, 2], v)
  w.1 = pl::load(data, [0, 0], [1, 4])
  v = pl::store(w.1, [0, 3], v)
  w.2 = pl::load(data, [1, 0], [2, 2])
  v = pl::store(w.2, [3, 0], v)
}"
        .replace("tensor<T", &format!("tensor<{}", dtype.name()))
        .replace("window<T", &format!("window<{}", dtype.name()));
        let size = dtype.bytes();
        let xs: Vec<Arg> = (0..3).map(|_| random_input(dtype, &[3, 6], &mut random)).collect();
        for seed in 0..6 {
            let world = World::new(3).seeded(seed);
            let data = world.window(dtype, &[5, 7]);
            let whole = world.window(dtype, &[3, 6]);
            let signal = world.window(DType::I32, &[2, 1]);
            let ran = world.ok(&kernel, |rank| {
                vec![
                    xs[rank].clone(),
                    data.clone(),
                    whole.clone(),
                    signal.clone(),
                    output(dtype, &[4, 9]),
                    output(dtype, &[3, 6]),
                    output(dtype, &[5, 7]),
                ]
            });
            for rank in 0..3 {
                let (mine, theirs) = (bytes(&xs[rank]), bytes(&xs[(rank + 2) % 3]));
                let mut y = vec![0; 36 * size];
                copy_box(size, &mut y, 9, (1, 5), mine, 6, (0, 1), (3, 4));
                assert_eq!(ran.outputs[rank][0], y, "{dtype}");
                assert_eq!(ran.outputs[rank][1], theirs, "{dtype}");
                let mut v = vec![0; 35 * size];
                copy_box(size, &mut v, 7, (0, 0), theirs, 6, (0, 0), (2, 3));
                copy_box(size, &mut v, 7, (2, 2), theirs, 6, (0, 1), (3, 4));
                copy_box(size, &mut v, 7, (0, 3), theirs, 6, (2, 0), (1, 4));
                copy_box(size, &mut v, 7, (3, 0), theirs, 6, (0, 2), (2, 2));
                assert_eq!(ran.outputs[rank][2], v, "{dtype}");
                let cost = ran.report.ranks[rank];
                assert_eq!(cost.bytes_received, (18 + 6 + 12 + 12) * size as u64);
                assert_eq!(cost.bytes_sent, (18 + 6 + 12 + 12) * size as u64);
                assert_eq!((cost.remote_loads, cost.remote_stores, cost.peer_notifies, cost.waits), (1, 3, 1, 1));
            }
        }
    }
}

/// The elements of a tensor argument or result as numbers; exact for small integers.
fn numbers(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    bytes
        .chunks_exact(dtype.bytes())
        .map(|e| match dtype {
            DType::F32 => f64::from(bytemuck::pod_read_unaligned::<f32>(e)),
            DType::F16 => bytemuck::pod_read_unaligned::<f16>(e).to_f64(),
            DType::BF16 => bytemuck::pod_read_unaligned::<bf16>(e).to_f64(),
            DType::I8 => f64::from(e[0] as i8),
            DType::I16 => f64::from(bytemuck::pod_read_unaligned::<i16>(e)),
            DType::I32 => f64::from(bytemuck::pod_read_unaligned::<i32>(e)),
            DType::I64 => bytemuck::pod_read_unaligned::<i64>(e) as f64,
            DType::U8 => f64::from(e[0]),
            DType::U32 => f64::from(bytemuck::pod_read_unaligned::<u32>(e)),
        })
        .collect()
}

const ADDED: [DType; 6] = [DType::F32, DType::F16, DType::BF16, DType::I32, DType::I16, DType::I8];

/// All ranks add to the window of rank 0, in boxes that overlap and reach over the locks' stripes, while all workers run. Small integers have one
/// sum in any order.
#[test]
fn adds_of_many_ranks_meet() {
    const RANKS: usize = 8;
    const SIZE: usize = 20_011;
    let kernel = "
InCore fn adds(x: In tensor<T, [1, SIZE]>, own: InOut window<T, [1, SIZE]>, sum: InOut window<T, [3, SIZE]>, signal: InOut window<i32, [1, 1]>, pad: InOut window<u8, [PAD]>, y: Out tensor<T, [3, SIZE]>) dynamic(SIZE, PAD) {
  ctx = pld::get_comm_ctx(sum)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  t = pl::load(x, [0, 0], [1, SIZE])
  own = pl::store(t, [0, 0], own)
  pld::tile::remote_store(t, sum, 0, [0, 0], atomic = Add)
  pld::tensor::put(sum, 0, x, [1, 0], [0, 0], [1, SIZE], atomic = Add, 1, 64, false)
  pld::tensor::put_with_signal(sum, 0, own, signal, [0, 0], 1, op = AtomicAdd, [2, me], [0, me], [1, SIZE - n], atomic = Add, 1, 64, true)
  if me == 0 {
    pld::system::wait(signal, [0, 0], n as i32, cmp = Ge)
    u = pl::load(sum, [0, 0], [2, SIZE])
    y = pl::store(u, [0, 0], y)
    u.1 = pl::load(sum, [2, 0], [1, SIZE - 1])
    y = pl::store(u.1, [2, 0], y)
  }
}";
    let mut threads = 0;
    for (dtype, runs) in ADDED.into_iter().zip([200, 5, 5, 200, 5, 5]) {
        let kernel = kernel.replace("<T,", &format!("<{},", dtype.name()));
        let x = |rank: usize, i: usize| ((rank * 7 + i * 3) % 9) as i8 - 4;
        let xs: Vec<Arg> = (0..RANKS)
            .map(|rank| {
                let values = (0..SIZE).map(|i| x(rank, i));
                match dtype {
                    DType::F32 => input(&[1, SIZE], &values.map(f32::from).collect::<Vec<_>>()),
                    DType::F16 => input(&[1, SIZE], &values.map(f16::from).collect::<Vec<_>>()),
                    DType::BF16 => input(&[1, SIZE], &values.map(bf16::from).collect::<Vec<_>>()),
                    DType::I32 => input(&[1, SIZE], &values.map(i32::from).collect::<Vec<_>>()),
                    DType::I16 => input(&[1, SIZE], &values.map(i16::from).collect::<Vec<_>>()),
                    _ => input(&[1, SIZE], &values.collect::<Vec<_>>()),
                }
            })
            .collect();
        let sum = |ranks: std::ops::Range<usize>, i: usize| ranks.map(|rank| f64::from(x(rank, i))).sum::<f64>();
        let world = World::new(RANKS);
        let (own, signal) = (world.window(dtype, &[1, SIZE]), world.window(DType::I32, &[1, 1]));
        let (total, pad) = (world.window(dtype, &[3, SIZE]), world.zeros(DType::U8, &[4 << 20]));
        for _ in 0..runs {
            for window in [&signal, &total] {
                world.sim.reset(id(window)).expect("a window");
            }
            let ran = world.ok(&kernel, |rank| {
                let y = output(dtype, &[3, SIZE]);
                vec![xs[rank].clone(), own.clone(), total.clone(), signal.clone(), pad.clone(), y]
            });
            let y = numbers(dtype, &ran.outputs[0][0]);
            for i in 0..SIZE {
                let all = sum(0..RANKS, i);
                assert_eq!((y[i], y[SIZE + i]), (all, all), "{dtype}, element {i}");
                // Rank r adds its elements from r on, up to as many before the end.
                let some = if i < SIZE - 1 {
                    sum(i.saturating_sub(SIZE - RANKS - 1).min(RANKS)..RANKS.min(i + 1), i)
                } else {
                    0.0
                };
                assert_eq!(y[2 * SIZE + i], some, "{dtype}, element {i}");
            }
            assert_eq!(ran.report.order_dependent().next().is_none(), !dtype.is_float());
            threads = threads.max(ran.report.threads);
        }
    }
    assert!(threads > 1 || std::thread::available_parallelism().is_ok_and(|n| n.get() == 1));
}

/// The parameters of the kernels below: a tensor `x` of f32 [4, 8], windows `data` and `more` of that shape, a `signal` of i32 [4, 1], a result `y`.
fn kernel(body: &str) -> String {
    format!(
        "InCore fn k(x: In tensor<f32, [4, 8]>, data: InOut window<f32, [4, 8]>, more: InOut window<f32, [4, 8]>, signal: InOut window<i32, [4, 1]>, y: Out tensor<f32, [4, 8]>) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  next = (me + 1) % n
{body}
}}"
    )
}

fn xs() -> Vec<f32> {
    (0..32).map(|i| i as f32).collect()
}

/// The arguments of [`kernel`]; `data` is zeros that are data, or not.
fn args(world: &World, zeros: bool) -> impl Fn(usize) -> Vec<Arg> + use<> {
    let window = |zeros| if zeros { world.zeros(DType::F32, &[4, 8]) } else { world.window(DType::F32, &[4, 8]) };
    let (data, more, signal) = (window(zeros), window(true), world.window(DType::I32, &[4, 1]));
    move |_| {
        let y = output(DType::F32, &[4, 8]);
        vec![input(&[4, 8], &xs()), data.clone(), more.clone(), signal.clone(), y]
    }
}

/// Whichever of two unordered accesses comes first, the other is refused.
#[test]
fn transfers_race_with_all_but_adds() {
    use AccessKind::{Add, Read, Write};
    // What a rank does to row 1 of `data` of rank 1, and which kind of access that is.
    let of_any = [
        ("pld::tensor::put(data, 1, x, _, _, _, atomic = None, 4, 8, false)", Write),
        ("pld::tensor::put(data, 1, more, [1, 2], [0, 0], [2, 4], atomic = None, 0, 0, false)", Write),
        (
            "pld::tensor::put_with_signal(data, 1, x, signal, [3, 0], 1, op = AtomicAdd, [1, 0], [0, 0], [1, 4], atomic = None, 0, 0, false)",
            Write,
        ),
        ("t = pl::load(x, [0, 0], [1, 4])\n pld::tile::remote_store(t, data, 1, [1, 3], atomic = None)", Write),
        ("pld::tensor::put(data, 1, more, _, _, _, atomic = Add, 4, 8, false)", Add),
        ("t = pl::load(x, [0, 0], [1, 4])\n pld::tile::remote_store(t, data, 1, [1, 3], atomic = Add)", Add),
        ("pld::tensor::get(more, 1, data, _, _, _, 4, 8, false)", Read),
        ("y = pld::tensor::get(y, 1, data, [0, 0], [1, 3], [1, 1], 0, 0, false)", Read),
        ("u = pld::tile::remote_load(data, 1, [1, 3], [1, 1])", Read),
    ];
    // The same, of rank 1 alone.
    let of_owner = [
        ("t = pl::load(x, [0, 0], [1, 8])\n data = pl::store(t, [1, 0], data)", Write),
        ("data = pl::write(data, [1, 3], 1.0)", Write),
        ("pl::discard(data, [0, 3], [4, 1])", Write),
        ("data = pld::tensor::get(data, 1, more, [1, 3], [0, 0], [1, 1], 0, 0, false)", Write),
        ("u = pl::load(data, [1, 0], [1, 8])", Read),
        ("v = pl::read(data, [1, 3])", Read),
        ("pld::tensor::put(more, 1, data, [0, 0], [1, 3], [1, 1], atomic = None, 0, 0, false)", Read),
    ];
    let all = || of_any.into_iter().chain(of_owner);
    let mut second = [0, 0];
    for (a, a_kind) in of_any {
        for (b, b_kind) in all() {
            let b_text = b.replace("t = ", "s = ").replace("(t,", "(s,").replace("u = ", "w = ");
            let kernel = kernel(&format!("if me == 0 {{\n {a}\n }}\n if me == 1 {{\n {b_text} }}"));
            let free = a_kind == b_kind && a_kind != Write;
            for seed in 0..8 {
                let world = World::new(2).seeded(seed);
                let args = args(&world, true);
                let result = world.run(&kernel, &args).map(|_| ());
                if free {
                    assert_eq!(result, Ok(()), "{a}\n{b}");
                    continue;
                }
                let Err(EngineError::Fault(fault)) = result else { panic!("no race of\n{a}\n{b}") };
                let Fault::Race(race) = *fault else { panic!("{fault}") };
                let kinds = |side: &pl_core::fault::RaceSide| (side.site.rank, side.access);
                let mut found = [kinds(&race.first), kinds(&race.second)];
                second[race.second.site.rank] += 1;
                found.sort_unstable_by_key(|(rank, _)| *rank);
                assert_eq!(found, [(0, a_kind), (1, b_kind)], "{a}\n{b}");
                assert_eq!((&*race.overlap.memory, race.overlap.owner), ("data", Some(1)), "{race:?}");
            }
        }
    }
    assert!(second.iter().all(|n| *n > 100), "{second:?}");
}

#[track_caller]
fn race(body: &str, expected: Expect) {
    let mut texts: Vec<String> = (0..20)
        .map(|seed| {
            let world = World::new(2).seeded(seed);
            let args = args(&world, true);
            let fault = world.fault(&kernel(body), &args);
            assert!(matches!(fault, Fault::Race(_)), "{fault}");
            format!("{fault}\n")
        })
        .collect();
    texts.sort();
    texts.dedup();
    expected.assert_eq(&texts.join("\n"));
}

#[test]
fn a_race_shows_the_box_of_each_side() {
    race(
        "if me == 0 {
    flat = pl::reshape(data, [32])
    strip = pl::reshape(more, [32])
    pld::tensor::put(flat, 1, strip, [3], [0], [10], atomic = None, 0, 0, false)
  } else {
    y = pld::tensor::get(y, 1, data, [0, 0], [1, 0], [1, 8], 0, 0, false)
  }",
        expect![[r#"
            error: race on `data[1, 0..5]` of rank 1: nothing orders `pld::tensor::get` of rank 1 after `pld::tensor::put` of rank 0
              --> text:12:5 (rank 1, kernel `k`)
              = rank 1 would read `data[1, 0..8]` of rank 1 here; it was stopped before
              --> text:10:5 (rank 0, kernel `k`)
              = rank 0 wrote `flat[3..13]` of rank 1 here
              = what is missing: no wait of rank 1 passed because of a notify of rank 0, directly or through other ranks; rank 0 did this before its first notify of this launch
              = help: let rank 0 notify after its `pld::tensor::put` and rank 1 wait for that before its `pld::tensor::get`; `pld::tensor::barrier` does both

            error: race on `flat[8..13]` of rank 1: nothing orders `pld::tensor::put` of rank 0 after `pld::tensor::get` of rank 1
              --> text:10:5 (rank 0, kernel `k`)
              = rank 0 would write `flat[3..13]` of rank 1 here; it was stopped before
              --> text:12:5 (rank 1, kernel `k`)
              = rank 1 read `data[1, 0..8]` of rank 1 here
              = what is missing: no wait of rank 0 passed because of a notify of rank 1, directly or through other ranks; rank 1 did this before its first notify of this launch
              = help: let rank 1 notify after its `pld::tensor::get` and rank 0 wait for that before its `pld::tensor::put`; `pld::tensor::barrier` does both
        "#]],
    );
    race(
        "if me == 0 {
    pld::tensor::put(data, 1, data, [0, 0], [2, 0], [2, 8], atomic = Add, 0, 0, false)
  } else {
    t = pl::load(x, [0, 0], [1, 4])
    data = pl::store(t, [1, 1], data)
  }",
        expect![[r#"
            error: race on `data[1, 1..5]` of rank 1: nothing orders `pl::store` of rank 1 after `pld::tensor::put` of rank 0
              --> text:11:5 (rank 1, kernel `k`)
              = rank 1 would write `data[1, 1..5]` of rank 1 here; it was stopped before
              --> text:8:5 (rank 0, kernel `k`)
              = rank 0 added to `data[0..2, 0..8]` of rank 1 here
              = what is missing: no wait of rank 1 passed because of a notify of rank 0, directly or through other ranks; rank 0 did this before its first notify of this launch
              = help: let rank 0 notify after its `pld::tensor::put` and rank 1 wait for that before its `pl::store`; `pld::tensor::barrier` does both

            error: race on `data[1, 1..5]` of rank 1: nothing orders `pld::tensor::put` of rank 0 after `pl::store` of rank 1
              --> text:8:5 (rank 0, kernel `k`)
              = rank 0 would add to `data[0..2, 0..8]` of rank 1 here; it was stopped before
              --> text:11:5 (rank 1, kernel `k`)
              = rank 1 wrote `data[1, 1..5]` of rank 1 here
              = what is missing: no wait of rank 0 passed because of a notify of rank 1, directly or through other ranks; rank 1 did this before its first notify of this launch
              = help: let rank 1 notify after its `pl::store` and rank 0 wait for that before its `pld::tensor::put`; `pld::tensor::barrier` does both
        "#]],
    );
}

#[test]
fn accesses_that_signals_order_do_not_race() {
    // Rank 0 puts, rank 1 adds after it, rank 0 reads after that; then rank 1 stores, and rank 0 puts again.
    let body = "
  if me == 0 {
    pld::tensor::put_with_signal(data, 1, x, signal, [0, 0], 1, op = Set, _, _, _, atomic = None, 4, 8, false)
    pld::system::wait(signal, [1, 0], 1, cmp = Eq)
    y = pld::tensor::get(y, 1, data, _, _, _, 4, 8, false)
    pld::system::notify(signal, 1, [0, 0], 2, op = Set)
    pld::system::wait(signal, [1, 0], 2, cmp = Eq)
    pld::tensor::put_with_signal(data, 1, x, signal, [0, 0], 3, op = Set, _, _, _, atomic = Add, 4, 8, false)
  } else {
    pld::system::wait(signal, [0, 0], 1, cmp = Eq)
    pld::tensor::put_with_signal(data, 1, x, signal, [2, 0], 1, op = Set, _, _, _, atomic = Add, 4, 8, false)
    pld::system::notify(signal, 0, [1, 0], 1, op = Set)
    pld::system::wait(signal, [0, 0], 2, cmp = Eq)
    data = pld::tensor::get(data, 1, more, [0, 0], [0, 0], [4, 8], 0, 0, false)
    pld::system::notify(signal, 0, [1, 0], 2, op = Set)
    pld::system::wait(signal, [0, 0], 3, cmp = Eq)
    y = pld::tensor::get(y, 1, data, _, _, _, 4, 8, false)
  }";
    for seed in 0..60 {
        let world = World::new(2).seeded(seed);
        let args = args(&world, false);
        let ran = world.ok(&kernel(body), &args);
        assert_eq!(ran.out::<f32>(0, 0), xs().iter().map(|x| x + x).collect::<Vec<_>>());
        assert_eq!(ran.out::<f32>(1, 0), xs());
        // Only one rank adds between two orderings.
        assert_eq!(ran.report.order_dependent().next(), None);
    }
}

/// The sites of float adds that meet are named, on both sides and under every scheduler; adds that are ordered are not.
#[test]
fn float_adds_that_meet_are_order_dependent() {
    let body = "
  if me < 2 {
    pld::tensor::put(data, 2, x, [0, 0], [0, 0], [2, 8], atomic = Add, 0, 0, false)
  }
  if me == 3 {
    pld::tensor::put(data, 2, x, [3, 0], [0, 0], [1, 8], atomic = Add, 0, 0, false)
    pld::tensor::put_with_signal(data, 2, x, signal, [0, 0], 1, op = Set, [2, 0], [0, 0], [1, 8], atomic = Add, 0, 0, false)
  }
  if me == 2 {
    pld::system::wait(signal, [0, 0], 1, cmp = Ge)
    t = pl::load(x, [0, 0], [1, 8])
    pld::tile::remote_store(t, data, me, [2, 0], atomic = Add)
  }";
    for seed in 0..20 {
        let world = World::new(4).seeded(seed);
        let args = args(&world, false);
        let ran = world.ok(&kernel(body), &args);
        let lints = ran.report.lints.iter().filter(|lint| lint.kind() == LintKind::OrderDependent);
        let line = |site: &Site| site.place.as_ref().map(|place| place.line);
        let named: Vec<_> = lints.map(|lint| (&lint.ranks[..], lint.site.op, line(&lint.site))).collect();
        assert_eq!(named, [(&[0, 1][..], "pld::tensor::put", Some(9))]);
    }
}

#[test]
fn what_is_discarded_is_no_data() {
    let body = "
  t = pl::load(x, [0, 0], [4, 8])
  data = pl::store(t, [0, 0], data)
  pl::discard(data, [1, 2], [2, 3])
  u = pl::load(data, [LOAD, 0], [1, 8])
  y = pl::store(u, [0, 0], y)";
    let run = |line: &str| {
        let world = World::new(1);
        let args = args(&world, false);
        let result = world.run(&kernel(&body.replace("LOAD", line)), &args).map(|ran| ran.out::<f32>(0, 0));
        let mut held = [0; 128];
        world.sim.read(id(&args(0)[1]), 0, &mut held).expect("a window");
        (result, held)
    };
    for row in ["0", "3"] {
        let (result, held) = run(row);
        let first = row.parse::<usize>().expect("a row") * 8;
        assert_eq!(result.expect("a run")[..8], xs()[first..first + 8]);
        // What is not data holds zeros.
        let mut expected = xs();
        for row in [1, 2] {
            expected[row * 8 + 2..row * 8 + 5].fill(0.0);
        }
        assert_eq!(held, bytemuck::cast_slice::<f32, u8>(&expected));
    }
    let (result, _) = run("2");
    expect![[r#"
        error: read of elements that nothing wrote: 3 of 8 in `data[2, 0..8]` of rank 0
          --> text:11:3 (rank 0, kernel `k`)
          = `pl::load`: the first of them is [2, 2]
          = rank 0 discarded it by `pl::discard` at text:10:3, and nothing wrote it since
          = help: store into the window again before it is read; or do not discard it
    "#]]
    .assert_eq(&format!("{}\n", result.expect_err("a fault")));
}

/// After a discard the elements are as in a new window: they count as zero for adds and deposits, and are data once something is written.
#[test]
fn discarded_elements_start_from_zero() {
    let body = "
  t = pl::load(x, [0, 0], [4, 8])
  data = pl::store(t, [0, 0], data)
  pld::system::notify(signal, me, [1, 0], 7, op = AtomicAdd)
  pl::discard(data, [0, 0], [4, 8])
  pl::discard(signal, [0, 0], [4, 1])
  pl::discard(data, [0, 0], [0, 8])
  pld::tensor::put(data, me, x, [1, 0], [1, 0], [2, 8], atomic = Add, 0, 0, false)
  pld::tensor::put(data, me, x, [1, 0], [1, 0], [1, 8], atomic = Add, 0, 0, false)
  data = pl::write(data, [0, 1], 3.0)
  u = pl::load(data, [1, 0], [2, 8])
  y = pl::store(u, [0, 0], y)
  v = pl::load(data, [0, 1], [1, 1])
  y = pl::store(v, [2, 0], y)
  cell = pl::read(signal, [1, 0])
  y = pl::write(y, [2, 1], cell as f32)
  pld::system::notify(signal, me, [1, 0], 2, op = AtomicAdd)
  pld::system::wait(signal, [1, 0], 2, cmp = Eq)";
    let world = World::new(1);
    let args = args(&world, false);
    let y = world.ok(&kernel(body), &args).out::<f32>(0, 0);
    let x = xs();
    assert_eq!(y[..8], x[8..16].iter().map(|x| 2.0 * x).collect::<Vec<_>>());
    assert_eq!(y[8..16], x[16..24]);
    assert_eq!(y[16..18], [3.0, 0.0]);
}

#[test]
fn the_source_of_a_transfer_must_be_data() {
    let texts = [
        "pld::tensor::put(more, next, data, _, _, _, atomic = None, 0, 0, false)",
        "pld::tensor::put(more, next, y, [0, 0], [1, 2], [2, 2], atomic = Add, 0, 0, false)",
        "y = pld::tensor::get(y, next, data, [0, 0], [1, 2], [2, 2], 0, 0, false)",
    ]
    .map(|body| {
        let world = World::new(2).seeded(1);
        let args = args(&world, false);
        format!("{}\n", world.fault(&kernel(body), &args))
    });
    expect![[r#"
        error: read of elements that nothing wrote: 32 of 32 in `data[0..4, 0..8]` of rank 1
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::put`: the first of them is [0, 0]
          = help: store into the window before it is read; or make the window's zeros data with `world.zeros` or `world.window_from`

        error: read of elements that nothing wrote: 4 of 4 in `y[1..3, 2..4]`
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::put`: the first of them is [1, 2]
          = help: an `Out` tensor holds no data before the kernel stores into it; `InOut` takes data in

        error: read of elements that nothing wrote: 4 of 4 in `data[1..3, 2..4]` of rank 0
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::get`: the first of them is [1, 2]
          = help: rank 0 must store this and notify, and rank 1 wait for that, before the `pld::tensor::get`; or make the window's zeros data with `world.zeros`
    "#]].assert_eq(&texts.join("\n"));
}

#[test]
fn empty_boxes_move_nothing() {
    let body = "
  none = pl::read(signal, [3, 0])
  zero = none as usize
  pld::tensor::put(data, next, data, [0, 0], [3, 1], [zero, 7], atomic = None, 1, 8, false)
  pld::tensor::put(data, next, x, [zero + 9, 0], [zero + 9, 0], [2, zero], atomic = Add, 2, 1, true)
  pld::tensor::put_with_signal(data, next, x, signal, [0, 0], 1, op = Set, [0, 0], [0, 0], [zero, zero], atomic = None, 1, 1, false)
  y = pld::tensor::get(y, next, data, [0, 0], [0, 0], [zero, 8], 1, 8, false)
  data = pld::tensor::get(data, me, data, [0, 0], [0, 0], [4, zero], 4, 1, false)
  t = pl::full::<f32>([zero, 8], 1.0)
  pld::tile::remote_store(t, data, next, [0, 0], atomic = Add)
  pl::discard(data, [0, 0], [zero, 8])
  pld::system::wait(signal, [0, 0], 1, cmp = Ge)";
    let world = World::new(2);
    let args = args(&world, false);
    let ran = world.ok(&kernel(body), &args);
    let cost = ran.report.ranks[0];
    assert_eq!((cost.bytes_sent, cost.remote_loads, cost.remote_stores), (0, 1, 4));
    let mut held = [9; 128];
    world.sim.read(id(&args(0)[1]), 0, &mut held).expect("a window");
    assert_eq!(held, [0; 128]);
}

/// What a run finds out about the arguments of each op.
#[test]
fn peers_and_boxes_are_checked() {
    let mut texts = String::new();
    for body in [
        "t = pl::load(x, [0, 0], [1, 8])\n  pld::tile::remote_store(t, data, next + 2, [0, 0], atomic = None)",
        "pld::tensor::put(data, me + 2, x, _, _, _, atomic = None, 0, 0, false)",
        "y = pld::tensor::get(y, me + 5, data, _, _, _, 0, 0, false)",
        "pld::tensor::put_with_signal(data, me + 2, x, signal, [0, 0], 1, op = Set, _, _, _, atomic = None, 0, 0, false)",
        "t = pl::load(x, [0, 0], [2, 8])\n  pld::tile::remote_store(t, data, next, [me + 3, 0], atomic = None)",
        "pld::tensor::put(data, next, x, [me + 4, 0], [0, 0], [1, 8], atomic = None, 0, 0, false)",
        "pld::tensor::put(data, next, x, [0, 0], [0, me + 1], [1, 8], atomic = None, 0, 0, false)",
        "pld::tensor::put_with_signal(data, next, x, signal, [me + 4, 0], 1, op = Set, _, _, _, atomic = None, 0, 0, false)",
        "y = pld::tensor::get(y, next, data, [0, me + 7], [0, 0], [1, n + 0], 1, 8, false)",
        "pl::discard(data, [me + 3, 0], [n, 8])",
    ] {
        let world = World::new(2).seeded(0);
        let args = args(&world, true);
        let fault = world.fault(&kernel(body), &args).to_string();
        let lines: Vec<&str> = fault.lines().filter(|line| !line.contains("help")).collect();
        texts += &format!("{}\n", lines.join("\n"));
    }
    expect![[r#"
        error: peer 2 is not a rank: the domain of `data` has 2 ranks
          --> text:8:3 (rank 1, kernel `k`)
        error: peer 3 is not a rank: the domain of `data` has 2 ranks
          --> text:7:1 (rank 1, kernel `k`)
        error: peer 6 is not a rank: the domain of `data` has 2 ranks
          --> text:7:1 (rank 1, kernel `k`)
        error: peer 3 is not a rank: the domain of `data` has 2 ranks
          --> text:7:1 (rank 1, kernel `k`)
        error: box out of bounds: axis 0 of `data` has extent 4, and the box is 4..6
          --> text:8:3 (rank 1, kernel `k`)
          = `pld::tile::remote_store`: offsets [4, 0] and extents [2, 8] in `data` of shape [4, 8]
        error: box out of bounds: axis 0 of `data` has extent 4, and the index is 5
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::put`: offsets [5, 0] and extents [1, 8] in `data` of shape [4, 8]
        error: box out of bounds: axis 1 of `x` has extent 8, and the box is 2..10
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::put`: offsets [0, 2] and extents [1, 8] in `x` of shape [4, 8]
        error: box out of bounds: axis 0 of `signal` has extent 4, and the index is 5
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::put_with_signal`: offsets [5, 0] and extents [1, 1] in `signal` of shape [4, 1]
        error: box out of bounds: axis 1 of `y` has extent 8, and the box is 8..10
          --> text:7:1 (rank 1, kernel `k`)
          = `pld::tensor::get`: offsets [0, 8] and extents [1, 2] in `y` of shape [4, 8]
        error: box out of bounds: axis 0 of `data` has extent 4, and the box is 4..6
          --> text:7:1 (rank 1, kernel `k`)
          = `pl::discard`: offsets [4, 0] and extents [2, 8] in `data` of shape [4, 8]
    "#]]
    .assert_eq(&texts);
}

/// Tile memory that a transfer goes through counts beside the tiles that live meanwhile, at actual extents: the box, or a chunk of it, twice in a
/// pipeline.
#[test]
fn chunks_count_as_tile_memory() {
    let kernel = "
InCore fn k(x: In tensor<f32, [2, 40000]>, data: InOut window<f32, [2, 40000]>, lens: In tensor<i32, [2]>, y: Out tensor<f32, [1, 40000]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  held = pl::read(lens, [0])
  cols = pl::read(lens, [1])
  t = pl::load(x, [0, 0], [1, held as usize])
  pld::tensor::put(data, me, x, [0, 0], [0, 0], [2, cols as usize], atomic = None, CHUNK)
  y = pl::store(t, [0, 0], y)
}";
    let run = |chunk: &str, held: i32, columns: i32| {
        let world = World::on("a2a3sim", 1);
        let data = world.window(DType::F32, &[2, 40000]);
        let x = vec![0_f32; 80000];
        let args = |_| {
            let lens = input(&[2], &[held, columns]);
            vec![input(&[2, 40000], &x), data.clone(), lens, output(DType::F32, &[1, 40000])]
        };
        world.run(&kernel.replace("CHUNK", chunk), args).map(|_| ()).map_err(|e| e.to_string())
    };
    // 188416 bytes are 47104 elements.
    for (chunk, held, columns) in [
        ("1, 10000, false", 37104, 40000),
        ("2, 10000, false", 27104, 40000),
        ("1, 10000, true", 27104, 40000),
        ("2, 10000, true", 7104, 40000),
        ("1, 10000, false", 40000, 7104),
        ("3, 10000, true", 40000, 1776),
    ] {
        assert_eq!(run(chunk, held, columns), Ok(()), "{chunk}");
        let more = if held < 40000 { run(chunk, held + 1, columns) } else { run(chunk, held, columns + 1) };
        assert!(more.is_err_and(|e| e.contains("bytes of tile memory")), "{chunk}");
    }
    let text = run("2, 10000, true", 7105, 40000).expect_err("a fault");
    expect![[r#"
        error: `pld::tensor::put` needs 188420 bytes of tile memory; `a2a3sim` has 188416
          --> text:9:3 (rank 0, kernel `k`)
          = `t`: 28420 bytes
          = `chunk`: 160000 bytes
          = help: process the data in smaller tiles, in a loop over chunks
    "#]]
    .assert_eq(&(text + "\n"));
}
