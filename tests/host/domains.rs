//! Communication domains: subsets of a world, their windows and collectives, launches on them.

use crate::support::{report, world};
use expect_test::{Expect, expect};
use pl::distributed as pld;
use pl::ndarray::{Array2, Array3, Axis, arr1};
use pl::{Call, Error, LaunchOptions, Scheduler, Window, World};

/// Rank r gives the sum over the ranks of its domain of their row r, and its place in the domain.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn scatter(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    place: pl::Out<pl::Tensor<i32, { [2] }>>,
) {
    let ctx = pld::get_comm_ctx(signal);
    let me = pld::rank(ctx);
    data = pl::store(pl::load(x, [0, 0], [NR, SIZE]), [0, 0], data);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    pl::store(pl::load(data, [me, 0], [1, SIZE]), [0, 0], y);
    pl::write(place, [0], me as i32);
    pl::write(place, [1], pld::nranks(ctx) as i32);
}

/// Adds over the row of the grid, then over its column: every rank of the grid ends with the sum of all.
#[pl::function(InCore, dynamic(COLUMNS, ROWS))]
fn grid_sum(
    x: i32,
    mut row: pl::InOut<pld::DistributedTensor<i32, { [COLUMNS, 1] }>>,
    row_signal: pl::InOut<pld::DistributedTensor<i32, { [COLUMNS, 1] }>>,
    mut column: pl::InOut<pld::DistributedTensor<i32, { [ROWS, 1] }>>,
    column_signal: pl::InOut<pld::DistributedTensor<i32, { [ROWS, 1] }>>,
    y: pl::Out<pl::Tensor<i32, { [5] }>>,
) {
    let across = pld::rank(pld::get_comm_ctx(row));
    let down = pld::rank(pld::get_comm_ctx(column));
    row = pl::store(pl::full::<i32>([COLUMNS, 1], x), [0, 0], row);
    row = pld::tensor::reduce_scatter(row, row_signal, op = pld::ReduceOp::Sum);
    let of_row = pl::read(row, [across, 0]);
    column = pl::store(pl::full::<i32>([ROWS, 1], of_row), [0, 0], column);
    column = pld::tensor::reduce_scatter(column, column_signal, op = pld::ReduceOp::Sum);
    let of_all = pl::read(column, [down, 0]);
    pl::write(y, [0], of_all);
    pl::write(y, [1], across as i32);
    pl::write(y, [2], down as i32);
    pl::write(y, [3], pld::nranks(pld::get_comm_ctx(row)) as i32);
    pl::write(y, [4], pld::nranks(pld::get_comm_ctx(column)) as i32);
}

#[pl::function(InCore, dynamic(NR))]
fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::barrier(signal);
}

/// Does not meet unless it is told to.
#[pl::function(InCore, dynamic(NR))]
fn meet_if(yes: bool, signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    if yes {
        pld::tensor::barrier(signal);
    }
}

#[pl::function(InCore, dynamic(NR))]
fn mixed(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
}

#[track_caller]
fn check<T: std::fmt::Debug>(result: Result<T, Error>, expected: Expect) {
    expected.assert_eq(&report(&result.unwrap_err()));
}

fn schedulers() -> [LaunchOptions; 3] {
    [Scheduler::Parallel, Scheduler::Seeded(1), Scheduler::Seeded(2)]
        .map(|scheduler| LaunchOptions { scheduler, ..LaunchOptions::default() })
}

/// What the ranks of one domain give to a `scatter` and get from it.
struct Part<'w> {
    world: &'w World,
    data: Window<f32>,
    signal: Window<i32>,
    x: Array3<f32>,
    y: Array3<f32>,
    places: Array2<i32>,
}

impl<'w> Part<'w> {
    fn new(world: &'w World, size: usize) -> Part<'w> {
        let p = world.size();
        Part {
            world,
            data: world.window([p, size]).unwrap(),
            signal: world.window([p, 1]).unwrap(),
            // Which rank of the world it is, is in the numbers.
            x: Array3::from_shape_fn((p, p, size), |(r, row, i)| (1000 * world.ranks()[r] + 10 * row + i) as f32),
            y: Array3::zeros((p, 1, size)),
            places: Array2::zeros((p, 2)),
        }
    }

    fn calls(&mut self) -> Vec<Call<'_>> {
        let outputs = self.y.outer_iter_mut().zip(self.places.outer_iter_mut());
        let calls = self.x.outer_iter().zip(outputs);
        calls.map(|(x, (y, place))| scatter(x, &self.data, &self.signal, y, place)).collect()
    }

    #[track_caller]
    fn check(&self) {
        let p = self.world.size();
        assert_eq!(self.y.index_axis(Axis(1), 0), self.x.sum_axis(Axis(0)));
        assert_eq!(self.places, Array2::from_shape_fn((p, 2), |(r, i)| if i == 0 { r as i32 } else { p as i32 }));
        // The signal is as it was.
        for rank in 0..p {
            assert!(self.signal.to_array(rank).unwrap().iter().all(|cell| *cell == 0));
        }
    }
}

#[test]
fn disjoint_subsets_in_one_launch() {
    for options in schedulers() {
        let world = world("a2a3sim", 5);
        let (a, b) = (world.subset(&[4, 0]).unwrap(), world.subset(&[1, 2, 3]).unwrap());
        let (mut first, mut second) = (Part::new(&a, 7), Part::new(&b, 64));
        // By rank of the world.
        let mut of_a = first.calls().into_iter();
        let (fourth, zeroth) = (of_a.next().unwrap(), of_a.next().unwrap());
        let calls = [zeroth].into_iter().chain(second.calls()).chain([fourth]);
        let report = world.launch_with(options.clone(), calls).unwrap();
        drop(of_a);
        assert_eq!(report.ranks.iter().map(|r| r.bytes_received).collect::<Vec<_>>(), [28, 512, 512, 512, 28]);
        first.check();
        second.check();
        // Together, in any order, on the same windows.
        let launches = [(&b, second.calls()), (&a, first.calls())];
        let report = World::launch_together_with(options, launches).unwrap();
        assert_eq!(report.ranks.iter().map(|r| r.bytes_received).collect::<Vec<_>>(), [512, 512, 512, 28, 28]);
        first.check();
        second.check();
    }
}

#[test]
fn the_other_ranks_take_no_part() {
    let world = World::open("sim", &[4, 9, 2, 7]).unwrap();
    let subset = world.subset(&[3, 1]).unwrap();
    assert_eq!((subset.ranks(), subset.devices(), subset.size()), (&[3, 1][..], &[7, 9][..], 2));
    let mut part = Part::new(&subset, 5);
    let report = subset.launch(part.calls()).unwrap();
    assert_eq!(report.ranks.len(), 2);
    part.check();
}

#[test]
fn subsets_of_subsets() {
    let world = world("sim", 6);
    let outer = world.subset(&[5, 3, 1, 0]).unwrap();
    let inner = outer.subset(&[2, 0, 3]).unwrap();
    assert_eq!(inner.ranks(), [1, 5, 0]);
    let (mut large, mut small) = (Part::new(&outer, 3), Part::new(&inner, 4));
    outer.launch(large.calls()).unwrap();
    large.check();
    inner.launch(small.calls()).unwrap();
    small.check();
    // A world of one's own ranks in another order is another domain.
    let turned = world.subset(&[5, 4, 3, 2, 1, 0]).unwrap();
    let mut part = Part::new(&turned, 2);
    turned.launch(part.calls()).unwrap();
    part.check();
}

/// The calls of a grid, with the data and signal window of each row and column.
fn grid_sums<'a>(
    rows: &'a [[Window<i32>; 2]],
    columns: &'a [[Window<i32>; 2]],
    y: &'a mut Array2<i32>,
) -> Vec<Call<'a>> {
    let call = |(rank, y)| {
        let ([a, b], [c, d]) = (&rows[rank / columns.len()], &columns[rank % columns.len()]);
        grid_sum(10_i32.pow(rank as u32), a, b, c, d, y)
    };
    y.outer_iter_mut().enumerate().map(call).collect()
}

#[test]
fn rows_and_columns_of_a_grid() {
    for (rows, columns) in [(2, 2), (2, 3), (3, 2)] {
        for options in schedulers() {
            let world = world("sim", rows * columns);
            let row = |y: usize| world.subset(&(0..columns).map(|x| y * columns + x).collect::<Vec<_>>()).unwrap();
            let column = |x: usize| world.subset(&(0..rows).map(|y| y * columns + x).collect::<Vec<_>>()).unwrap();
            let windows = |domain: World| -> [Window<i32>; 2] {
                [domain.window([domain.size(), 1]).unwrap(), domain.window([domain.size(), 1]).unwrap()]
            };
            let row_windows: Vec<_> = (0..rows).map(|y| windows(row(y))).collect();
            let column_windows: Vec<_> = (0..columns).map(|x| windows(column(x))).collect();
            let mut y = Array2::zeros((rows * columns, 5));
            let stages = world.compile(grid_sums(&row_windows, &column_windows, &mut y)).unwrap();
            let report = world.launch_with(options, grid_sums(&row_windows, &column_windows, &mut y)).unwrap();
            let sum = (0..rows * columns).map(|rank| 10_i32.pow(rank as u32)).sum::<i32>();
            for (rank, y) in y.outer_iter().enumerate() {
                let place = [rank % columns, rank / columns, columns, rows].map(|v| v as i32);
                assert_eq!(y, arr1(&[&[sum][..], &place].concat()), "rank {rank}");
            }
            for (card, cost) in stages.iter().map(pl::Stage::cost).zip(&report.ranks) {
                assert_eq!(card.exact(), Some(*cost));
                assert_eq!((card.barriers.exact(), card.credits.exact()), (Some(4), Some(4)));
                assert_eq!(cost.bytes_received, 4 * (rows - 1 + columns - 1) as u64);
            }
        }
    }
}

#[test]
fn wrong_subsets() {
    let world = world("sim", 4);
    check(
        world.subset(&[]),
        expect![[r#"
            a subset of no ranks
              = help: a subset has at least one rank: `world.subset(&[0, 2])`"#]],
    );
    check(
        world.subset(&[0, 4]),
        expect![[r#"
        the subset names rank 4 of a world of 4 ranks
          = help: ranks are 0 to 3"#]],
    );
    check(
        world.subset(&[2, 1, 2]),
        expect![[r#"
        rank 2 stands in the subset more than once
          = help: name every rank once, in the order that they are to have in the subset"#]],
    );
    let subset = world.subset(&[3]).unwrap();
    check(
        subset.subset(&[3]),
        expect![[r#"
        the subset names rank 3 of a subset of 1 rank
          = help: the only rank is 0"#]],
    );
    let signal = subset.window::<i32>([1, 1]).unwrap();
    check(
        signal.to_array(1),
        expect![[r#"
        there is no rank 1 in a window of 1 rank
          = help: the only rank is 0"#]],
    );
    check(
        subset.launch([meet(&signal), meet(&signal)]),
        expect![[r#"
        2 calls for a subset of 1 rank
          = help: a launch takes one call per rank, the first for rank 0"#]],
    );
    check(
        subset.launch([meet(&signal)]),
        expect![[r#"
        `pld::tensor::barrier` needs at least 2 ranks, the domain of `signal` has 1
          --> tests/host/domains.rs:54:5 (in kernel `meet`)
          = help: open the world, or make the subset, with two or more ranks"#]],
    );
    check(
        subset.window_from(&Array2::<f32>::zeros((4, 2))),
        expect![[r#"
        an array of shape [4, 2] does not have one part for each of the 1 ranks
          = help: its first axis is the ranks: [1, …]"#]],
    );
}

#[test]
fn windows_of_other_domains() {
    let world = world("sim", 4);
    let (pair, rest) = (world.subset(&[2, 0]).unwrap(), world.subset(&[1, 3]).unwrap());
    let (signal, other) = (pair.window::<i32>([2, 1]).unwrap(), rest.window::<i32>([2, 1]).unwrap());
    // Ranks 1 and 3 do not have the pair's window.
    check(
        world.launch((0..4).map(|_| meet(&signal))),
        expect![[r#"
        the window passed for `signal` is one of ranks 0, 2 only
          --> tests/host/domains.rs:53:9 (in kernel `meet`)
          = in the call of ranks 1, 3
          = help: a rank uses windows of domains that it is a rank of: pass one that the world, or a subset with this rank, has made"#]],
    );
    check(
        rest.launch([meet(&signal), meet(&other)]),
        expect![[r#"
        the window passed for `signal` is one of ranks 0, 2 only
          --> tests/host/domains.rs:53:9 (in kernel `meet`)
          = in the call of rank 1
          = help: a rank uses windows of domains that it is a rank of: pass one that the world, or a subset with this rank, has made"#]],
    );
    // Each pair with its own is fine.
    let report = world.launch((0..4).map(|r| meet(if r % 2 == 0 { &signal } else { &other }))).unwrap();
    assert!(report.ranks.iter().all(|rank| rank.waits == 1));

    // One collective on windows of two domains.
    let all = world.window::<f32>([4, 4]).unwrap();
    let (long, too_long) = (pair.window::<i32>([4, 1]).unwrap(), rest.window::<i32>([4, 1]).unwrap());
    check(
        world.launch((0..4).map(|r| mixed(&all, if r % 2 == 0 { &long } else { &too_long }))),
        expect![[r#"
        `data` and `signal` of `pld::tensor::reduce_scatter` are windows of two domains, of 4 and of 2 ranks
          --> tests/host/domains.rs:70:12 (in kernel `mixed`)
          = help: pass windows that one world, or one subset of it, has allocated"#]],
    );

    // The same kernel, one window of all and one of some.
    let large = world.window::<i32>([4, 1]).unwrap();
    check(
        world.launch((0..4).map(|r| meet(if r % 2 == 0 { &signal } else { &large }))),
        expect![[r#"
        the ranks pass 2 different windows for `signal`, `pld::tensor::barrier` works on one window of all ranks
          --> tests/host/domains.rs:54:5 (in kernel `meet`)
          = ranks 0, 2 pass a window of shape [2, 1]
          = ranks 1, 3 pass another window of shape [4, 1]
          = help: pass the same window for `signal` in the calls of all ranks: every rank has its own part of it"#]],
    );

    // A collective of all while some have no call.
    check(
        pair.launch((0..2).map(|_| meet(&large))),
        expect![[r#"
        `pld::tensor::barrier` works on the window `signal` of 4 ranks, and ranks 1, 3 have no call in this launch
          --> tests/host/domains.rs:54:5 (in kernel `meet`)
          = help: launch on a world with all ranks of the window, or pass a window that the subset has made"#]],
    );
    pair.launch((0..2).map(|_| meet_if(false, &large))).unwrap();
    let error = pair.launch((0..2).map(|_| meet_if(true, &large))).unwrap_err();
    assert!(report_starts(&error, "deadlock: 2 ranks of 2 blocked, 0 finished"), "{error}");
    world.reset(&large).unwrap();
    // Two subsets may meet in a window of all.
    World::launch_together([&pair, &rest].map(|world| (world, (0..2).map(|_| meet(&large))))).unwrap();
}

fn report_starts(error: &Error, with: &str) -> bool {
    report(error).starts_with(with)
}

#[test]
fn subsets_of_equal_ranks_are_one_domain() {
    let world = world("sim", 3);
    let (one, two) = (world.subset(&[2, 1]).unwrap(), world.subset(&[2, 1]).unwrap());
    let (data, signal) = (one.zeros::<f32>([2, 4]).unwrap(), two.window::<i32>([2, 1]).unwrap());
    one.launch((0..2).map(|_| mixed(&data, &signal))).unwrap();
}

#[test]
fn wrong_launches_together() {
    let (a, b) = (world("sim", 3), world("sim", 3));
    let none: [(&World, Vec<Call<'_>>); 0] = [];
    check(
        World::launch_together(none),
        expect![[r#"
        a launch together of no world
          = help: name at least one, with its calls"#]],
    );
    let (first, second) = (a.subset(&[0, 2]).unwrap(), a.subset(&[1, 2]).unwrap());
    let (x, y) = (first.window::<i32>([2, 1]).unwrap(), second.window::<i32>([2, 1]).unwrap());
    check(
        World::launch_together([(&first, vec![meet(&x), meet(&x)]), (&second, vec![meet(&y), meet(&y)])]),
        expect![[r#"
            two of the worlds that are launched together have rank 2
              = help: a rank runs one call per launch: make subsets that have no rank in common, or launch one after the other"#]],
    );
    check(
        World::launch_together([(&first, vec![meet(&x), meet(&x)]), (&b, vec![])]),
        expect![[r#"
            a launch together of worlds that were opened apart
              = help: open one world, and launch on subsets of it: `world.subset(&[0, 1])`"#]],
    );
    check(
        World::launch_together([(&first, vec![meet(&x)])]),
        expect![[r#"
        1 call for a subset of 2 ranks
          = help: a launch takes one call per rank, the first for rank 0"#]],
    );
    // One alone is a launch.
    World::launch_together([(&first, vec![meet(&x), meet(&x)])]).unwrap();
}

#[test]
fn resets() {
    let world = world("sim", 4);
    let pair = world.subset(&[1, 3]).unwrap();
    let of_all = world.window_from(&Array2::from_shape_fn((4, 3), |(r, i)| (10 * r + i) as i64)).unwrap();
    let of_pair = pair.window_from(&Array2::from_shape_fn((2, 3), |(r, i)| (10 * r + i) as i64)).unwrap();
    assert_eq!(of_pair.to_array(1).unwrap(), arr1(&[10, 11, 12]).into_dyn());
    of_pair.write(0, &arr1(&[1, 2, 3])).unwrap();
    assert_eq!(of_pair.to_array(0).unwrap(), arr1(&[1, 2, 3]).into_dyn());
    let zero = arr1(&[0_i64; 3]).into_dyn();
    pair.reset_all().unwrap();
    assert_eq!(of_pair.to_array(0).unwrap(), zero);
    assert_eq!(of_all.to_array(3).unwrap(), arr1(&[30, 31, 32]).into_dyn());
    of_pair.write(0, &arr1(&[1, 2, 3])).unwrap();
    world.reset(&of_pair).unwrap();
    assert_eq!(of_pair.to_array(0).unwrap(), zero);
    of_pair.write(0, &arr1(&[1, 2, 3])).unwrap();
    world.reset_all().unwrap();
    assert_eq!((of_pair.to_array(0).unwrap(), of_all.to_array(3).unwrap()), (zero.clone(), zero));
}

/// Reports of a run name the ranks of the world, and those of the domain beside them.
#[test]
fn a_deadlock_in_a_subset() {
    #[pl::function(InCore)]
    fn wait_for_the_other(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>) {
        let me = pld::rank(pld::get_comm_ctx(signal));
        pld::system::wait(signal, offsets = [1 - me, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        pld::system::notify(signal, peer = 1 - me, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    }
    let world = world("sim", 4);
    let (pair, rest) = (world.subset(&[3, 1]).unwrap(), world.subset(&[0, 2]).unwrap());
    let (signal, other) = (pair.window::<i32>([2, 1]).unwrap(), rest.window::<i32>([2, 1]).unwrap());
    let options = LaunchOptions { scheduler: Scheduler::Seeded(1), ..LaunchOptions::default() };
    let launches = [
        (&pair, vec![wait_for_the_other(&signal), wait_for_the_other(&signal)]),
        (&rest, vec![meet(&other), meet(&other)]),
    ];
    check(
        World::launch_together_with(options, launches),
        expect![[r#"
            deadlock among ranks 1, 3: 2 ranks of 2 blocked, 0 finished
              = rank 1 waits for rank 3, which waits for rank 1
              --> tests/host/domains.rs:414:9 (rank 1, kernel `wait_for_the_other`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 3 notifies it at tests/host/domains.rs:415:9: it sent nothing so far, and is blocked too
              --> tests/host/domains.rs:414:9 (rank 3, kernel `wait_for_the_other`)
              = rank 3 waits for `signal[1, 0]` of rank 3 (rank 0 of its domain) >= 1; it is 0
              = rank 1 notifies it at tests/host/domains.rs:415:9: it sent nothing so far, and is blocked too
              = note: found in the schedule of seed 1, which repeats it
              = help: the ranks wait for one another: notify before you wait"#]],
    );
}
