//! What is known of a launch from one like it before: it is taken for the same calls alone.

use crate::support::{Arg, World, id, input};
use pl_core::dtype::DType;
use pl_core::ir::{Elem, Lit, ScalarType};
use pl_core::runtime::{Engine, EngineError};
use std::sync::Arc;

const SCALE: &str = "InCore fn k(x: In tensor<f32, [4]>, w: InOut window<f32, [4]>, s: f32) {
  t = pl::load(x, [0], [4])
  t = pl::mul(t, s)
  w = pl::store(t, [0], w)
}";

fn scalar(dtype: DType, lit: Lit) -> Arg {
    Arg::Scalar(lit, ScalarType::Elem(Elem::Known(dtype)))
}

#[test]
fn calls_that_are_not_alike_are_checked() {
    let world = World::new(2);
    let window = world.window(DType::F32, &[4]);
    let args = vec![input(&[4], &[1_f32; 4]), window.clone(), scalar(DType::F32, Lit::Float(2.0))];
    let program = world.program(SCALE, &args);
    let launch = |second: Vec<Arg>| {
        let calls = [args.clone(), second].into_iter().map(|args| (Arc::clone(&program), args));
        world.launch_on(calls.enumerate().map(|(rank, (program, args))| (rank, program, args)).collect()).map(|_| ())
    };
    let with = |at: usize, arg: Arg| {
        let mut changed = args.clone();
        changed[at] = arg;
        changed
    };
    let wrong = [
        (args[..2].to_vec(), "takes 3 arguments, not 2"),
        (with(0, input(&[4], &[1_f32; 3])), "has 16 bytes, not 12"),
        (with(0, window.clone()), "takes a tensor to read"),
        (with(1, world.window(DType::F32, &[5])), "it is `f32` [5]"),
        (with(1, world.window_of(&[1], DType::F32, &[4])), "bound for a domain of 2 ranks, the window's has 1"),
        (with(1, args[0].clone()), "takes a window"),
        (with(2, scalar(DType::F32, Lit::Bool(true))), "is no `f32`"),
        (with(2, args[0].clone()), "is no `f32`"),
    ];
    for (second, expected) in wrong {
        launch(args.clone()).expect("the calls that are known");
        let message = launch(second).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
    // Of another kernel with the same arguments nothing is known.
    let other = "InCore fn k(x: In tensor<f32, [4]>, w: InOut window<f32, [4]>, s: f32) {
  t = pl::load(x, [0], [4])
  w = pl::store(t, [0], w)
}";
    world.run(other, |_| args.clone()).expect("another kernel");
    assert_eq!(read(&world, &window, 0), [1.0; 4]);
    launch(args.clone()).expect("the calls that are known");
    assert_eq!(read(&world, &window, 1), [2.0; 4]);
    world.sim.free(id(&window));
    assert!(launch(args.clone()).expect_err("no window").to_string().contains("does not exist"));
}

#[test]
fn windows_that_cannot_be_had_are_refused() {
    let world = World::new(2);
    let [older, window] = [(); 2].map(|()| world.window(DType::F32, &[4]));
    let kernel = "InCore fn k(w: InOut window<f32, [4]>, v: InOut window<f32, [4]>, at: usize) {
  t = pl::full::<f32>([1], 1.0)
  w = pl::store(t, [at], w)
  v = pl::store(t, [at], v)
}";
    let args = |at: i128| vec![window.clone(), older.clone(), Arg::Scalar(Lit::Int(at), ScalarType::Index)];
    let program = world.program(kernel, &args(0));
    let launch = |at: i128| world.launch((0..2).map(|_| (Arc::clone(&program), args(at))).collect()).map(|_| ());
    launch(1).expect("in bounds");
    assert!(matches!(launch(4), Err(EngineError::Fault(_))));
    // Of both the one that is named first.
    for window in [&window, &older] {
        assert!(matches!(launch(1), Err(EngineError::Poisoned(found)) if found == id(window)));
        world.sim.reset(id(window)).expect("no view");
    }
    let views = [&older, &window].map(|window| world.sim.view(id(window), 0).expect("no launch"));
    assert!(matches!(launch(1), Err(EngineError::InUse { window: found, .. }) if found == id(&window)));
    drop(views);
    launch(1).expect("in bounds");
}

#[test]
fn ranks_and_windows_are_those_of_the_calls() {
    let world = World::new(3);
    // More pairs than are kept, each in both orders of its ranks.
    let windows: Vec<Arg> = (0..6).map(|_| world.zeros(DType::F32, &[4])).collect();
    let first = [input(&[4], &[0_f32; 4]), windows[0].clone(), scalar(DType::F32, Lit::Float(1.0))];
    let program = world.program(SCALE, &first);
    let mut expected = [[0_f32; 3]; 6];
    for round in 1..=3 {
        for (at, window) in windows.iter().enumerate() {
            for ranks in [[0, 2], [2, 0], [1, 2]] {
                let value = |call: usize| (100 * round + 10 * at + ranks[call]) as f32;
                let args = |call| {
                    vec![
                        input(&[4], &[value(call); 4]),
                        window.clone(),
                        scalar(DType::F32, Lit::Float(f64::from(1 + call as u8))),
                    ]
                };
                let calls = (0..2).map(|call| (ranks[call], Arc::clone(&program), args(call)));
                let ran = world.launch_on(calls.collect()).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(ran.report.ranks.len(), 2);
                for (call, rank) in ranks.into_iter().enumerate() {
                    expected[at][rank] = value(call) * (1 + call) as f32;
                }
                for (window, expected) in windows.iter().zip(&expected) {
                    for (rank, value) in expected.iter().enumerate() {
                        assert_eq!(read(&world, window, rank), [*value; 4]);
                    }
                }
            }
        }
    }
}

/// What a rank's part of a window holds.
fn read(world: &World, window: &Arg, rank: usize) -> [f32; 4] {
    let mut bytes = [0; 16];
    world.sim.read(id(window), rank, &mut bytes).expect("a window");
    bytemuck::cast(bytes)
}
