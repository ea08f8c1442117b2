//! Notifies and waits in a row are done as one, op for op as each by itself: a seeded launch does each by itself.

use crate::support::{World, id, index};
use crate::unrolled::{Came, both};
use pl_core::dtype::DType;
use pl_core::runtime::{Engine, EngineError, LaunchOptions, Scheduler};

/// What several launches of a kernel on one signal of one rank come to, one after the other and without a reset, and what the cells hold then.
fn alone(kernel: &str, cells: usize, options: LaunchOptions, preset: &[i32], scalars: &[usize]) -> Vec<String> {
    let mut world = World::new(1);
    world.options = options;
    let signal = world.zeros(DType::I32, &[cells]);
    if !preset.is_empty() {
        world.sim.write(id(&signal), 0, bytemuck::cast_slice(preset)).expect("as many cells");
    }
    let args = |_| [signal.clone()].into_iter().chain(scalars.iter().map(|&value| index(value as i128))).collect();
    let mut came = vec![];
    for _ in 0..2 {
        came.push(match world.run(kernel, args) {
            Ok(ran) => format!("{:?} {:?} {:?}", ran.report.ranks, ran.report.checked, ran.report.lints),
            Err(EngineError::Fault(fault)) => fault.to_string(),
            Err(other) => other.to_string(),
        });
        let mut held = vec![0; cells * 4];
        world.sim.read(id(&signal), 0, &mut held).expect("no view");
        came.push(format!("{:?}", bytemuck::cast_slice::<u8, i32>(&held)));
    }
    came
}

/// The same, with every budget up to one that is enough, checked and not.
#[track_caller]
fn alike(kernel: &str, cells: usize, preset: &[i32], scalars: &[usize]) {
    let mut enough = false;
    // One that ends the budget with the rank's turn, and one op later.
    let small = if cells < 1000 { 1..60 } else { 1 << 13..(1 << 13) + 2 };
    for op_budget in small.chain([1 << 20]) {
        for checks in [true, false] {
            let run = |scheduler| {
                let options = LaunchOptions { scheduler, checks, op_budget, ..LaunchOptions::default() };
                alone(kernel, cells, options, preset, scalars)
            };
            let came = run(Scheduler::Parallel);
            assert_eq!(came, run(Scheduler::Seeded(1)), "{kernel}\nbudget {op_budget}, checks {checks}, {scalars:?}");
            enough |= !came[0].contains("op budget");
        }
    }
    assert!(enough);
}

/// A loop around a notify and one around a wait. What a rank executes is unrolled when the bounds are small, and the plan itself where they are not.
fn loops(bounds: &str, guard: &str, value: &str) -> String {
    format!(
        "
InCore fn loops(signal: InOut window<i32, [N]>, zero: usize, three: usize) dynamic(N) {{
  for at in {bounds} {{
    if {guard} {{
      pld::system::notify(signal, zero, [at], {value}, op = AtomicAdd)
    }}
  }}
  for at in {bounds} {{
    if {guard} {{
      pld::system::wait(signal, [at], {value}, cmp = Ge)
    }}
  }}
}}"
    )
}

#[test]
fn a_turn_and_a_budget_end_in_the_middle() {
    for (bounds, cells) in
        [("0..N", 9), ("0..N", 400), ("2..N step 3", 20), ("2..N step 3", 900), ("5..N", 4), ("0..N", 6000)]
    {
        for guard in ["at != three", "three != at", "at < three", "three < at", "at >= zero", "at != 3", "3 < at"] {
            alike(&loops(bounds, guard, "1"), cells, &[], &[0, 3]);
        }
    }
}

#[test]
fn what_differs_from_round_to_round_is_computed_for_each() {
    for cells in [7, 300] {
        // The value is the round's; the guard has it on both sides; the guard is computed.
        for (guard, value) in [("at != three", "at as i32"), ("at == at", "2"), ("at % 3 != zero", "three as i32")] {
            alike(&loops("0..N", guard, value), cells, &[], &[0, 3]);
        }
    }
    // The variable gets another value, and what the op takes is computed: the same in each round, and not.
    for computed in ["at = three", "at = zero", "cell = three", "cell = at + zero", "cell = (at + three) % N"] {
        let body = format!("{computed}\n    pld::system::notify(signal, zero, [cell], 1, op = AtomicAdd)");
        let body = if computed.starts_with("at") { body.replace("cell]", "at]") } else { body };
        let (notify, wait) = (
            body.clone(),
            body.replace("notify(signal, zero, ", "wait(signal, ").replace("op = AtomicAdd", "cmp = Ge"),
        );
        let kernel = format!(
            "
InCore fn computed(signal: InOut window<i32, [N]>, zero: usize, three: usize) dynamic(N) {{
  for at in 0..N {{
    {notify}
  }}
  for at in 0..N {{
    {wait}
  }}
}}"
        );
        alike(&kernel, 300, &[], &[0, 3]);
        alike(&kernel, 5, &[], &[0, 3]);
    }
    let kernel = "
InCore fn backwards(signal: InOut window<i32, [N]>, one: usize, three: usize) dynamic(N) {
  for at in 0..N {
    pld::system::notify(signal, 0, [N - one - at], three as i32, op = AtomicAdd)
  }
  for at in 0..N {
    pld::system::wait(signal, [at], three as i32, cmp = Eq)
  }
  for at in 0..N {
    pld::system::notify(signal, 0, [at], 0, op = Set)
  }
}";
    for cells in [5, 300] {
        alike(kernel, cells, &[], &[1, 3]);
    }
}

#[test]
fn a_fault_in_the_middle_is_that_of_its_op() {
    for (cells, full) in [(9, 4), (400, 390)] {
        let mut preset = vec![0; cells];
        preset[full] = i32::MAX;
        alike(&loops("0..N", "at != three", "1"), cells, &preset, &[0, 3]);
        alike(&loops("0..N", "at != 3", "1").replace("zero, [", "0, ["), cells, &preset, &[0, 3]);
        // Beyond the cells, in a peer that is none, and at the head of a loop that does not get there.
        let wide = "0..N + three";
        alike(&loops(wide, "at != three", "1"), cells, &[], &[0, 3]);
        alike(&loops("0..N", "at != three", "1"), cells, &[], &[1, 3]);
        alike(&loops("0..N", "at != three", "1 / (zero as i32)"), cells, &[], &[0, 3]);
        let peers = "
InCore fn peers(signal: InOut window<i32, [N]>, zero: usize, three: usize) dynamic(N) {
  for peer in zero..three {
    pld::system::notify(signal, peer, [zero], 1, op = AtomicAdd)
  }
}";
        alike(peers, cells, &[], &[0, 3]);
    }
}

#[test]
fn waits_that_an_earlier_launch_satisfied_are_told_of() {
    for cells in [6, 300] {
        let kernel = "
InCore fn stale(signal: InOut window<i32, [N]>, zero: usize, three: usize) dynamic(N) {
  for at in zero..N {
    pld::system::wait(signal, [at], 0, cmp = Ge)
  }
  for at in zero..N {
    pld::system::notify(signal, zero, [at], 1, op = AtomicAdd)
  }
  for at in zero..N {
    pld::system::notify(signal, zero, [at], three as i32, op = Set)
  }
  for at in zero..N {
    pld::system::wait(signal, [at], three as i32 + 1, cmp = Ge)
  }
}";
        alike(kernel, cells, &[], &[0, 3]);
    }
}

/// Barriers in which ranks park in the middle, with one rank more than are unrolled, and with few.
#[test]
fn ranks_park_in_the_middle() {
    let barriers = |guard: &str| {
        format!(
            "
InCore fn barriers(rounds: usize, signal: InOut window<i32, [P, 1]>) dynamic(P) {{
  ctx = pld::get_comm_ctx(signal)
  me = pld::rank(ctx)
  n = pld::nranks(ctx)
  for round in 0..rounds {{
    for peer in 0..n {{
      if {guard} {{
        pld::system::notify(signal, peer, [me, 0], 1, op = AtomicAdd)
      }}
    }}
    for peer in 0..n {{
      if {guard} {{
        pld::system::wait(signal, [peer, 0], round as i32 + 1, cmp = Ge)
      }}
    }}
  }}
}}"
        )
    };
    for ranks in [3, 16, 17, 24] {
        for guard in ["peer != me", "me != peer", "peer >= 0"] {
            let came = both(ranks, &barriers(guard), &[(DType::I32, &[ranks, 1])], |windows, _| {
                vec![index(3), windows[0].clone()]
            });
            let Came::To(_, report, cells) = came else { panic!("{came:?}") };
            let notified = |rank: usize, cell: usize| if guard == "peer >= 0" || rank != cell { 3 } else { 0 };
            for (rank, held) in cells.iter().enumerate() {
                let expected: Vec<i32> = (0..ranks).map(|cell| notified(rank, cell)).collect();
                assert_eq!(bytemuck::cast_slice::<u8, i32>(held), expected, "{report}");
            }
        }
    }
}
