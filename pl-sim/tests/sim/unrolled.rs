//! What is unrolled is the plan: a seeded launch executes the plan itself, and the same kernel gives the same results, counts and reports either way.

use crate::support::{Arg, Ran, World, id, index, input, output};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::{Engine, EngineError, LaunchOptions, Scheduler};
use std::sync::Arc;

/// What a launch came to, as far as no schedule has a part in it.
#[derive(Debug, PartialEq)]
pub(crate) enum Came {
    To(Vec<Vec<Vec<u8>>>, String, Vec<Vec<u8>>),
    Fault(String),
}

/// Runs a kernel both ways; `args` gets a world of its own for each, and gives the windows and the arguments of a rank.
#[track_caller]
pub(crate) fn both(
    ranks: usize,
    kernel: &str,
    windows: &[(DType, &[usize])],
    args: impl Fn(&[Arg], usize) -> Vec<Arg>,
) -> Came {
    let run = |scheduler, checks| {
        let mut world = World::new(ranks);
        world.options = LaunchOptions { scheduler, checks, op_budget: 1 << 20, ..LaunchOptions::default() };
        let windows: Vec<Arg> = windows.iter().map(|(dtype, shape)| world.zeros(*dtype, shape)).collect();
        // The second time it is unrolled already.
        let program = world.program(kernel, &args(&windows, 0));
        let [first, second] = [(); 2].map(|()| {
            let result = world.launch((0..ranks).map(|rank| (Arc::clone(&program), args(&windows, rank))).collect());
            let came = came(&world, &windows, ranks, result);
            windows.iter().for_each(|window| world.sim.reset(id(window)).expect("no view"));
            came
        });
        assert_eq!(first, second);
        first
    };
    let parallel = run(Scheduler::Parallel, true);
    assert_eq!(parallel, run(Scheduler::Seeded(1), true), "checked");
    assert_eq!(run(Scheduler::Parallel, false), run(Scheduler::Seeded(1), false), "unchecked");
    parallel
}

fn came(world: &World, windows: &[Arg], ranks: usize, result: Result<Ran, EngineError>) -> Came {
    match result {
        Ok(Ran { report, outputs }) => {
            let left = windows.iter().flat_map(|window| {
                let Arg::Window(shape, _) = window else { panic!("no window") };
                // All windows here are of f32 or i32.
                let bytes = shape.iter().product::<usize>() * 4;
                (0..ranks).map(move |rank| {
                    let mut held = vec![0; bytes];
                    world.sim.read(id(window), rank, &mut held).expect("no view");
                    held
                })
            });
            Came::To(outputs, format!("{:?} {:?} {:?}", report.ranks, report.checked, report.lints), left.collect())
        }
        Err(EngineError::Fault(fault)) => Came::Fault(fault.to_string()),
        Err(other) => panic!("{other}"),
    }
}

fn row(rank: usize, length: usize) -> Vec<f32> {
    (0..length).map(|at| (rank * 100 + at) as f32).collect()
}

/// Every rank gives its row to all, and adds up what it got; as often as the host says.
const ROUNDS: &str = "
InCore fn rounds(x: InOut tensor<f32, [1, 8]>, data: InOut window<f32, [P, 8]>, signal: InOut window<i32, [P, 1]>, rounds: usize) dynamic(P) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for round in 0..rounds {
    mine = pl::load(x, [0, 0], [1, 8])
    data = pl::store(mine, [me, 0], data)
    for peer in 0..n {
      if peer != me {
        pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
      }
    }
    for src in 0..n {
      if src != me {
        pld::system::wait(signal, [src, 0], 2 * (round as i32) + 1, cmp = Ge)
      }
    }
    acc = pl::load(data, [me, 0], [1, 8])
    for p in 0..n {
      if p != me {
        recv = pld::tile::remote_load(data, p, [p, 0], [1, 8])
        acc = pl::add(acc, recv)
      }
    }
    x = pl::store(acc, [0, 0], x)
    for q in 0..n {
      if q != me {
        pld::system::notify(signal, q, [me, 0], 1, op = AtomicAdd)
        pld::system::wait(signal, [q, 0], 2 * (round as i32) + 2, cmp = Ge)
      }
    }
  }
}";

#[test]
fn loops_that_only_the_host_bounds_are_followed_once() {
    for ranks in [1, 2, 3, 5] {
        for rounds in [0, 1, 2, 7] {
            let windows: [(DType, &[usize]); 2] = [(DType::F32, &[ranks, 8]), (DType::I32, &[ranks, 1])];
            let came = both(ranks, ROUNDS, &windows, |windows, rank| {
                let mut x = output(DType::F32, &[1, 8]);
                if let Arg::Out(_, bytes) = &mut x {
                    bytes.copy_from_slice(bytemuck::cast_slice(&row(rank, 8)));
                }
                vec![x, windows[0].clone(), windows[1].clone(), index(rounds)]
            });
            let Came::To(outputs, ..) = came else { panic!("{came:?}") };
            // After the first round all have the sum, which each further one multiplies.
            for (rank, outputs) in outputs.iter().enumerate() {
                let expected: Vec<f32> = (0..8)
                    .map(|at| {
                        let sum: f32 = (0..ranks).map(|rank| (rank * 100 + at) as f32).sum();
                        let times = (ranks as f32).powi(rounds as i32 - 1);
                        if rounds == 0 { (rank * 100 + at) as f32 } else { sum * times }
                    })
                    .collect();
                assert_eq!(bytemuck::cast_slice::<u8, f32>(&outputs[0]), expected, "{ranks} ranks, {rounds} rounds");
            }
        }
    }
}

#[test]
fn a_turn_ends_in_the_middle_of_what_is_unrolled() {
    // A turn has 8,192 ops; here one round has about twenty.
    let windows: [(DType, &[usize]); 2] = [(DType::F32, &[3, 8]), (DType::I32, &[3, 1])];
    let came = both(3, ROUNDS, &windows, |windows, _| {
        vec![output(DType::F32, &[1, 8]), windows[0].clone(), windows[1].clone(), index(3000)]
    });
    assert!(matches!(came, Came::To(..)), "{came:?}");
}

/// A kernel that combines boxes of a shape, of three memories among `x y a b`, and stores the result into the last one.
fn fold(op: &str, shape: &str, sources: [&str; 3], target: &str) -> String {
    let [first, second, third] = sources;
    format!(
        "
InCore fn fold(x: In tensor<f32, [4, 512]>, y: InOut tensor<f32, [4, 512]>, a: InOut window<f32, [4, 512]>, b: InOut window<f32, [4, 512]>, rounds: usize) {{
  for r in 0..4 {{
    row = pl::load(x, [r, 0], [1, 512])
    a = pl::store(row, [r, 0], a)
    twice = pl::add(row, row)
    b = pl::store(twice, [r, 0], b)
    y = pl::store(row, [r, 0], y)
  }}
  for round in 0..rounds {{
    for r in 0..2 {{
      t = pl::load({first}, [r, 0], {shape})
      u = pl::load({second}, [r + 1, 0], {shape})
      t = pl::{op}(t, u)
      v = pl::load({third}, [2 - r, 0], {shape})
      t = pl::{op}(t, v)
      {target} = pl::store(t, [r, 0], {target})
    }}
  }}
}}"
    )
}

#[test]
fn boxes_are_combined_as_one_after_the_other() {
    let windows: [(DType, &[usize]); 2] = [(DType::F32, &[4, 512]), (DType::F32, &[4, 512])];
    let x: Vec<f32> = (0..2048).map(|at| ((at * 37) % 101) as f32 - 50.0).collect();
    let memories = ["x", "y", "a", "b"];
    for op in ["add", "sub", "mul", "maximum", "minimum", "div"] {
        // Of one row, of rows that are read as they are, of rows that are copied, and of nothing.
        for (shape, (rows, columns)) in
            [("[1, 512]", (1, 512)), ("[2, 130]", (2, 130)), ("[2, 3]", (2, 3)), ("[0, 512]", (0, 512))]
        {
            let every = if op == "sub" { 1 } else { 7 };
            for pick in (0..27).step_by(every) {
                let sources = [pick / 9, pick / 3 % 3, pick % 3].map(|at| memories[at + 1]);
                for target in &memories[1..] {
                    let kernel = fold(op, shape, sources, target);
                    let came = both(1, &kernel, &windows, |windows, _| {
                        let y = output(DType::F32, &[4, 512]);
                        vec![input(&[4, 512], &x), y, windows[0].clone(), windows[1].clone(), index(2)]
                    });
                    let Came::To(outputs, _, left) = came else { panic!("{came:?}") };
                    let found = [&outputs[0][0], &left[0], &left[1]]
                        .map(|bytes| bytemuck::cast_slice::<u8, f32>(bytes).to_vec());
                    // The same on plain arrays: `y`, `a`, `b`.
                    let mut held = [x.clone(), x.clone(), x.iter().map(|x| x + x).collect()];
                    let number = |name: &str| memories.iter().position(|memory| memory == &name).expect("a memory") - 1;
                    for r in (0..2).flat_map(|_| 0..2) {
                        let mut result = vec![];
                        for at in (0..rows).flat_map(|row| (0..columns).map(move |column| row * 512 + column)) {
                            let [t, u, v] = [(0, r), (1, r + 1), (2, 2 - r)]
                                .map(|(source, row)| held[number(sources[source])][row * 512 + at]);
                            let combine = |a: f32, b: f32| match op {
                                "add" => a + b,
                                "sub" => a - b,
                                "mul" => a * b,
                                "maximum" => a.max(b),
                                "minimum" => a.min(b),
                                _ => a / b,
                            };
                            result.push((at, combine(combine(t, u), v)));
                        }
                        result.into_iter().for_each(|(at, value)| held[number(target)][r * 512 + at] = value);
                    }
                    let bits = |memories: &[Vec<f32>]| -> Vec<Vec<u32>> {
                        let of = |memory: &Vec<f32>| {
                            memory.iter().map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect()
                        };
                        memories.iter().map(of).collect()
                    };
                    assert_eq!(bits(&found), bits(&held), "{kernel}");
                }
            }
        }
    }
}

/// Every rank sums its row of all windows, and only then lets the others go on, which overwrite it.
const SUM_FIRST: &str = "
InCore fn sum(x: In tensor<f32, [P, 160]>, y: Out tensor<f32, [2, 80]>, data: InOut window<f32, [P, 160]>, signal: InOut window<i32, [P, 1]>) dynamic(P) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  all = pl::load(x, [0, 0], [P, 160])
  data = pl::store(all, [0, 0], data)
  for peer in 0..n {
    pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
  }
  for src in 0..n {
    pld::system::wait(signal, [src, 0], 1, cmp = Ge)
  }
  acc = pl::load(data, [me, 0], [1, 160])
  for p in 0..n {
    if p != me {
      recv = pld::tile::remote_load(data, p, [me, 0], [1, 160])
      acc = pl::maximum(acc, recv)
    }
  }
  for q in 0..n {
    pld::system::notify(signal, q, [me, 0], 1, op = AtomicAdd)
  }
  for s in 0..n {
    pld::system::wait(signal, [s, 0], 2, cmp = Ge)
  }
  zeros = pl::full::<f32>([P, 160], 0.0)
  data = pl::store(zeros, [0, 0], data)
  data = pl::store(acc, [me, 0], data)
  half = pl::load(data, [me, 0], [1, 80])
  y = pl::store(half, [0, 0], y)
  rest = pl::load(data, [me, 80], [1, 80])
  y = pl::store(rest, [1, 0], y)
}";

#[test]
fn what_others_may_change_is_combined_before_they_are_told() {
    for ranks in [1, 2, 4, 8, 9] {
        let of = |rank: usize| -> Vec<f32> { (0..ranks * 160).map(|at| ((at * 31 + rank * 17) % 97) as f32).collect() };
        let windows: [(DType, &[usize]); 2] = [(DType::F32, &[ranks, 160]), (DType::I32, &[ranks, 1])];
        let came = both(ranks, SUM_FIRST, &windows, |windows, rank| {
            let y = output(DType::F32, &[2, 80]);
            vec![input(&[ranks, 160], &of(rank)), y, windows[0].clone(), windows[1].clone()]
        });
        let Came::To(outputs, ..) = came else { panic!("{came:?}") };
        for (rank, outputs) in outputs.iter().enumerate() {
            let greatest = |at: usize| (0..ranks).map(|peer| of(peer)[rank * 160 + at]).fold(f32::MIN, f32::max);
            let expected: Vec<f32> = (0..160).map(greatest).collect();
            assert_eq!(bytemuck::cast_slice::<u8, f32>(&outputs[0]), expected, "rank {rank} of {ranks}");
        }
    }
}

#[test]
fn a_branch_on_what_the_host_passes_goes_on_in_the_plan() {
    let kernel = "
InCore fn branch(y: Out tensor<i32, [4]>, times: usize) {
  for i in 0..3 {
    pl::write(y, [i], (i as i32) * 2)
  }
  if times > 2 {
    for i.1 in 0..times {
      pl::write(y, [3], i.1 as i32)
    }
  } else {
    pl::write(y, [3], 100)
  }
}";
    for (times, last) in [(0, 100), (2, 100), (3, 2), (9, 8)] {
        let came = both(1, kernel, &[], |_, _| vec![output(DType::I32, &[4]), index(times)]);
        let Came::To(outputs, ..) = came else { panic!("{came:?}") };
        assert_eq!(bytemuck::cast_slice::<u8, i32>(&outputs[0][0]), [0, 2, 4, last]);
    }
}

#[test]
fn a_branch_in_a_loop_goes_on_in_the_plan() {
    let kernel = "
InCore fn branch(y: InOut tensor<i32, [5]>, times: usize) {
  for i in 0..2 {
    pl::write(y, [i], (i as i32) + 1)
  }
  for j in 0..times {
    for k in 0..2 {
      old = pl::read(y, [2 + k])
      pl::write(y, [2 + k], old + 1)
    }
    if j % 2 == 1 {
      odd = pl::read(y, [4])
      pl::write(y, [4], odd + 10)
    }
  }
  last = pl::read(y, [4])
  pl::write(y, [4], last + 1)
}";
    for times in 0..5 {
        let came = both(1, kernel, &[], |_, _| vec![output(DType::I32, &[5]), index(times)]);
        let Came::To(outputs, ..) = came else { panic!("{came:?}") };
        let times = times as i32;
        assert_eq!(bytemuck::cast_slice::<u8, i32>(&outputs[0][0]), [1, 2, times, times, times / 2 * 10 + 1]);
    }
}

/// Rank 0 adds the rows of all; who writes them, and what, is up to the case.
fn sum_of_rows(write: &str) -> String {
    format!(
        "
InCore fn sum(x: In tensor<f32, [1, 8]>, y: Out tensor<f32, [1, 8]>, data: InOut window<f32, [P, 8]>, signal: InOut window<i32, [P, 1]>) dynamic(P) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  row = pl::load(x, [0, 0], [1, 8])
  {write}
  if me > 0 {{
    pld::system::notify(signal, 0, [me, 0], 1, op = AtomicAdd)
  }} else {{
    for src in 1..n {{
      pld::system::wait(signal, [src, 0], 1, cmp = Ge)
    }}
    acc = pl::load(data, [0, 0], [1, 8])
    for peer in 1..n {{
      recv = pld::tile::remote_load(data, peer, [peer, 0], [1, 8])
      acc = pl::add(acc, recv)
    }}
    y = pl::store(acc, [0, 0], y)
  }}
}}"
    )
}

#[test]
fn a_fault_names_the_same_op_and_box() {
    let run = |write: &str, ranks: usize| {
        let run = |scheduler| {
            let mut world = World::new(ranks);
            world.options.scheduler = scheduler;
            let data = world.window(DType::F32, &[ranks, 8]);
            let signal = world.window(DType::I32, &[ranks, 1]);
            let fault = world.fault(&sum_of_rows(write), |rank| {
                vec![input(&[1, 8], &row(rank, 8)), output(DType::F32, &[1, 8]), data.clone(), signal.clone()]
            });
            fault.to_string()
        };
        let parallel = run(Scheduler::Parallel);
        assert_eq!(parallel, run(Scheduler::Seeded(1)));
        parallel
    };
    // The rows of rank 2 were never written: the third box of the sum.
    let text = run("if me != 2 {\n data = pl::store(row, [me, 0], data)\n }", 4);
    assert!(text.contains("remote_load") && text.contains("rank 2"), "{text}");
    // And its own, the first one.
    let text = run("if me != 0 {\n data = pl::store(row, [me, 0], data)\n }", 4);
    assert!(text.contains("pl::load"), "{text}");
    // Beyond the window.
    let text = run("data = pl::store(row, [me + 1, 0], data)", 4);
    assert!(text.contains("bounds"), "{text}");
    // Nobody notifies.
    let text = run("pld::system::wait(signal, [me, 0], 7, cmp = Ge)", 3);
    assert!(text.contains("deadlock"), "{text}");
}

#[test]
fn the_budget_of_ops_is_as_large_either_way() {
    let run = |scheduler, op_budget| {
        let mut world = World::new(3);
        world.options = LaunchOptions { scheduler, op_budget, ..LaunchOptions::default() };
        let (data, signal) = (world.zeros(DType::F32, &[3, 8]), world.zeros(DType::I32, &[3, 1]));
        let args = |_| vec![output(DType::F32, &[1, 8]), data.clone(), signal.clone(), index(2)];
        match world.run(ROUNDS, args) {
            Ok(ran) => Ok(ran.report.checked.ops),
            Err(EngineError::Fault(fault)) if matches!(*fault, Fault::OpBudget(_)) => Err(()),
            Err(other) => panic!("{other}"),
        }
    };
    let ops = run(Scheduler::Parallel, 1 << 20).expect("enough");
    assert_eq!(run(Scheduler::Seeded(1), 1 << 20), Ok(ops));
    // Each of the three ranks executes as many.
    for budget in 1..=ops / 3 + 1 {
        let expected = if budget < ops / 3 { Err(()) } else { Ok(ops) };
        assert_eq!(run(Scheduler::Parallel, budget), expected, "{budget}");
        assert_eq!(run(Scheduler::Seeded(1), budget), expected, "{budget}");
    }
}

#[test]
fn boxes_of_much_data_end_a_turn() {
    // A turn is spent by 2 MiB that move: one of these boxes and a part of the next.
    let elements = 3 << 17;
    let kernel = "
InCore fn copies(x: In tensor<f32, [N]>, data: InOut window<f32, [N]>, rounds: usize) dynamic(N) {
  for round in 0..rounds {
    t = pl::load(x, [0], [N])
    data = pl::store(t, [0], data)
  }
}";
    let x: Vec<f32> = (0..elements).map(|at| at as f32).collect();
    // The second world has too many ranks to be unrolled.
    for (ranks, scheduler) in [(1, Scheduler::Parallel), (17, Scheduler::Parallel), (1, Scheduler::Seeded(1))] {
        for (op_budget, enough) in [(1 << 20, true), (15, true), (14, false), (1, false)] {
            let mut world = World::new(ranks);
            world.options = LaunchOptions { scheduler, op_budget, ..LaunchOptions::default() };
            let data = world.window(DType::F32, &[elements]);
            let args = |_| vec![input(&[elements], &x), data.clone(), index(5)];
            match world.run(kernel, args) {
                Ok(ran) => assert_eq!((ran.report.checked.ops, enough), (15 * ranks as u64, true)),
                Err(EngineError::Fault(fault)) => assert!(matches!(*fault, Fault::OpBudget(_)) && !enough, "{fault}"),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn the_budget_ends_where_the_plan_says() {
    let run = |scheduler, op_budget, behind: &str| {
        let kernel = format!(
            "
InCore fn count(y: InOut tensor<i32, [4]>, signal: InOut window<i32, [1]>) {{
  old = pl::read(y, [0])
  for i in 0..4 {{
  }}
  {behind}
}}"
        );
        let mut world = World::new(1);
        world.options = LaunchOptions { scheduler, op_budget, ..LaunchOptions::default() };
        let (y, signal) = (output(DType::I32, &[4]), world.zeros(DType::I32, &[1]));
        match world.run(&kernel, |_| vec![y.clone(), signal.clone()]) {
            Ok(ran) => format!("{} ops", ran.report.checked.ops),
            Err(error) => error.to_string(),
        }
    };
    let wait = "pld::system::wait(signal, [0], 1, cmp = Ge)";
    for behind in ["", wait, "pl::write(y, [1], 1 / old)", "pl::write(y, [1], 1)"] {
        for budget in 1..=6 {
            let plan = run(Scheduler::Seeded(1), budget, behind);
            assert_eq!(run(Scheduler::Parallel, budget, behind), plan, "budget {budget}, {behind:?}");
            assert_eq!(
                plan.contains("endless loop?"),
                budget < 5 || budget == 5 && behind.starts_with("pl::write(y, [1], 1)"),
                "{plan}"
            );
        }
    }
}

#[test]
fn a_refused_store_of_a_sum_names_its_box() {
    let kernel = "
InCore fn race(x: In tensor<f32, [2, 8]>, data: InOut window<f32, [2, 8]>, signal: InOut window<i32, [1]>, y: Out tensor<f32, [1, 8]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  if me == 0 {
    pld::system::wait(signal, [0], 1, cmp = Ge)
    t = pl::load(x, [0, 0], [1, 8])
    u = pl::load(x, [1, 0], [1, 8])
    t = pl::add(t, u)
    data = pl::store(t, [1, 0], data)
  } else {
    pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)
    r = pld::tile::remote_load(data, 0, [1, 0], [1, 8])
    y = pl::store(r, [0, 0], y)
  }
}";
    let world = World::new(2);
    let (data, signal) = (world.zeros(DType::F32, &[2, 8]), world.zeros(DType::I32, &[1]));
    let fault = world.fault(kernel, |_| {
        vec![input(&[2, 8], &[1.0_f32; 16]), data.clone(), signal.clone(), output(DType::F32, &[1, 8])]
    });
    let text = fault.to_string();
    assert!(text.contains("rank 0 would write `data[1, 0..8]`"), "{text}");
}

/// What rank 0 executes, as `--emit plan` prints it: none where that is the plan itself.
fn acts(world: &World, kernel: &str, args: &[Arg]) -> Vec<String> {
    let text = pl_sim::plan_of(&world.program(kernel, args)).expect("a plan").of_rank(0).to_string();
    text.lines().skip_while(|line| !line.starts_with("for rank 0")).skip(1).map(str::to_owned).collect()
}

#[test]
fn a_wait_computes_no_tile() {
    let kernel = |between: &str| {
        format!(
            "
InCore fn sum(x: In tensor<f32, [2, 8]>, data: InOut window<f32, [2, 8]>, signal: InOut window<i32, [1]>) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  t = pl::load(x, [0, 0], [1, 8])
  u = pl::load(data, [1, 0], [1, 8])
  t = pl::add(t, u)
  {between}
  data = pl::store(t, [0, 0], data)
}}"
        )
    };
    let world = World::new(1);
    let args = vec![input(&[2, 8], &[1.0_f32; 16]), world.zeros(DType::F32, &[2, 8]), world.zeros(DType::I32, &[1])];
    let wait = acts(&world, &kernel("pld::system::wait(signal, [0], 0, cmp = Ge)"), &args);
    assert!(wait.iter().all(|act| !act.contains("t = Add of")), "{wait:#?}");
    let notify = acts(&world, &kernel("pld::system::notify(signal, me, [0], 1, op = AtomicAdd)"), &args);
    assert!(notify.iter().any(|act| act.contains("t = Add of")), "{notify:#?}");
}

#[test]
fn no_rank_has_more_acts_than_fit() {
    let kernel = "
InCore fn copies(x: In tensor<f32, [600, 8]>, data: InOut window<f32, [600, 8]>) {
  for i in 0..TIMES {
    row = pl::load(x, [599 - i, 0], [1, 8])
    data = pl::store(row, [i, 0], data)
  }
}";
    let world = World::new(16);
    let args = vec![input(&[600, 8], &[1.0_f32; 4800]), world.window(DType::F32, &[600, 8])];
    let lines = |times: usize| acts(&world, &kernel.replace("TIMES", &times.to_string()), &args).len();
    // A row is three acts: both ops, and the one for both. The end is one more.
    assert_eq!([lines(1), lines(42), lines(43), lines(330)], [2, 43, 0, 0]);
    // Of rows that stand side by side in both memories there is one for all, up to 64 KiB.
    let kernel = kernel.replace("599 - i", "i");
    let lines = |times: usize| acts(&world, &kernel.replace("TIMES", &times.to_string()), &args).len();
    assert_eq!([lines(1), lines(62), lines(63), lines(330)], [2, 2, 2, 0]);
    let long = kernel.replace(", 8]", ", 8192]").replace("TIMES", "3");
    let args = vec![input(&[600, 8192], &vec![1.0_f32; 600 * 8192]), world.window(DType::F32, &[600, 8192])];
    assert_eq!(acts(&world, &long, &args).len(), 3);
}

/// Rank 0 stages four rows, of which rank 1 has written the third before: the order of the two is unknown.
#[test]
fn rows_that_are_staged_at_once_are_refused_one_by_one() {
    let kernel = "
InCore fn staged(x: In tensor<f32, [4, 8]>, data: InOut window<f32, [4, 8]>, signal: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  if me == 0 {
    pld::system::wait(signal, [0], 1, cmp = Ge)
    for c in 0..4 {
      t = pl::load(x, [c, 0], [1, 8])
      data = pl::store(t, [c, 0], data)
    }
  }
  if me == 1 {
    u = pl::load(x, [3, 0], [1, 8])
    pld::tile::remote_store(u, data, 0, [2, 0], atomic = None)
  }
  if me == 2 {
    pld::system::notify(signal, 0, [0], 1, op = AtomicAdd)
  }
}";
    let world = World::new(3);
    let (data, signal) = (world.zeros(DType::F32, &[4, 8]), world.zeros(DType::I32, &[1]));
    let x: Vec<f32> = row(1, 32);
    let args = |_| vec![input(&[4, 8], &x), data.clone(), signal.clone()];
    let fault = world.fault(kernel, args).to_string();
    let expected = "race on `data[2, 0..8]` of rank 0: nothing orders `pl::store` of rank 0 after `pld::tile::remote_store` of rank 1";
    assert!(fault.contains(expected), "{fault}");
    let mut held = vec![0; 32 * 4];
    world.sim.read(id(&data), 0, &mut held).expect("no view");
    let staged = [&x[..16], &x[24..], &[0.0; 8]].concat();
    assert_eq!(bytemuck::cast_slice::<u8, f32>(&held), staged);
}

#[test]
fn rows_that_are_staged_at_once_are_counted_one_by_one() {
    // Rows that stand side by side, and such that do not; out of a tensor, and out of a window.
    for (from, to) in [("[0, c * 8]", "[c, 0]"), ("[0, c * 8]", "[4 - c, 0]"), ("[0, 32 - c * 8]", "[c, 0]")] {
        let kernel = format!(
            "
InCore fn staged(x: In tensor<f32, [1, 40]>, y: Out tensor<f32, [1, 40]>, data: InOut window<f32, [5, 8]>) {{
  for c in 0..5 {{
    t = pl::load(x, {from}, [1, 8])
    data = pl::store(t, {to}, data)
  }}
  for c in 0..5 {{
    u = pl::load(data, {to}, [1, 8])
    y = pl::store(u, {from}, y)
  }}
}}"
        );
        for (op_budget, checks) in (1..32).flat_map(|budget| [(budget, true), (budget, false)]) {
            let run = |scheduler| {
                let mut world = World::new(1);
                world.options = LaunchOptions { scheduler, checks, op_budget, ..LaunchOptions::default() };
                let data = world.window(DType::F32, &[5, 8]);
                let result = world
                    .run(&kernel, |_| vec![input(&[1, 40], &row(0, 40)), output(DType::F32, &[1, 40]), data.clone()]);
                came(&world, &[data], 1, result)
            };
            let parallel = run(Scheduler::Parallel);
            assert_eq!(parallel, run(Scheduler::Seeded(1)), "budget {op_budget}, checks {checks}, {from} {to}");
            assert_eq!(matches!(parallel, Came::To(..)), op_budget >= 30, "{parallel:?}");
        }
    }
}

/// What a race tells does not depend on how the accesses before were made, one by one or at once.
#[test]
fn a_race_with_rows_that_were_staged_is_told_alike() {
    for order in ["c", "1 - c"] {
        let kernel = format!(
            "
InCore fn staged(x: In tensor<f32, [2, 4]>, d: InOut window<f32, [2, 4]>, y: Out tensor<f32, [2, 4]>) {{
  ctx = pld::get_comm_ctx(d)
  me = pld::rank(ctx)
  if me == 0 {{
    a = pl::full::<f32>([1, 4], 1)
    d = pl::store(a, [0, 0], d)
    b = pl::full::<f32>([1, 4], 2)
    d = pl::store(b, [1, 0], d)
    for c in 0..2 {{
      t = pl::load(x, [{order}, 0], [1, 4])
      d = pl::store(t, [c, 0], d)
    }}
  }} else {{
    u = pld::tile::remote_load(d, 0, [0, 0], [2, 4])
    y = pl::store(u, [0, 0], y)
  }}
}}"
        );
        let world = World::new(2);
        let d = world.zeros(DType::F32, &[2, 4]);
        let args = |_| vec![input(&[2, 4], &row(0, 8)), d.clone(), output(DType::F32, &[2, 4])];
        let fault = world.fault(&kernel, args).to_string();
        assert!(fault.contains("race on `d[0..2, 0..4]` of rank 0"), "{fault}");
        assert!(fault.contains("rank 0 wrote `d[0..2, 0..4]`"), "{fault}");
    }
}
