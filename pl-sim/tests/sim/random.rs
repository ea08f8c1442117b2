//! Random kernels: nothing panics, no scheduler changes a result, and a run costs what the card says.

use crate::core_support::sound::kernels;
use crate::support::{Arg, Ran, Random, World, index, output};
use pl_core::bind::{ArgShape, Program, WindowArg, bind, program};
use pl_core::cost::{RankProgram, cards};
use pl_core::dtype::DType;
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

fn run(function: &Function, elem: DType, scheduler: Scheduler) -> Result<(Ran, Arc<Program>), EngineError> {
    let mut world = World::new(RANKS);
    world.options.scheduler = scheduler;
    let program = bound(&world, function);
    let (data, signal) = (world.window(elem, &[RANKS, SIZE]), world.window(DType::I32, &[RANKS, 1]));
    let calls = (0..RANKS).map(|rank| {
        let mut random = Random(rank as u64);
        let bytes = (0..RANKS * SIZE * elem.bytes()).map(|_| random.next() as u8).collect();
        let k = Arg::Scalar(Lit::Int(-2), ScalarType::Elem(Elem::Known(DType::I32)));
        let x = Arg::In(vec![RANKS, SIZE], bytes);
        (Arc::clone(&program), vec![x, output(elem, &[RANKS, SIZE]), data.clone(), signal.clone(), index(3), k])
    });
    let ran = world.launch(calls.collect())?;
    Ok((ran, program))
}

fn check(function: &Function) {
    let elem = function.params[0].ty.shaped().map(|shaped| shaped.elem.clone());
    let Some(Elem::Known(elem)) = elem else { panic!("an element type") };
    let mut first: Option<Ran> = None;
    for scheduler in [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2)] {
        match run(function, elem, scheduler) {
            Ok((ran, program)) => {
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
                    Some(first) => assert_eq!(first.outputs, ran.outputs),
                    None => first = Some(ran),
                }
            }
            Err(EngineError::Fault(fault)) => assert!(fault.to_string().contains("help: "), "{fault}"),
            Err(other) => panic!("{other}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_kernels_run_alike_everywhere(function in kernels(false)) {
        check(&function);
    }
}
