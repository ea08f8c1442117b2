//! Worlds, windows, and the launches that are refused before anything runs.

use crate::support::{Windows, check_golden, counting, launch, report, step, world};
use expect_test::{Expect, expect};
use pl::distributed as pld;
use pl::ndarray::{Array1, Array2, Array3, ArrayD, Axis};
use pl::{Call, Error, Window, World};
use pl_examples_cli::Mode;

#[track_caller]
fn check<T: std::fmt::Debug>(result: Result<T, Error>, expected: Expect) {
    let error = result.unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string(), "an error that `main` returns prints as the report");
    expected.assert_eq(&report(&error));
}

#[test]
fn worlds_are_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<World>();
    check::<Window<f32>>();
    check::<Error>();
    fn sent<T: Send>() {}
    sent::<Call<'_>>();
}

#[test]
fn device_lists() {
    assert_eq!(World::open("sim", &[7]).unwrap().size(), 1);
    let world = World::open("a5sim", &[4, 9]).unwrap();
    assert_eq!((world.size(), world.devices(), world.platform()), (2, &[4, 9][..], "a5sim"));
    check(
        World::open("sim", &[]),
        expect![[r#"
        the device list is empty
          = help: a world has at least one device; name it by its id: `&[0, 1]`"#]],
    );
    check(
        World::open("sim", &[0, 3, 1, 3]),
        expect![[r#"
        device 3 stands in the device list more than once
          = help: each rank runs on a device of its own; name every device once"#]],
    );
    check(
        World::open("a3sim", &[0, 1]),
        expect![[r#"
        unknown platform `a3sim`
          = help: platforms are `sim`, `a2a3sim`, `a5sim`; did you mean `a5sim`?"#]],
    );
}

#[test]
fn windows() {
    let world = world("sim", 3);
    let fresh = world.window::<i64>([2, 2]).unwrap();
    assert_eq!(fresh.to_array(2).unwrap(), ArrayD::<i64>::zeros(vec![2, 2]));
    assert_eq!(format!("{fresh:?}"), "Window<i64>[2, 2]");

    let array = Array3::from_shape_fn((3, 2, 4), |(r, i, j)| (100 * r + 10 * i + j) as f32);
    let window = world.window_from(&array).unwrap();
    assert_eq!(window.shape(), [2, 4]);
    for rank in 0..3 {
        assert_eq!(window.to_array(rank).unwrap(), array.index_axis(Axis(0), rank).into_dyn());
    }
    // A view that does not lie in C order is written as it reads.
    let turned = Array2::from_shape_fn((4, 2), |(i, j)| (i * 10 + j) as f32).reversed_axes();
    window.write(1, &turned).unwrap();
    assert_eq!(window.to_array(1).unwrap(), turned.into_dyn());
    world.reset(&window).unwrap();
    assert_eq!(window.to_array(1).unwrap(), ArrayD::<f32>::zeros(vec![2, 4]));

    check(
        window.to_array(3),
        expect![[r#"
        there is no rank 3 in a window of 3 ranks
          = help: ranks are 0 to 2"#]],
    );
    check(
        window.write(3, &array),
        expect![[r#"
        there is no rank 3 in a window of 3 ranks
          = help: ranks are 0 to 2"#]],
    );
    check(
        window.write(0, &Array1::<f32>::zeros(8)),
        expect![[r#"
        an array of shape [8] does not fit a window of shape [2, 4]
          = help: a window's array has the shape that the window was made with"#]],
    );
    check(
        world.window_from(&Array2::<f32>::zeros((4, 2))),
        expect![[r#"
        an array of shape [4, 2] does not have one part for each of the 3 ranks
          = help: its first axis is the ranks: [3, …]"#]],
    );
    check(
        world.window_from(&ArrayD::<f32>::zeros(vec![])),
        expect![[r#"
        an array of shape [] does not have one part for each of the 3 ranks
          = help: its first axis is the ranks: [3, …]"#]],
    );
    check(
        world.window::<f32>([usize::MAX, 8]),
        expect![[r#"
        a window of shape [18446744073709551615, 8] has too many elements
          = help: a window has less than 4294967296 elements per rank"#]],
    );
    // No element at all, but what is around them has too many.
    check(
        world.window::<f32>([usize::MAX, 0]),
        expect![[r#"
        a window of shape [18446744073709551615, 0] has too many elements
          = help: a window has less than 4294967296 elements per rank, an extent of 0 not counted"#]],
    );
    check(
        world.window_from(&Array3::<f32>::zeros((3, 1 << 32, 0))),
        expect![[r#"
        a window of shape [4294967296, 0] has too many elements
          = help: a window has less than 4294967296 elements per rank, an extent of 0 not counted"#]],
    );
    let empty = world.window::<f32>([1000, 0]).unwrap();
    assert_eq!(empty.to_array(2).unwrap().shape(), [1000, 0]);
    let other = World::open("sim", &[0, 1, 2]).unwrap();
    check(
        other.reset(&window),
        expect![[r#"
        the window belongs to another world
          = help: reset it in the world that made it"#]],
    );
}

#[test]
fn a_window_outlives_its_world() {
    let window = {
        let world = world("sim", 2);
        world.window_from(&Array2::<f32>::ones((2, 3))).unwrap()
    };
    assert_eq!(window.to_array(1).unwrap(), ArrayD::<f32>::ones(vec![3]));
}

#[test]
fn number_of_calls() {
    let world = world("sim", 3);
    let windows = Windows::new(&world, 4);
    let x = counting(3, 4);
    let mut y = Array3::zeros((3, 1, 4));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).take(2);
    check(
        world.launch(calls.map(|(x, y)| step(Mode::Hand)(x, y, &windows.data, &windows.signal))),
        expect![[r#"
        2 calls for a world of 3 ranks
          = help: a launch takes one call per rank, the first for rank 0"#]],
    );
    check(
        world.launch([]),
        expect![[r#"
        0 calls for a world of 3 ranks
          = help: a launch takes one call per rank, the first for rank 0"#]],
    );
}

#[test]
fn windows_of_another_world() {
    let (world, other) = (world("sim", 2), world("sim", 2));
    let windows = Windows { data: world.window([2, 4]).unwrap(), signal: other.window([2, 1]).unwrap() };
    check(
        launch(&world, step(Mode::Hand), &windows, &counting(2, 4)),
        expect![[r#"
            `signal` of `hand_step`, called for rank 0, is a window of another world
              = help: a window can be used only in the world that made it; make one with this world's `window`"#]],
    );
}

#[test]
fn a_collective_of_one_rank() {
    let world = world("sim", 1);
    check(
        launch(&world, step(Mode::Builtin), &Windows::new(&world, 4), &counting(1, 4)),
        expect![[r#"
        `pld::tensor::reduce_scatter` needs at least 2 ranks, the domain of `data` has 1
          --> examples/14_reduce_scatter.rs:75:12 (in kernel `builtin_step`)
          = help: open the world, or make the subset, with two or more ranks"#]],
    );
}

/// Everything that is wrong is reported at once, and once.
#[test]
fn bind_errors_of_all_ranks() {
    let world = world("sim", 4);
    // Two shapes of windows are wrong on every rank, x on two ranks.
    let data = world.window::<f32>([4, 5]).unwrap();
    let signal = world.window::<i32>([3, 1]).unwrap();
    let x: Vec<Array2<f32>> = (0..4).map(|r| Array2::zeros((1, if r % 2 == 0 { 16 } else { 18 }))).collect();
    let mut y = Array3::zeros((4, 1, 4));
    let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| step(Mode::Builtin)(x.view(), y, &data, &signal));
    check(
        world.launch(calls),
        expect![[r#"
        axis 1 of argument `data` is 5, the parameter declares `SIZE` = 4 (SIZE = 4 from argument `y`)
          --> examples/14_reduce_scatter.rs:63:9 (in kernel `builtin_step`)
          = help: pass arguments whose shapes agree on every dim

        error: axis 0 of argument `signal` is 3, the parameter declares `NR` = 4 (NR = 4 from argument `data`)
          --> examples/14_reduce_scatter.rs:64:5 (in kernel `builtin_step`)
          = help: pass arguments whose shapes agree on every dim

        error: axis 1 of argument `x` is 18, the parameter declares `NR * SIZE` = 16 (NR = 4 from argument `data`, SIZE = 4 from argument `y`)
          --> examples/14_reduce_scatter.rs:61:5 (in kernel `builtin_step`)
          = in the call of ranks 1, 3
          = help: pass arguments whose shapes agree on every dim"#]],
    );
    // A refused launch ran nothing: the windows are not poisoned.
    let good = Windows { data: world.window([4, 4]).unwrap(), signal: world.window([4, 1]).unwrap() };
    let x = counting(4, 4);
    check_golden(&x, launch(&world, step(Mode::Builtin), &good, &x).unwrap().0.view());
}

#[test]
fn one_window_for_two_parameters() {
    #[pl::function(InCore, dynamic(NR))]
    fn step(
        mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ) {
        data = pld::tensor::reduce_scatter(data, signal);
        pl::write(data, [0, 0], 1);
    }
    let world = world("sim", 2);
    let window = world.zeros::<i32>([2, 1]).unwrap();
    let error = world.launch((0..2).map(|_| step(&window, &window))).unwrap_err();
    let text = report(&error);
    assert!(text.starts_with("`target` and `signal` of `pld::tensor::reduce_scatter` are the same window"), "{text}");
    let signal = world.window::<i32>([2, 1]).unwrap();
    world.launch((0..2).map(|_| step(&window, &signal))).unwrap();
}

/// A collective works on one window of all ranks: the calls of a kernel pass the same one.
#[test]
fn different_windows_for_a_collective() {
    #[pl::function(InCore, dynamic(NR, SIZE))]
    fn sum(
        mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
        mut own: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    ) {
        let my_rank = pld::rank(pld::get_comm_ctx(data));
        data = pld::tensor::reduce_scatter(data, signal);
        let row = pl::load(data, [my_rank, 0], [1, SIZE]);
        own = pl::store(row, [0, 0], own);
        pld::tensor::barrier(signal);
    }
    let world = world("sim", 3);
    let [a, b, own, others] = [(); 4].map(|()| world.zeros::<f32>([3, 2]).unwrap());
    let wider = world.zeros::<f32>([3, 4]).unwrap();
    let [s, t] = [(); 2].map(|()| world.window::<i32>([3, 1]).unwrap());
    check(
        world.launch([sum(&a, &s, &own), sum(&a, &s, &own), sum(&b, &s, &own)]),
        expect![[r#"
            the ranks pass 2 different windows for `data`, `pld::tensor::reduce_scatter` works on one window of all ranks
              --> tests/host/world.rs:247:16 (in kernel `sum`)
              = ranks 0, 1 pass a window of shape [3, 2]
              = rank 2 passes another window of shape [3, 2]
              = help: pass the same window for `data` in the calls of all ranks: every rank has its own part of it"#]],
    );
    // With everything else that does not bind.
    check(
        world.launch([sum(&a, &s, &own), sum(&b, &t, &own), sum(&wider, &s, &own)]),
        expect![[r#"
            axis 1 of argument `own` is 2, the parameter declares `SIZE` = 4 (SIZE = 4 from argument `data`)
              --> tests/host/world.rs:244:13 (in kernel `sum`)
              = in the call of rank 2
              = help: pass arguments whose shapes agree on every dim

            error: the ranks pass 3 different windows for `data`, `pld::tensor::reduce_scatter` works on one window of all ranks
              --> tests/host/world.rs:247:16 (in kernel `sum`)
              = rank 0 passes a window of shape [3, 2]
              = rank 1 passes another window of shape [3, 2]
              = rank 2 passes another window of shape [3, 4]
              = help: pass the same window for `data` in the calls of all ranks: every rank has its own part of it

            error: the ranks pass 2 different windows for `signal`, `pld::tensor::reduce_scatter` works on one window of all ranks
              --> tests/host/world.rs:247:16 (in kernel `sum`)
              = ranks 0, 2 pass a window of shape [3, 1]
              = rank 1 passes another window of shape [3, 1]
              = help: pass the same window for `signal` in the calls of all ranks: every rank has its own part of it"#]],
    );
    // Also when the programs are kept from before. A window that no collective uses may be another one.
    world.launch([sum(&a, &s, &own), sum(&a, &s, &others), sum(&a, &s, &own)]).unwrap();
    let error = world.launch([sum(&a, &s, &own), sum(&a, &t, &own), sum(&a, &s, &own)]).unwrap_err();
    assert!(error.to_string().starts_with("the ranks pass 2 different windows for `signal`"), "{error}");
    world.launch([sum(&b, &t, &own), sum(&b, &t, &own), sum(&b, &t, &own)]).unwrap();
}

/// The report does not grow with the number of ranks, and says which ranks call the kernel where others call another.
#[test]
fn a_window_of_its_own_for_every_rank() {
    #[pl::function(InCore, dynamic(NR))]
    fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
        pld::tensor::barrier(signal);
    }
    #[pl::function(InCore, dynamic(NR))]
    fn meet_too(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
        pld::tensor::barrier(signal);
    }
    let world = world("sim", 8);
    let signals: Vec<Window<i32>> = (0..8).map(|_| world.window([8]).unwrap()).collect();
    let calls = signals.iter().enumerate().map(|(r, signal)| if r == 3 { meet_too(signal) } else { meet(signal) });
    check(
        world.launch(calls),
        expect![[r#"
            the ranks pass 7 different windows for `signal`, `pld::tensor::barrier` works on one window of all ranks
              --> tests/host/world.rs:299:9 (in kernel `meet`)
              = rank 0 passes a window of shape [8]
              = rank 1 passes another window of shape [8]
              = rank 2 passes another window of shape [8]
              = rank 4 passes another window of shape [8]
              = … and 3 more windows
              = in the call of ranks 0 to 2, 4 to 7
              = help: pass the same window for `signal` in the calls of all ranks: every rank has its own part of it"#]],
    );
}

/// Launches of several threads on windows of their own do not disturb each other.
#[test]
fn launches_of_several_threads() {
    let world = world("a2a3sim", 4);
    std::thread::scope(|scope| {
        for size in [3, 17, 64, 200] {
            let world = &world;
            scope.spawn(move || {
                let (windows, x) = (Windows::new(world, size), counting(4, size));
                for mode in [Mode::Builtin, Mode::Hand] {
                    check_golden(&x, launch(world, step(mode), &windows, &x).unwrap().0.view());
                }
            });
        }
    });
}

#[test]
fn calls_are_described() {
    let world = world("sim", 2);
    let windows = Windows::new(&world, 4);
    let (x, mut y) = (Array2::zeros((1, 8)), Array2::zeros((1, 4)));
    let call = step(Mode::Hand)(x.view(), y.view_mut(), &windows.data, &windows.signal);
    assert_eq!(call.kernel(), "hand_step");
    expect!["hand_step(In[1, 8], Out[1, 4], Window[2, 4]#1, Window[2, 1]#2)"].assert_eq(&format!("{call:?}"));
}

#[test]
fn stages() {
    let world = world("a2a3sim", 2);
    let windows = Windows::new(&world, 4);
    let (x, mut y) = (counting(2, 4), Array3::zeros((2, 1, 4)));
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    let stages = world.compile(calls.map(|(x, y)| step(Mode::Builtin)(x, y, &windows.data, &windows.signal))).unwrap();
    assert_eq!(stages.len(), 2);
    let stages = &stages[1];
    assert_eq!(stages.dims().collect::<Vec<_>>(), [("NR", 2), ("SIZE", 4)]);
    let text = pl::text::print(stages.ir());
    assert_eq!(pl::text::parse(&text).unwrap(), *stages.ir());
    assert!(text.contains("pld::tensor::reduce_scatter("));
    let lowered = pl::text::print(stages.lowered());
    assert!(!lowered.contains("pld::tensor::reduce_scatter(") && lowered.contains("pld::tile::remote_load("));
    assert!(!stages.plan().unwrap().is_empty());
}

#[test]
fn a_window_has_at_most_six_axes() {
    let world = world("sim", 2);
    assert_eq!(world.window::<f32>([1; 6]).unwrap().shape(), [1; 6]);
    let array = pl::ndarray::ArrayD::<f32>::zeros(vec![2, 1, 1, 1, 1, 1, 1, 1]);
    for result in [world.window::<f32>([1; 7]), world.zeros([1; 7]), world.window_from(&array)] {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with("a window of shape [1, 1, 1, 1, 1, 1, 1] has 7 axes\n  = help: "), "{text}");
        assert!(text.contains("at most 6"), "{text}");
    }
}
