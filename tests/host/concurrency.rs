//! One world, several threads: windows and devices in use; views of windows.

use crate::support::{report, world};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::{Array1, arr1, s};
use pl::{Error, Fault, LaunchOptions, RankView, RankViewMut, Window, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Runs until it is interrupted.
#[pl::function(InCore)]
fn spin(work: pl::InOut<pld::DistributedTensor<i32, { [4] }>>) {
    let mut n = 1;
    while n > 0 {
        n = 1;
    }
    pl::write(work, [0], n);
}

/// Doubles the own array.
#[pl::function(InCore)]
fn double(mut data: pl::InOut<pld::DistributedTensor<i32, { [4] }>>) {
    let tile = pl::load(data, [0], [4]);
    data = pl::store(tile + tile, [0], data);
}

/// A launch of [`spin`] on a thread of its own.
struct Running<'s> {
    flag: Arc<AtomicBool>,
    thread: thread::ScopedJoinHandle<'s, Result<(), Error>>,
}

impl<'s> Running<'s> {
    /// Starts it, and gives it when the engine has it.
    fn start(scope: &'s thread::Scope<'s, '_>, world: &'s World, window: &'s Window<i32>) -> Running<'s> {
        let flag = Arc::new(AtomicBool::new(false));
        let options = LaunchOptions { interrupt: Some(flag.clone()), ..LaunchOptions::default() };
        let calls = move || (0..world.size()).map(|_| spin(window));
        let thread = scope.spawn(move || world.launch_with(options, calls()).map(|_| ()));
        while window.to_array(0).is_ok() {
            assert!(!thread.is_finished());
            thread::yield_now();
        }
        Running { flag, thread }
    }

    fn end(self) {
        self.flag.store(true, Ordering::Relaxed);
        let error = self.thread.join().unwrap().unwrap_err();
        assert!(matches!(&error, Error::Fault(fault) if matches!(fault.fault, Fault::Interrupted(_))), "{error}");
    }
}

fn in_use<T>(result: Result<T, Error>) -> String {
    match result {
        Err(error @ Error::InUse { .. }) => report(&error),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is in use"),
    }
}

#[test]
fn a_window_in_use() {
    let world = world("sim", 4);
    let pair = world.subset(&[0, 1]).unwrap();
    let rest = world.subset(&[2, 3]).unwrap();
    let window = world.zeros::<i32>([4]).unwrap();
    let free = rest.zeros::<i32>([4]).unwrap();
    thread::scope(|scope| {
        let running = Running::start(scope, &pair, &window);
        expect![[r#"
            the window `data` of `double` is in use: a launch that runs now has it as `work` of `spin`
              = help: use it after that launch has returned, or use another window"#]]
        .assert_eq(&in_use(world.launch((0..4).map(|_| double(&window)))));
        // On devices that are free, too.
        expect![[r#"
            the window `data` of `double` is in use: a launch that runs now has it as `work` of `spin`
              = help: use it after that launch has returned, or use another window"#]]
        .assert_eq(&in_use(rest.launch((0..2).map(|_| double(&window)))));
        let of_the_host = in_use(window.to_array(3));
        expect![[r#"
            the window of `i32` [4] is in use: a launch that runs now has it as `work` of `spin`
              = help: use it after that launch has returned, or use another window"#]]
        .assert_eq(&of_the_host);
        assert_eq!(in_use(window.write(3, &Array1::<i32>::zeros(4))), of_the_host);
        assert_eq!(in_use(window.rank(3)), of_the_host);
        assert_eq!(in_use(world.reset(&window)), of_the_host);
        // The others are reset.
        free.write(0, &arr1(&[1, 2, 3, 4])).unwrap();
        assert_eq!(in_use(world.reset_all()), of_the_host);
        assert_eq!(free.to_array(0).unwrap().sum(), 0);
        running.end();
    });
    world.reset(&window).unwrap();
    assert_eq!(window.to_array(3).unwrap().sum(), 0);
}

#[test]
fn launches_on_other_devices_run_at_the_same_time() {
    let world = world("sim", 4);
    let (pair, rest) = (world.subset(&[0, 1]).unwrap(), world.subset(&[2, 3]).unwrap());
    let (endless, window) = (pair.zeros::<i32>([4]).unwrap(), rest.zeros::<i32>([4]).unwrap());
    thread::scope(|scope| {
        let running = Running::start(scope, &pair, &endless);
        for rank in 0..2 {
            window.write(rank, &Array1::from_elem(4, 1)).unwrap();
        }
        for _ in 0..3 {
            rest.launch((0..2).map(|_| double(&window))).unwrap();
        }
        assert_eq!(window.to_array(1).unwrap().sum(), 32);
        running.end();
    });
}

#[test]
fn launches_that_share_devices_wait() {
    let world = world("sim", 3);
    let (pair, rest) = (world.subset(&[0, 1]).unwrap(), world.subset(&[1, 2]).unwrap());
    let (endless, window) = (pair.zeros::<i32>([4]).unwrap(), rest.zeros::<i32>([4]).unwrap());
    thread::scope(|scope| {
        let running = Running::start(scope, &pair, &endless);
        let done = Arc::new(AtomicBool::new(false));
        let (told, rest, data) = (done.clone(), &rest, &window);
        let waiting = scope.spawn(move || {
            let result = rest.launch((0..2).map(|_| double(data)));
            told.store(true, Ordering::SeqCst);
            result
        });
        while window.to_array(0).is_ok() {
            thread::yield_now();
        }
        // Device 1 is busy, whatever time it is given.
        thread::sleep(std::time::Duration::from_millis(20));
        assert!(!done.load(Ordering::SeqCst));
        running.end();
        waiting.join().unwrap().unwrap();
        assert!(done.load(Ordering::SeqCst));
    });
}

#[test]
fn views() {
    fn check<T: Send>() {}
    check::<RankView<'_, f32>>();
    check::<RankViewMut<'_, f32>>();

    let world = world("sim", 3);
    let subset = world.subset(&[2, 0]).unwrap();
    let mut window = subset.window::<i32>([4]).unwrap();
    window.rank_mut(0).unwrap().view_mut().assign(&arr1(&[1, 2, 3, 4]));
    {
        let mut view = window.rank_mut(1).unwrap();
        view.view_mut().slice_mut(s![..;2]).fill(5);
        assert_eq!(view.view(), arr1(&[5, 0, 5, 0]).into_dyn());
        assert_eq!(
            format!("{view:?}").lines().next(),
            Some("[5, 0, 5, 0], shape=[4], strides=[1], layout=CFcf (0xf), dynamic ndim=1")
        );
    }
    // What was not assigned is data, too.
    subset.launch((0..2).map(|_| double(&window))).unwrap();
    let (first, second) = (window.rank(0).unwrap(), window.rank(1).unwrap());
    assert_eq!(first.view(), arr1(&[2, 4, 6, 8]).into_dyn());
    assert_eq!(&first.view() + &second.view(), arr1(&[12, 4, 16, 8]).into_dyn());
    assert_eq!(window.rank(1).unwrap().view(), window.to_array(1).unwrap());
    expect![[r#"
        the window `data` of `double` is in use: there is a view of its memory of rank 0
          = help: drop the view first"#]]
    .assert_eq(&in_use(subset.launch((0..2).map(|_| double(&window)))));
    expect![[r#"
        the window of `i32` [4] is in use: there is a view of its memory of rank 1
          = help: drop the view first"#]]
    .assert_eq(&in_use(window.write(1, &arr1(&[0, 0, 0, 0]))));
    assert!(in_use(world.reset_all()).contains("there is a view of its memory of rank 0"));
    drop((first, second));
    subset.launch((0..2).map(|_| double(&window))).unwrap();
    assert_eq!(window.to_array(0).unwrap(), arr1(&[4, 8, 12, 16]).into_dyn());
    let error = window.rank(2).map(|_| ()).unwrap_err();
    expect![[r#"
        there is no rank 2 in a window of 2 ranks
          = help: ranks are 0 to 1"#]]
    .assert_eq(&report(&error));
    assert_eq!(window.rank_mut(2).map(|_| ()).unwrap_err(), error);
}

#[test]
fn views_of_any_shape() {
    let world = world("sim", 1);
    let mut scalar = world.zeros::<u8>([]).unwrap();
    scalar.rank_mut(0).unwrap().view_mut().fill(7);
    assert_eq!(scalar.rank(0).unwrap().view().into_iter().collect::<Vec<_>>(), [&7]);
    let mut empty = world.zeros::<f32>([2, 0, 3]).unwrap();
    assert_eq!(empty.rank(0).unwrap().view().shape(), [2, 0, 3]);
    assert_eq!(empty.rank_mut(0).unwrap().view_mut().shape(), [2, 0, 3]);
    let mut odd = world.zeros::<i16>([3, 5]).unwrap();
    odd.rank_mut(0).unwrap().view_mut()[[2, 4]] = 9;
    assert_eq!(odd.rank(0).unwrap().view()[[2, 4]], 9);
    assert_eq!(odd.to_array(0).unwrap().sum(), 9);
}
