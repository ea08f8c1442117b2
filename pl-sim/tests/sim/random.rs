//! Random kernels: nothing panics, no scheduler changes a result, and a run costs what the card says.

use crate::core_support::sound::kernels;
use crate::support::{Arg, Ran, Random, World, id, index, input, output};
use pl_core::bind::{ArgShape, Program, WindowArg, bind, program};
use pl_core::cost::{RankProgram, cards};
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Strategy};
use pl_core::ir::{Elem, Function, Lit, ScalarType};
use pl_core::pass::Library;
use pl_core::runtime::{Engine, EngineError, Scheduler};
use proptest::prelude::*;
use std::sync::Arc;

const RANKS: usize = 3;
const SIZE: usize = 5;

fn bound(world: &World, function: &Function) -> Arc<Program> {
    let memory = |columns, window: Option<u64>| ArgShape::Memory {
        shape: vec![RANKS, columns],
        window: window.map(|window| WindowArg { window, domain: 0, ranks: RANKS }),
    };
    let shapes = [
        memory(SIZE, None),
        memory(SIZE, None),
        memory(SIZE, Some(1)),
        memory(1, Some(2)),
        ArgShape::Scalar,
        ArgShape::Scalar,
    ];
    let bindings = bind(function, &shapes).expect("bindings");
    Arc::new(program(function, &bindings, world.sim.platform(), &Library::new([])).expect("a program"))
}

/// The call of each rank.
type Calls = Vec<(Arc<Program>, Vec<Arg>)>;

/// A world, and the calls of a kernel in it.
fn calls(function: &Function, elem: DType) -> (World, Arc<Program>, impl Fn() -> Calls) {
    let world = World::new(RANKS);
    let program = bound(&world, function);
    let (data, signal) = (world.window(elem, &[RANKS, SIZE]), world.window(DType::I32, &[RANKS, 1]));
    let kernel = Arc::clone(&program);
    let call = move |rank: usize| {
        let mut random = Random(rank as u64);
        let bytes = (0..RANKS * SIZE * elem.bytes()).map(|_| random.next() as u8).collect();
        let k = Arg::Scalar(Lit::Int(-2), ScalarType::Elem(Elem::Known(DType::I32)));
        let x = Arg::In(vec![RANKS, SIZE], bytes);
        (Arc::clone(&kernel), vec![x, output(elem, &[RANKS, SIZE]), data.clone(), signal.clone(), index(3), k])
    };
    (world, program, move || (0..RANKS).map(&call).collect())
}

fn check(function: &Function) {
    let elem = function.params[0].ty.shaped().map(|shaped| shaped.elem.clone());
    let Some(Elem::Known(elem)) = elem else { panic!("an element type") };
    let mut first: Option<Ran> = None;
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2)] {
        let (mut world, program, calls) = calls(function, elem);
        world.options.scheduler = scheduler;
        match world.launch(calls()) {
            Ok(ran) => {
                let scalars = [None, None, None, None, Some(3), Some(-2)];
                let domains = [(0..RANKS).collect()];
                let calls: [_; RANKS] = std::array::from_fn(|rank| RankProgram {
                    rank,
                    program: &program,
                    scalars: &scalars,
                    domains: &domains,
                });
                for (card, cost) in cards(&calls).iter().zip(&ran.report.ranks) {
                    if let Some(exact) = card.exact() {
                        assert_eq!(exact, *cost);
                    }
                }
                match &first {
                    Some(first) => {
                        assert_eq!(first.outputs, ran.outputs);
                        let counts = |ran: &Ran| (ran.report.ranks.clone(), ran.report.checked);
                        assert_eq!(counts(first), counts(&ran));
                    }
                    None => first = Some(ran),
                }
            }
            Err(EngineError::Fault(fault)) => assert!(fault.to_string().contains("help: "), "{fault}"),
            Err(other) => panic!("{other}"),
        }
    }
    for how in [Explore::random(2), Explore::pct(2)] {
        let (world, _, calls) = calls(function, elem);
        world.explored(&how, &calls, |result| match result {
            Ok(ran) => {
                let first = first.get_or_insert_with(|| Ran { report: ran.report, outputs: ran.outputs.clone() });
                assert_eq!(first.outputs, ran.outputs);
            }
            Err(EngineError::Fault(fault)) => assert!(fault.to_string().contains("help: "), "{fault}"),
            Err(other) => panic!("{other}"),
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_kernels_run_alike_everywhere(function in kernels(false)) {
        check(&function);
    }
}

/// A barrier of all ranks: generation `generation` of each cell.
fn barrier(generation: usize) -> String {
    format!(
        "  for peer{generation} in 0..n {{
    if peer{generation} != me {{
      pld::system::notify(signal, peer{generation}, [me, 0], 1, op = AtomicAdd)
    }}
  }}
  for src{generation} in 0..n {{
    if src{generation} != me {{
      pld::system::wait(signal, [src{generation}, 0], {generation}, cmp = Ge)
    }}
  }}
"
    )
}

/// Columns of the kernels below.
pub const COLUMNS: usize = 6;

/// What the windows of all ranks hold, and the accumulators.
pub struct Model {
    pub x: Vec<Vec<i32>>,
    pub data: Vec<Vec<i32>>,
    pub y: Vec<Vec<i32>>,
}

/// A protocol of random phases with a barrier between: in one, rows go to peers, each row of each rank from one rank, or from all that add; in the next, any
/// rank takes rows from any. Also what it leaves, computed with plain arrays.
pub fn protocol(random: &mut Random, ranks: usize) -> (String, Model) {
    let mut below = |n: usize| (random.next() % n as u64) as usize;
    let x = (0..ranks).map(|r| (0..ranks * COLUMNS).map(|i| (r * 1000 + i * 7) as i32 - 900).collect()).collect();
    let empty = vec![vec![0; ranks * COLUMNS]; ranks];
    let mut model = Model { x, data: empty.clone(), y: empty };
    let mut body = String::new();
    let row = |r: usize| r * COLUMNS..(r + 1) * COLUMNS;
    for phase in 0..5 {
        let (shift, from, adds) = (below(ranks), below(ranks), below(2) == 1);
        let atomic = if adds { "Add" } else { "None" };
        // Every rank sends a row of `x` to row `to` of rank `p`.
        let all_to_one = adds && below(2) == 1;
        let to = if all_to_one { format!("{shift}") } else { format!("(me + {shift}) % n") };
        let src = format!("(p{phase} + {from}) % n");
        body += &format!("  for p{phase} in 0..n {{\n");
        body += &match below(3) {
            0 => format!(
                "    pld::tensor::put(data, p{phase}, x, [{to}, 0], [{src}, 0], [1, {COLUMNS}], atomic = {atomic}, 1, 4, true)\n"
            ),
            1 => format!(
                "    t{phase} = pl::load(x, [{src}, 0], [1, {COLUMNS}])\n    pld::tile::remote_store(t{phase}, data, p{phase}, [{to}, 0], atomic = {atomic})\n"
            ),
            _ => format!(
                "    pld::tensor::put(flat, p{phase}, strip, [({to}) * {COLUMNS}], [({src}) * {COLUMNS}], [{COLUMNS}], atomic = {atomic}, 0, 4, false)\n"
            ),
        };
        body += "  }\n";
        for me in 0..ranks {
            for p in 0..ranks {
                let target = if all_to_one { shift } else { (me + shift) % ranks };
                for (column, at) in row(target).enumerate() {
                    let value = model.x[me][(p + from) % ranks * COLUMNS + column];
                    let cell = &mut model.data[p][at];
                    *cell = if adds { cell.wrapping_add(value) } else { value };
                }
            }
        }
        body += &barrier(2 * phase + 1);
        // Every rank takes a row of another one.
        let (peer, at, into) = (below(ranks), below(ranks), below(ranks));
        let (whose, which) = (format!("(me + {peer}) % n"), format!("(me + {at}) % n"));
        body += &match below(2) {
            0 => format!(
                "  y = pld::tensor::get(y, {whose}, data, [{into}, 0], [{which}, 0], [1, {COLUMNS}], 1, 8, false)\n"
            ),
            _ => format!(
                "  u{phase} = pld::tile::remote_load(data, {whose}, [{which}, 0], [1, {COLUMNS}])\n  y = pl::store(u{phase}, [{into}, 0], y)\n"
            ),
        };
        for me in 0..ranks {
            let source = row((me + at) % ranks);
            model.y[me][row(into)].copy_from_slice(&model.data[(me + peer) % ranks][source]);
        }
        body += &barrier(2 * phase + 2);
    }
    let kernel = format!(
        "InCore fn k(x: In tensor<i32, [P, {COLUMNS}]>, data: InOut window<i32, [P, {COLUMNS}]>, signal: InOut window<i32, [P, 1]>, y: InOut tensor<i32, [P, {COLUMNS}]>) dynamic(P) {{
  ctx = pld::get_comm_ctx(data)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  flat = pl::reshape(data, [n * {COLUMNS}])
  strip = pl::reshape(x, [P * {COLUMNS}])
{body}}}"
    );
    (kernel, model)
}

/// Never a report, and what plain arrays say, on every schedule.
#[test]
fn well_ordered_transfers_are_never_reported() {
    let mut random = Random(17);
    for _ in 0..60 {
        let ranks = 2 + (random.next() % 4) as usize;
        let (kernel, model) = protocol(&mut random, ranks);
        let make = |world: &World| (world.zeros(DType::I32, &[ranks, COLUMNS]), world.window(DType::I32, &[ranks, 1]));
        let args = |rank: usize, data: &Arg, signal: &Arg| {
            let x = input(&[ranks, COLUMNS], &model.x[rank]);
            vec![x, data.clone(), signal.clone(), output(DType::I32, &[ranks, COLUMNS])]
        };
        let check = |world: &World, data: &Arg, ran: &Ran| {
            for rank in 0..ranks {
                assert_eq!(ran.out::<i32>(rank, 0), model.y[rank], "{kernel}");
                let mut held = vec![0_i32; ranks * COLUMNS];
                world.sim.read(id(data), rank, bytemuck::cast_slice_mut(&mut held)).expect("a window");
                assert_eq!(held, model.data[rank], "{kernel}");
            }
        };
        for seed in 0..8 {
            let world = if seed == 0 { World::new(ranks) } else { World::new(ranks).seeded(seed) };
            let (data, signal) = make(&world);
            check(&world, &data, &world.ok(&kernel, |rank| args(rank, &data, &signal)));
        }
        for how in [Explore::random(3), Explore::pct(3), Explore::exhaustive()] {
            let world = World::new(ranks);
            let (data, signal) = make(&world);
            let program = world.program(&kernel, &args(0, &data, &signal));
            let calls = || (0..ranks).map(|rank| (Arc::clone(&program), args(rank, &data, &signal))).collect();
            let explored = world.explored(&how, calls, |result| match result {
                Ok(ran) => check(&world, &data, &ran),
                Err(error) => panic!("{error}"),
            });
            // Nothing is left to timing.
            assert!(how.strategy != Strategy::Exhaustive || explored.complete && explored.schedules == 1, "{explored}");
        }
    }
}

/// Without one of the barriers some schedule is stopped, and none gives another result.
#[test]
fn transfers_that_nothing_orders_are_found() {
    let mut random = Random(23);
    let (mut found, mut protocols) = (0, 0);
    for _ in 0..40 {
        let (kernel, model) = protocol(&mut random, 3);
        // The waits of one barrier compare with what is always there.
        let barrier = 1 + (random.next() % 9) as usize;
        let weaker =
            kernel.replace(&format!("[src{barrier}, 0], {barrier}, cmp"), &format!("[src{barrier}, 0], 0, cmp"));
        assert_ne!(kernel, weaker);
        protocols += 1;
        let stopped = (0..12).any(|seed| {
            let world = World::new(3).seeded(seed);
            let (data, signal) = (world.zeros(DType::I32, &[3, COLUMNS]), world.window(DType::I32, &[3, 1]));
            let args = |rank: usize| {
                let x = input(&[3, COLUMNS], &model.x[rank]);
                vec![x, data.clone(), signal.clone(), output(DType::I32, &[3, COLUMNS])]
            };
            match world.run(&weaker, args) {
                Err(EngineError::Fault(fault)) => fault.kind() == "race",
                Err(other) => panic!("{other}"),
                Ok(ran) => {
                    (0..3).for_each(|rank| assert_eq!(ran.out::<i32>(rank, 0), model.y[rank], "{weaker}"));
                    false
                }
            }
        });
        found += usize::from(stopped);
    }
    assert!(found * 2 > protocols, "{found} of {protocols}");
}
