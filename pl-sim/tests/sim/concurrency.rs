//! Windows in use, devices in use, views.

use crate::support::{Arg, World, id, input, output};
use pl_core::dtype::DType;
use pl_core::fault::Fault;
use pl_core::runtime::{Engine, EngineError, LaunchOptions, WindowId};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Runs until it is interrupted.
const SPIN: &str = "
InCore fn spin(w: InOut window<i32, [1]>) {
  i = 0usize
  while i >= 0 {
    i = i + 1
  }
}";

const TOUCH: &str = "
InCore fn touch(w: InOut window<i32, [1]>) {
  pl::write(w, [0], 7)
}";

/// A launch of another thread on some ranks with some window, until it is ended.
struct Running<'s> {
    flag: Arc<AtomicBool>,
    thread: thread::ScopedJoinHandle<'s, Result<(), EngineError>>,
}

impl<'s> Running<'s> {
    fn start(scope: &'s thread::Scope<'s, '_>, world: &'s World, ranks: &'s [usize], window: &Arg) -> Running<'s> {
        let flag = Arc::new(AtomicBool::new(false));
        let options = LaunchOptions { interrupt: Some(flag.clone()), ..LaunchOptions::default() };
        let arg = window.clone();
        let thread = scope.spawn(move || world.run_with(options, ranks, SPIN, |_| vec![arg.clone()]).map(|_| ()));
        // It has its windows before it waits for its devices.
        while !matches!(world.sim.read(id(window), 0, &mut [0; 4]), Err(EngineError::InUse { .. })) {
            assert!(!thread.is_finished());
            thread::yield_now();
        }
        Running { flag, thread }
    }

    fn end(self) -> Fault {
        self.flag.store(true, Ordering::Relaxed);
        match self.thread.join().expect("no panic") {
            Err(EngineError::Fault(fault)) => *fault,
            other => panic!("{other:?}"),
        }
    }
}

fn touch(world: &World, ranks: &[usize], window: &Arg) -> Result<(), EngineError> {
    world.run_on(ranks, TOUCH, |_| vec![window.clone()]).map(|_| ())
}

#[test]
fn a_window_in_use_is_for_nobody_else() {
    let world = World::new(3);
    let (used, other) = (world.window(DType::I32, &[1]), world.window_of(&[1, 2], DType::I32, &[1]));
    thread::scope(|scope| {
        let running = Running::start(scope, &world, &[0], &used);
        let text = "is in use: a launch that runs now has it as `w` of `spin`";
        let check = |result: Result<(), EngineError>| {
            let error = result.expect_err("it is in use");
            assert!(matches!(error, EngineError::InUse { window, .. } if window == id(&used)), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        };
        // Also on other devices than those of the launch.
        check(touch(&world, &[1], &used));
        check(touch(&world, &[0, 1, 2], &used));
        let mut bytes = [0; 4];
        check(world.sim.read(id(&used), 2, &mut bytes));
        check(world.sim.write(id(&used), 2, &bytes));
        check(world.sim.reset(id(&used)));
        check(world.sim.view(id(&used), 1).map(|_| ()));
        check(world.sim.view_mut(id(&used), 1).map(|_| ()));
        // Other windows on other devices are free.
        touch(&world, &[1, 2], &other).expect("a launch beside it");
        world.sim.reset(id(&other)).expect("a reset");
        assert!(matches!(running.end(), Fault::Interrupted(_)));
    });
    // The run was interrupted: what the window holds is not known.
    assert!(matches!(touch(&world, &[0], &used), Err(EngineError::Poisoned(_))));
    world.sim.reset(id(&used)).expect("a reset");
    touch(&world, &[0], &used).expect("a launch");
}

#[test]
fn a_device_runs_one_launch_at_a_time() {
    let world = World::new(3);
    let windows: Vec<Arg> = (0..3).map(|_| world.window(DType::I32, &[1])).collect();
    thread::scope(|scope| {
        let first = Running::start(scope, &world, &[0, 1], &windows[0]);
        // It waits for device 1, and so does the next, which would find device 2 free.
        let second = Running::start(scope, &world, &[1, 2], &windows[1]);
        let third = Running::start(scope, &world, &[2], &windows[2]);
        let queued = third.end();
        assert_eq!(queued.to_string(), "error: interrupted\n  = rank 2: its device was busy with another launch");
        let Fault::Interrupted(first) = first.end() else { panic!("interrupted") };
        assert!(first.ranks.iter().all(|(_, state)| state.site().is_some()), "{first:?}");
        second.end();
    });
    // A launch that did not begin leaves its windows as they were.
    touch(&world, &[2], &windows[2]).expect("a launch");
}

/// What is waited for comes: no launch is lost or overtaken for ever.
#[test]
fn many_launches_of_many_threads() {
    let world = World::new(4);
    thread::scope(|scope| {
        for (thread, ranks) in [vec![0, 1, 2, 3], vec![0, 1], vec![2, 3], vec![1, 2], vec![3]].into_iter().enumerate() {
            let world = &world;
            scope.spawn(move || {
                let window = world.window_of(&ranks, DType::I32, &[1]);
                let count = "
InCore fn count(w: InOut window<i32, [1]>) {
  ctx = pld::get_comm_ctx(w)
  me = pld::rank(ctx)
  pld::system::notify(w, 0, [0], 1, op = AtomicAdd)
}";
                for _ in 0..50 {
                    world.run_on(&ranks, count, |_| vec![window.clone()]).expect("a run");
                }
                let mut cell = [0; 4];
                world.sim.read(id(&window), 0, &mut cell).expect("a window");
                assert_eq!(i32::from_le_bytes(cell), 50 * ranks.len() as i32, "thread {thread}");
            });
        }
    });
}

#[test]
fn a_window_that_is_freed_in_use() {
    let world = World::new(2);
    let window = world.window(DType::I32, &[1]);
    thread::scope(|scope| {
        let running = Running::start(scope, &world, &[0, 1], &window);
        world.sim.free(id(&window));
        // Until the launch has ended, it is there.
        assert!(matches!(world.sim.read(id(&window), 0, &mut [0; 4]), Err(EngineError::InUse { .. })));
        running.end();
    });
    let error = world.sim.read(id(&window), 0, &mut [0; 4]).expect_err("it is freed");
    assert!(error.to_string().contains("was freed"), "{error}");
}

fn viewed(result: Result<(), EngineError>) -> WindowId {
    match result {
        Err(EngineError::InUse { window, user: pl_core::runtime::WindowUser::View { rank: 1 } }) => window,
        other => panic!("{other:?}"),
    }
}

#[test]
fn views_are_the_memory_itself() {
    let world = World::new(2);
    let window = world.window(DType::I32, &[3]);
    let kernel = "
InCore fn double(w: InOut window<i32, [3]>, y: Out tensor<i32, [3]>) {
  t = pl::load(w, [0], [3])
  t = pl::add(t, t)
  w = pl::store(t, [0], w)
  y = pl::store(t, [0], y)
}";
    let args = |_| vec![window.clone(), output(DType::I32, &[3])];
    for rank in 0..2 {
        let mut view = world.sim.view_mut(id(&window), rank).expect("a view");
        view.bytes_mut()[4 * rank] = 5;
        assert_eq!(view.bytes()[4 * rank], 5);
    }
    // What was written through a view is data, and what was not, is data too.
    let ran = world.run(kernel, args).expect("a run");
    assert_eq!([ran.out::<i32>(0, 0), ran.out::<i32>(1, 0)], [vec![10, 0, 0], vec![0, 10, 0]]);
    let (first, second) =
        (world.sim.view(id(&window), 1).expect("a view"), world.sim.view(id(&window), 1).expect("a view"));
    assert_eq!((first.bytes(), first.bytes().as_ptr()), (second.bytes(), second.bytes().as_ptr()));
    assert_eq!(first.bytes()[4], 10);
    let mut bytes = [0; 12];
    world.sim.read(id(&window), 1, &mut bytes).expect("reading is fine");
    assert_eq!(bytes, first.bytes());
    let refused = |world: &World| {
        for result in [
            world.run(kernel, args).map(|_| ()),
            world.sim.write(id(&window), 1, &bytes),
            world.sim.reset(id(&window)),
            world.sim.view_mut(id(&window), 1).map(|_| ()),
        ] {
            assert_eq!(viewed(result), id(&window));
        }
    };
    refused(&world);
    drop(first);
    refused(&world);
    drop(second);
    let change = world.sim.view_mut(id(&window), 1).expect("a view");
    refused(&world);
    assert_eq!(viewed(world.sim.view(id(&window), 1).map(|_| ())), id(&window));
    assert_eq!(viewed(world.sim.read(id(&window), 1, &mut bytes.clone())), id(&window));
    // The other rank's memory is free.
    world.sim.write(id(&window), 0, &[1; 12]).expect("a write");
    drop(change);
    let ran = world.run(kernel, args).expect("a run");
    assert_eq!(ran.out::<i32>(1, 0), [0, 20, 0]);
    assert!(world.sim.view(id(&window), 2).is_err() && world.sim.view_mut(id(&window), 2).is_err());
}

#[test]
fn a_view_outlives_its_window() {
    let world = World::new(1);
    let window = world.window(DType::U8, &[3]);
    world.sim.write(id(&window), 0, &[1, 2, 3]).expect("a write");
    let view = world.sim.view(id(&window), 0).expect("a view");
    world.sim.free(id(&window));
    assert_eq!(view.bytes(), [1, 2, 3]);
    let window = world.window(DType::U8, &[0]);
    let mut view = world.sim.view_mut(id(&window), 0).expect("a view");
    assert!(view.bytes_mut().is_empty());
    world.sim.free(id(&window));
    drop(view);
}

/// A tensor and a window at once: what a failed launch leaves does not keep the window.
#[test]
fn a_launch_that_is_refused_leaves_its_windows() {
    let world = World::new(2);
    let window = world.window(DType::I32, &[1]);
    let kernel = "
InCore fn k(x: In tensor<i32, [2]>, w: InOut window<i32, [1]>) {
  pl::write(w, [0], 1)
}";
    let program = world.program(kernel, &[input(&[2], &[0_i32; 2]), window.clone()]);
    let short = vec![input(&[2], &[0_i32; 1]), window.clone()];
    assert!(world.launch(vec![(program.clone(), short.clone()), (program, short)]).is_err());
    touch(&world, &[0], &window).expect("a launch");
}
