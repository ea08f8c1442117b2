//! The example's kernels: goldens, costs, and what happens when they are used or written wrongly.

use crate::example::builtin_long_step;
use crate::support::{Step, Windows, check_golden, counting, launch, launch_with, report, scattered, step, world};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, Fault, LaunchOptions, Scheduler};
use pl_examples_cli::Mode;
use pl_examples_cli::golden::reduce_scatter;

const MODES: [Mode; 2] = [Mode::Hand, Mode::Builtin];

#[test]
fn goldens() {
    for p in [2, 3, 4, 5, 7, 16, 64] {
        let world = world("a2a3sim", p);
        for size in [1, 3, 64, 1000] {
            for x in [counting(p, size), scattered(p, size)] {
                for mode in MODES {
                    let (y, _) = launch(&world, step(mode), &Windows::new(&world, size), &x).unwrap();
                    check_golden(&x, y.view());
                    assert!(reduce_scatter(x.view()).check(y.view()).is_ok());
                }
            }
        }
    }
}

#[test]
fn nan_and_infinity() {
    let (p, size) = (4, 5);
    let world = world("a2a3sim", p);
    let mut x = counting(p, size);
    x[[1, 0, 0]] = f32::NAN;
    x[[2, 0, 6]] = f32::INFINITY;
    x[[3, 0, 7]] = f32::NEG_INFINITY;
    (x[[0, 0, 13]], x[[3, 0, 13]]) = (f32::INFINITY, f32::NEG_INFINITY);
    for mode in MODES {
        let (y, _) = launch(&world, step(mode), &Windows::new(&world, size), &x).unwrap();
        check_golden(&x, y.view());
        assert!(y[[0, 0, 0]].is_nan() && y[[2, 0, 3]].is_nan());
        assert_eq!((y[[1, 0, 1]], y[[1, 0, 2]]), (f32::INFINITY, f32::NEG_INFINITY));
    }
}

#[test]
fn devices_are_names() {
    let world = pl::World::open("sim", &[4, 9, 2]).unwrap();
    let x = counting(3, 8);
    let (y, _) = launch(&world, step(Mode::Builtin), &Windows::new(&world, 8), &x).unwrap();
    check_golden(&x, y.view());
}

#[test]
fn builtin_launches_follow_each_other_on_the_same_windows() {
    let (p, size) = (5, 33);
    let world = world("a2a3sim", p);
    let windows = Windows::new(&world, size);
    for x in [counting(p, size), scattered(p, size), counting(p, size) * 2.0] {
        let (y, _) = launch(&world, step(Mode::Builtin), &windows, &x).unwrap();
        check_golden(&x, y.view());
        for rank in 0..p {
            assert!(
                windows.signal.to_array(rank).unwrap().iter().all(|cell| *cell == 0),
                "both credits are taken back"
            );
        }
    }
}

#[test]
fn hand_rolled_twice_without_a_reset_is_a_race() {
    let (p, size) = (3, 16);
    let world = world("a2a3sim", p);
    let windows = Windows::new(&world, size);
    let x = counting(p, size);
    launch(&world, step(Mode::Hand), &windows, &x).unwrap();
    assert_eq!(windows.signal.to_array(0).unwrap().into_raw_vec_and_offset().0, [0, 1, 1]);

    // The signal is still 1: every wait passes at once, and nothing orders a peer's store and this rank's load.
    let seeded = LaunchOptions { scheduler: Scheduler::Seeded(1), ..LaunchOptions::default() };
    let error = launch_with(seeded, &world, step(Mode::Hand), &windows, &x).unwrap_err();
    let Error::Fault(fault) = &error else { panic!("{error}") };
    let Fault::Race(race) = &fault.fault else { panic!("{error}") };
    assert!(race.stale.is_some());
    expect![[r#"
        race on `data[1, 0..16]` of rank 2: nothing orders `pld::tile::remote_load` of rank 1 after `pl::store` of rank 2
          --> examples/14_reduce_scatter.rs:51:24 (rank 1, kernel `hand_step`)
          = rank 1 would read `data[1, 0..16]` of rank 2 here; it was stopped before
          --> examples/14_reduce_scatter.rs:32:16 (rank 2, kernel `hand_step`)
          = rank 2 wrote `data[0..2, 0..16]` of rank 2 here
          = what is missing: no wait of rank 1 passed because of a notify of rank 2, directly or through other ranks; rank 2 did this before its first notify of this launch
          = note: the wait of rank 1 at examples/14_reduce_scatter.rs:43:13 passed without a notify: `signal[0, 0]` of rank 1 was already 1 when the launch started, and 1 >= 1
          = note: found in the schedule of seed 1, which repeats it
          = help: `world.reset(&signal)` before the launch clears what an earlier one left in the signal; or let the kernel take its credits back, as the builtins do"#]].assert_eq(&report(&error));

    // The failed launch poisoned both windows.
    let error = launch(&world, step(Mode::Hand), &windows, &x).unwrap_err();
    expect![[r#"
        the window `data` of `hand_step` was used by a launch that failed: what it holds cannot be relied on
          = help: reset it before it is used again: `world.reset(&window)`, or `world.reset_all()`"#]]
    .assert_eq(&report(&error));

    world.reset_all().unwrap();
    let (y, _) = launch(&world, step(Mode::Hand), &windows, &x).unwrap();
    check_golden(&x, y.view());

    // With a reset of the signal between them, launches follow each other.
    world.reset(&windows.signal).unwrap();
    let (y, _) = launch(&world, step(Mode::Hand), &windows, &x).unwrap();
    check_golden(&x, y.view());
}

#[test]
fn long_rows() {
    let (p, size) = (2, 1_000_000);
    let world = world("a2a3sim", p);
    let x = scattered(p, size);
    let error = launch(&world, step(Mode::Hand), &Windows::new(&world, size), &x).unwrap_err();
    assert!(matches!(error, Error::Bind { .. }), "{error}");
    expect![[r#"
        `pl::load` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:31:21 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::store` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:32:16 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::load` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:48:19 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pld::tile::remote_load` needs 8000000 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:51:24 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::add` needs 8000000 bytes of tile memory (2 live tiles), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:52:19 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live

        error: `pl::store` needs 4000000 bytes of tile memory (1 live tile), platform `a2a3sim` has 188416
          --> examples/14_reduce_scatter.rs:55:5 (in kernel `hand_step`)
          = help: work on smaller tiles in a loop of chunks, or keep fewer tiles live"#]]
    .assert_eq(&report(&error));
    let (y, _) = launch(&world, builtin_long_step, &Windows::new(&world, size), &x).unwrap();
    check_golden(&x, y.view());
}

#[test]
fn counts_equal_the_cost_card() {
    for p in [2, 3, 4, 8] {
        let (world, size) = (world("a2a3sim", p), 64);
        let (x, windows) = (counting(p, size), Windows::new(&world, size));
        for mode in MODES {
            let mut y = Array3::zeros((p, 1, size));
            let calls = x.outer_iter().zip(y.outer_iter_mut());
            let stages = world.compile(calls.map(|(x, y)| step(mode)(x, y, &windows.data, &windows.signal))).unwrap();
            world.reset_all().unwrap();
            let (_, report) = launch(&world, step(mode), &windows, &x).unwrap();
            for (rank, cost) in report.ranks.iter().enumerate() {
                assert_eq!(stages[rank].cost().exact(), Some(*cost), "P = {p}, rank {rank}, {mode:?}");
                // (P-1)/P of the bytes of the whole input.
                assert_eq!(cost.bytes_received as usize, (p - 1) * size * 4);
                assert_eq!(cost.result_elements as usize, size);
                // Every notify to a peer is one of a barrier and deposits one credit; the builtin takes them back, by hand they stay.
                let (card, peers) = (stages[rank].cost(), p as u64 - 1);
                assert_eq!(card.barriers.exact(), Some(cost.peer_notifies / peers));
                assert_eq!(card.barriers.exact(), Some(cost.waits / peers));
                assert_eq!(card.credits, card.barriers);
                let left = windows.signal.to_array(rank).unwrap();
                for (src, left) in left.iter().enumerate() {
                    let deposited = stages[src].cost().credits.exact().unwrap() as i32;
                    let expected = if src == rank || mode == Mode::Builtin { 0 } else { deposited };
                    assert_eq!(*left, expected, "P = {p}, cell {src} of rank {rank}, {mode:?}");
                }
            }
        }
    }
}

#[test]
fn schedulers_agree_bit_for_bit() {
    let (p, size) = (7, 129);
    let world = world("a2a3sim", p);
    let x = scattered(p, size);
    for mode in MODES {
        let bits = |scheduler| {
            let options = LaunchOptions { scheduler, ..LaunchOptions::default() };
            let (y, report) = launch_with(options, &world, step(mode), &Windows::new(&world, size), &x).unwrap();
            assert_eq!(report.scheduler, scheduler);
            assert_eq!(report.lints, []);
            y.mapv(f32::to_bits)
        };
        let parallel = bits(Scheduler::Parallel);
        for seed in 0..20 {
            assert_eq!(bits(Scheduler::Seeded(seed)), parallel, "seed {seed}");
        }
    }
}

/// Runs a kernel with a mistake, and gives the cause that the golden check names.
fn cause(step: Step) -> String {
    let (p, size) = (4, 64);
    let world = world("a2a3sim", p);
    let x = counting(p, size);
    let (y, _) = launch(&world, step, &Windows::new(&world, size), &x).unwrap();
    reduce_scatter(x.view()).check(y.view()).unwrap_err().to_string()
}

#[test]
fn mistakes_are_recognised() {
    let text = cause(seeded_from_zeros);
    expect![[r#"
        each rank's own chunk is missing from its sum
          = rank 0, element 1: got 603, expected 604
          = 255 of 256 elements are wrong
          = help: the accumulator was seeded from zeros; begin with the own row: `pl::load(data, [my_rank, 0], [1, SIZE])`"#]].assert_eq(&text);
    let text = cause(row_fixed);
    expect![[r#"
        every rank has the same chunk, chunk 0
          = rank 1, element 0: got 600, expected 856
          = 192 of 256 elements are wrong
          = help: the row that is reduced is fixed; rank r reduces row `my_rank` of every rank"#]]
    .assert_eq(&text);
    let text = cause(boundaries_off);
    expect![[r#"
        chunk boundaries are off: rank 1 has the sum of a chunk that begins at element 63 of `x`, and not at 64
          = rank 1, element 0: got 852, expected 856
          = 192 of 256 elements are wrong
          = help: chunk `c` is at `[0, c * SIZE]` in `x` and in row `c` of the window"#]]
    .assert_eq(&text);
}

/// The accumulator starts from zeros and not from the own row.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn seeded_from_zeros(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }
    pld::tensor::barrier(signal);
    let mut acc = pl::full::<f32>([1, SIZE], 0.0);
    for peer in 0..nranks {
        if peer != my_rank {
            let recv = pld::tile::remote_load(data, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);
            acc = pl::add(acc, recv);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// Row 0 is reduced, whatever the rank.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn row_fixed(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }
    pld::tensor::barrier(signal);
    let mut acc = pl::load(data, [0, 0], [1, SIZE]);
    for peer in 0..nranks {
        if peer != my_rank {
            let recv = pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, SIZE]);
            acc = pl::add(acc, recv);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// Chunk c is taken from the wrong place.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn boundaries_off(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    for c in 0..nranks {
        let chunk = pl::load(x, [0, c * (SIZE - 1)], [1, SIZE]);
        data = pl::store(chunk, [c, 0], data);
    }
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    let acc = pl::load(data, [my_rank, 0], [1, SIZE]);
    pl::store(acc, [0, 0], y);
}
