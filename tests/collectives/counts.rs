//! `pld::tensor::all_to_all_v`: blocks of which only some rows are sent.

use crate::numbers::{Launch, Number, check_zero, full, plainly, same, scattered, world};
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3, s};
use pl::{Error, Fault, World};
use std::any::type_name;

/// Sends `a` with the counts `few`, then `b` with the counts `more`; y and `came` get what came in the first call, then what came in the second: block
/// by block, and as many rows as came.
#[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
fn exchange<T: pl::Element>(
    a: pl::Tensor<T, { [NR * ROWS, SIZE] }>,
    b: pl::Tensor<T, { [NR * ROWS, SIZE] }>,
    few: pl::Tensor<i32, { [NR, 1] }>,
    more: pl::Tensor<i32, { [NR, 1] }>,
    mut y: pl::InOut<pl::Tensor<T, { [2 * NR * ROWS, SIZE] }>>,
    mut came: pl::Out<pl::Tensor<i32, { [2 * NR, 1] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR * ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    recv: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for call in 0..2 {
        if call == 0 {
            data = pld::tensor::all_to_all_v(a, data, signal, few, recv);
        } else {
            data = pld::tensor::all_to_all_v(b, data, signal, more, recv);
        }
        for src in 0..NR {
            let block = call * NR + src;
            let rows = pl::read(recv, [src, 0]);
            came = pl::write(came, [block, 0], rows);
            y = pld::tensor::get(
                y,
                me,
                data,
                [block * ROWS, 0],
                [src * ROWS, 0],
                [rows as usize, SIZE],
                chunk_rows = 1,
                chunk_cols = 4096,
            );
        }
    }
}

/// How many rows rank `src` sends to rank `dest` in a call: none, all, and between, and another number in each call.
fn count(call: usize, src: usize, dest: usize, rows: usize) -> usize {
    (3 * src + 2 * dest + call) % (rows + 1)
}

fn counts_of(call: usize, src: usize, p: usize, rows: usize) -> Array2<i32> {
    Array2::from_shape_fn((p, 1), |(dest, _)| count(call, src, dest, rows) as i32)
}

pub fn check<T: Number>(world: &World, rows: usize, size: usize, launch: Launch<'_>) {
    let p = world.size();
    let data = world.window::<T>([p * rows, size]).unwrap();
    let (signal, recv) = (world.window::<i32>([p, 1]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    // By call, then by rank.
    let x = [0, 1].map(|call| {
        (0..p).map(|rank| scattered(7 * rank + 1000 * call + size, (p * rows, size))).collect::<Vec<Array2<T>>>()
    });
    let counts = [0, 1].map(|call| (0..p).map(|src| counts_of(call, src, p, rows)).collect::<Vec<_>>());
    let mut y = Array3::from_elem((p, 2 * p * rows, size), T::of(0.0));
    let mut came = Array3::<i32>::zeros((p, 2 * p, 1));
    let calls = y.outer_iter_mut().zip(came.outer_iter_mut()).enumerate().map(|(rank, (y, came))| {
        let ([a, b], [few, more]) = (x.each_ref().map(|x| x[rank].view()), counts.each_ref().map(|n| n[rank].view()));
        exchange(a, b, few, more, y, came, &data, &signal, &recv)
    });
    if !launch(world, calls.collect()) {
        return;
    }
    check_zero(&signal, p);
    for (rank, call, src) in (0..p).flat_map(|rank| (0..2 * p).map(move |block| (rank, block / p, block % p))) {
        let what =
            format!("{}, P = {p}, ROWS = {rows}, SIZE = {size}: rank {rank} from {src}, call {call}", type_name::<T>());
        let (n, block) = (count(call, src, rank, rows), call * p + src);
        assert_eq!(came[[rank, block, 0]], n as i32, "{what}");
        let got = y.slice(s![rank, block * rows..block * rows + n, ..]);
        let sent = x[call][src].slice(s![rank * rows..rank * rows + n, ..]);
        assert!(same(got, sent), "{what}");
        let rest = y.slice(s![rank, block * rows + n..(block + 1) * rows, ..]);
        assert!(rest.iter().all(|y| *y == T::of(0.0)), "{what}: more rows than the count says");
    }
}

fn check_all<T: Number>() {
    let (ranks, blocks): (&[usize], &[(usize, usize)]) = if full() {
        (&[2, 3, 4, 5, 8, 16], &[(1, 1), (3, 7), (4, 64), (2, 4096), (1, 100_003)])
    } else {
        (&[2, 3, 5], &[(1, 1), (3, 7), (4, 64)])
    };
    for p in ranks {
        let world = world(*p);
        for (rows, size) in blocks {
            check::<T>(&world, *rows, *size, &plainly);
        }
    }
}

element_types! {
    check_all:
    of_f32 f32;
    of_f16 f16;
    of_bf16 bf16;
    of_i8 i8;
    of_i16 i16;
    of_i32 i32;
    of_i64 i64;
    of_u8 u8;
    of_u32 u32;
}

#[test]
fn long_rows_go_in_chunks() {
    check::<f32>(&world(3), 2, 100_003, &plainly);
}

#[test]
fn many_ranks() {
    if full() {
        check::<f32>(&world(256), 1, 5, &plainly);
    }
}

/// Runs with counts that the caller chooses.
fn run(counts: &[Array2<i32>], rows: usize) -> Result<(), Error> {
    let p = counts.len();
    let world = world(p);
    let data = world.window::<f32>([p * rows, 4]).unwrap();
    let (signal, recv) = (world.window::<i32>([p, 1]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let x = Array2::<f32>::ones((p * rows, 4));
    let mut y = Array3::<f32>::zeros((p, 2 * p * rows, 4));
    let mut came = Array3::<i32>::zeros((p, 2 * p, 1));
    let calls = counts
        .iter()
        .zip(y.outer_iter_mut().zip(came.outer_iter_mut()))
        .map(|(n, (y, came))| exchange(x.view(), x.view(), n.view(), n.view(), y, came, &data, &signal, &recv));
    world.launch(calls).map(|_| ())
}

#[test]
fn a_count_out_of_range_is_an_error() {
    for (bad, shown) in [(3, "3"), (-1, "-1")] {
        let mut counts = vec![counts_of(0, 0, 2, 2), counts_of(0, 1, 2, 2)];
        counts[1][[0, 0]] = bad;
        let error = run(&counts, 2).unwrap_err().to_string();
        for part in [shown, "rank 1", "peer 0", "2"] {
            assert!(error.contains(part), "no `{part}` in\n{error}");
        }
    }
}

/// A row that nobody sent is no data, though an earlier call had left some there.
#[test]
fn rows_beyond_the_count_are_not_written() {
    #[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
    fn peek(
        x: pl::Tensor<f32, { [NR * ROWS, SIZE] }>,
        all: pl::Tensor<i32, { [NR, 1] }>,
        few: pl::Tensor<i32, { [NR, 1] }>,
        y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
        mut data: pl::InOut<pld::DistributedTensor<f32, { [NR * ROWS, SIZE] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
        recv: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ) {
        data = pld::tensor::all_to_all_v(x, data, signal, all, recv);
        data = pld::tensor::all_to_all_v(x, data, signal, few, recv);
        pl::store(pl::load(data, [ROWS - 1, 0], [1, SIZE]), [0, 0], y);
    }
    let world = world(2);
    let data = world.window::<f32>([4, 4]).unwrap();
    let (signal, recv) = (world.window::<i32>([2, 1]).unwrap(), world.window::<i32>([2, 1]).unwrap());
    let x = Array2::<f32>::ones((4, 4));
    let (all, few) = (Array2::from_elem((2, 1), 2), Array2::from_elem((2, 1), 1));
    let mut y = Array3::<f32>::zeros((2, 1, 4));
    let calls = y.outer_iter_mut().map(|y| peek(x.view(), all.view(), few.view(), y, &data, &signal, &recv));
    match world.launch(calls) {
        Err(Error::Fault(fault)) => assert!(matches!(fault.fault, Fault::Uninitialised(_)), "{fault}"),
        other => panic!("{other:?}"),
    }
}
