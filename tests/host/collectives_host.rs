//! Collectives that the host calls: results against ndarray, on worlds and subsets, and what bad use gives.

use crate::support::world;
use pl::distributed::ReduceOp;
use pl::ndarray::{Array2, Array3, ArrayD, Axis, IxDyn, concatenate, s};
use pl::{AllreduceMode, Element, Error, Report, Window, World, half};

/// Integers of a few bits, so that every sum is exact in every element type.
fn numbers(ranks: usize, shape: &[usize]) -> ArrayD<i32> {
    let mut state = 12345_u32;
    let shape: Vec<usize> = [ranks].iter().chain(shape).copied().collect();
    ArrayD::from_shape_simple_fn(IxDyn(&shape), || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 28) as i32 - 7
    })
}

fn fold(x: &ArrayD<i32>, op: ReduceOp) -> ArrayD<i32> {
    let parts = x.axis_iter(Axis(0)).map(|part| part.to_owned());
    let both = |a: ArrayD<i32>, b: ArrayD<i32>| {
        let mut both = a;
        both.zip_mut_with(&b, |a, b| {
            *a = match op {
                ReduceOp::Sum => *a + *b,
                ReduceOp::Max => (*a).max(*b),
                ReduceOp::Min => (*a).min(*b),
                ReduceOp::Prod => *a * *b,
            }
        });
        both
    };
    parts.reduce(both).unwrap()
}

/// The array of every rank.
fn contents<T: Element>(world: &World, window: &Window<T>) -> Vec<ArrayD<T>> {
    (0..world.size()).map(|rank| window.to_array(rank).unwrap()).collect()
}

fn allreduce_of<T: Element>(world: &World, shape: &[usize], of: fn(i32) -> T) {
    let x = numbers(world.size(), shape);
    for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod] {
        // A product stays exact where most factors are 1.
        let x = if op == ReduceOp::Prod { x.mapv(|v| if v % 4 == 0 { 2 } else { 1 }) } else { x.clone() };
        let expected = fold(&x, op).mapv(of);
        for mode in AllreduceMode::ALL {
            let data = world.window_from(&x.mapv(of)).unwrap();
            world.allreduce_with(&data, op, *mode).unwrap();
            // A second call finds the signal as it was.
            world.allreduce_with(&data, ReduceOp::Max, *mode).unwrap();
            for (rank, found) in contents(world, &data).into_iter().enumerate() {
                assert_eq!(found, expected, "{op:?} {mode:?} {:?} {shape:?} rank {rank}", T::DTYPE);
            }
        }
    }
}

#[test]
fn allreduce_of_every_type_shape_and_mode() {
    for ranks in [2, 3, 5] {
        let world = world("a2a3sim", ranks);
        for shape in [&[7][..], &[1, 1], &[2, 3, 4], &[1, 2, 1, 3, 1, 2], &[0, 3]] {
            allreduce_of::<f32>(&world, shape, |v| v as f32);
        }
        allreduce_of::<half::f16>(&world, &[3, 5], |v| half::f16::from_f32(v as f32));
        allreduce_of::<half::bf16>(&world, &[3, 5], |v| half::bf16::from_f32(v as f32));
        allreduce_of::<i32>(&world, &[3, 5], |v| v);
    }
}

#[test]
fn broadcast_of_every_root() {
    for ranks in [2, 4] {
        let world = world("a2a3sim", ranks);
        let x = numbers(ranks, &[2, 2, 3]).mapv(|v| v as i8);
        for root in 0..ranks {
            let data = world.window_from(&x).unwrap();
            world.broadcast(&data, root).unwrap();
            for found in contents(&world, &data) {
                assert_eq!(found, x.index_axis(Axis(0), root));
            }
        }
    }
}

#[test]
fn gathers_and_scatters() {
    for ranks in [2, 3, 5] {
        let world = world("a2a3sim", ranks);
        let x = numbers(ranks, &[1, 6]);
        let (input, target) = (world.window_from(&x).unwrap(), world.window::<i32>([ranks, 6]).unwrap());
        world.allgather(&input, &target).unwrap();
        let all = x.index_axis(Axis(1), 0);
        assert!(contents(&world, &target).iter().all(|found| found == all), "{ranks} ranks");

        let x = numbers(ranks, &[ranks, 6]);
        let data = world.window_from(&x).unwrap();
        world.reduce_scatter(&data, ReduceOp::Sum).unwrap();
        let sums = x.sum_axis(Axis(0));
        for (rank, found) in contents(&world, &data).iter().enumerate() {
            assert_eq!(found.index_axis(Axis(0), rank), sums.index_axis(Axis(0), rank), "{ranks} ranks");
        }

        let (input, target) = (world.window_from(&x).unwrap(), world.window::<i32>([ranks, 6]).unwrap());
        world.all_to_all(&input, &target).unwrap();
        for (rank, found) in contents(&world, &target).iter().enumerate() {
            assert_eq!(found, x.index_axis(Axis(1), rank), "{ranks} ranks");
        }
    }
}

#[test]
fn all_to_all_of_counts() {
    let (ranks, rows, size) = (3, 2, 4);
    let world = world("sim", ranks);
    let x = numbers(ranks, &[ranks * rows, size]).mapv(|v| v as f32);
    let counts = Array3::from_shape_fn((ranks, ranks, 1), |(from, to, _)| ((from + 2 * to) % 3) as i32);
    let (input, target) = (world.window_from(&x).unwrap(), world.window::<f32>([ranks * rows, size]).unwrap());
    let (send, recv) = (world.window_from(&counts).unwrap(), world.window::<i32>([ranks, 1]).unwrap());
    world.all_to_all_v(&input, &target, &send, &recv).unwrap();
    for to in 0..ranks {
        let expected: Vec<i32> = (0..ranks).map(|from| counts[[from, to, 0]]).collect();
        assert_eq!(recv.to_array(to).unwrap().iter().copied().collect::<Vec<_>>(), expected);
        let found = target.to_array(to).unwrap();
        for (from, count) in expected.into_iter().enumerate() {
            for row in 0..count as usize {
                let sent = x.slice(s![from, to * rows + row, ..]);
                assert_eq!(found.slice(s![from * rows + row, ..]), sent, "row {row} from {from} to {to}");
            }
        }
    }
    // A count that is too large is found by the run.
    send.write(0, &Array2::from_elem((ranks, 1), 3)).unwrap();
    let error = world.all_to_all_v(&input, &target, &send, &recv).unwrap_err();
    assert!(error.fault().is_some() && error.to_string().contains('3'), "{error}");
}

#[test]
fn a_subset_has_collectives_of_its_own() {
    let world = world("sim", 5);
    let (a, b) = (world.subset(&[4, 0]).unwrap(), world.subset(&[1, 2, 3]).unwrap());
    let (x, y) = (numbers(2, &[3]), numbers(3, &[3]));
    let (of_a, of_b) = (a.window_from(&x).unwrap(), b.window_from(&y).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| a.allreduce(&of_a, ReduceOp::Sum).unwrap());
        scope.spawn(|| b.allreduce(&of_b, ReduceOp::Sum).unwrap());
    });
    assert!(contents(&a, &of_a).iter().all(|found| *found == x.sum_axis(Axis(0))));
    assert!(contents(&b, &of_b).iter().all(|found| *found == y.sum_axis(Axis(0))));
    a.broadcast(&of_b, 0).unwrap_err();
    // Calls of one world follow each other, also from several threads.
    let windows: Vec<_> = (0..4).map(|_| world.window_from(&numbers(5, &[4])).unwrap()).collect();
    std::thread::scope(|scope| {
        for window in &windows {
            scope.spawn(|| world.allreduce(window, ReduceOp::Sum).unwrap());
        }
    });
    let sum = numbers(5, &[4]).sum_axis(Axis(0));
    assert!(windows.iter().all(|window| contents(&world, window).iter().all(|found| *found == sum)));
}

#[test]
fn a_signal_of_the_host() {
    let world = world("sim", 3);
    let (flat, column) = (world.window::<i32>([3]).unwrap(), world.window::<i32>([3, 1]).unwrap());
    for _ in 0..3 {
        for signal in [&flat, &column] {
            let report: Report = world.barrier(signal).unwrap();
            assert!(report.ranks.iter().all(|rank| rank.waits == 2));
        }
    }
    assert_eq!(flat.to_array(1).unwrap(), Array2::<i32>::zeros((1, 3)).index_axis(Axis(0), 0).into_dyn());
}

#[test]
fn a_signal_that_is_not_zero_is_told() {
    let all = world("sim", 4);
    let pair = all.subset(&[3, 1]).unwrap();
    for (shape, cell) in [(vec![2], "[1]"), (vec![2, 1], "[1, 0]")] {
        let signal = pair.window::<i32>(shape.clone()).unwrap();
        signal.write(1, &ArrayD::from_shape_vec(shape, vec![0, 5]).unwrap()).unwrap();
        let text = pair.barrier(&signal).unwrap_err().to_string();
        let expected = format!("`signal` of `pld::tensor::barrier` is not zero: `signal{cell}` of rank 1 is 5\n");
        assert!(text.starts_with(&expected) && text.contains("`world.reset(&signal)`"), "{text}");
        pair.reset(&signal).unwrap();
        pair.barrier(&signal).unwrap();
    }
}

#[test]
fn a_call_that_fails_leaves_the_next_one_in_order() {
    let world = world("sim", 2);
    // Nothing is staged.
    let data = world.window::<f32>([3]).unwrap();
    let error = world.allreduce(&data, ReduceOp::Sum).unwrap_err();
    let called = format!("\n  = called at {}:{}:", file!(), line!() - 1);
    assert!(matches!(&error, Error::Called { error, .. } if matches!(**error, Error::Fault(_))), "{error}");
    assert!(error.fault().is_some() && error.to_string().contains(&called), "{error}");
    assert!(matches!(world.allreduce(&data, ReduceOp::Sum), Err(Error::Poisoned { .. })));
    let x = numbers(2, &[3]).mapv(|v| v as f32);
    let data = world.window_from(&x).unwrap();
    world.allreduce(&data, ReduceOp::Sum).unwrap();
    assert_eq!(data.to_array(0).unwrap(), x.sum_axis(Axis(0)));
}

#[test]
fn what_bad_use_gives() {
    let all = world("sim", 3);
    let other = world("sim", 3);
    let alone = world("sim", 1);
    let pair = all.subset(&[0, 1]).unwrap();
    let data = all.zeros::<f32>([3, 4]).unwrap();
    let row = all.zeros::<f32>([1, 4]).unwrap();
    let wide = all.zeros::<f32>([3, 5]).unwrap();
    let bytes = all.zeros::<u8>([3, 4]).unwrap();
    let counts = all.zeros::<i32>([3, 1]).unwrap();
    let single = alone.zeros::<f32>([4]).unwrap();
    let cases: Vec<(Result<Report, Error>, &str)> = vec![
        (
            alone.allreduce(&single, ReduceOp::Sum),
            "`pld::tensor::allreduce` needs at least 2 ranks, this is a world of 1 rank\n",
        ),
        (other.allreduce(&data, ReduceOp::Sum), "`target` of `pld::tensor::allreduce` is a window of another world\n"),
        (
            pair.allreduce(&data, ReduceOp::Sum),
            "`target` of `pld::tensor::allreduce` is a window of the ranks [0, 1, 2], called on a subset of 2 ranks\n",
        ),
        (
            all.allreduce(&bytes, ReduceOp::Sum),
            "`target` of `pld::tensor::allreduce` has element type `u8`, expected f32, f16, bf16, i32\n",
        ),
        (
            all.broadcast(&data, 3),
            "`root` of `pld::tensor::broadcast` is 3, which is not a rank of a world of 3 ranks\n",
        ),
        (
            all.allgather(&data, &data),
            "`input` of `pld::tensor::allgather` has shape [3, 4], expected `[1, S]` (P = 3)\n",
        ),
        (
            all.allgather(&row, &wide),
            "`target` of `pld::tensor::allgather` has shape [3, 5], expected `[P, S]` (P = 3, S = 4)\n",
        ),
        (all.all_to_all(&data, &data), "`input` and `target` of `pld::tensor::all_to_all` are the same window\n"),
        (
            all.reduce_scatter(&row, ReduceOp::Sum),
            "`target` of `pld::tensor::reduce_scatter` has shape [1, 4], expected `[P, S]` (P = 3)\n",
        ),
        (all.reduce_scatter(&data, ReduceOp::Max), "pld::tensor::reduce_scatter op must be ReduceOp::Sum (got int 1);"),
        (
            all.all_to_all_v(&row, &row, &counts, &counts),
            "`input` of `pld::tensor::all_to_all_v` has shape [1, 4], expected `[P * M, S]` (P = 3)\n",
        ),
        (
            all.all_to_all_v(&data, &wide, &counts, &counts),
            "`target` of `pld::tensor::all_to_all_v` has shape [3, 5], expected `[P * M, S]` (P = 3, M = 1, S = 4)\n",
        ),
    ];
    for (result, expected) in cases {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n  = help: "), "{text}");
    }
    // None of them was launched: the windows are as they were.
    all.allreduce(&data, ReduceOp::Sum).unwrap();
    let parts: Vec<_> = contents(&all, &data);
    assert_eq!(
        concatenate(Axis(0), &parts.iter().map(|p| p.view()).collect::<Vec<_>>()).unwrap(),
        ArrayD::zeros(vec![9, 4])
    );
}
