//! `pld::tensor::all_to_all_v`: blocks of which only some rows are sent.

use crate::numbers::{Number, check_zero, full, same, scattered, world};
use pl::distributed as pld;
use pl::half::bf16;
use pl::ndarray::{Array2, Array3, s};
use pl::{Error, Fault, World};

/// Sends `a` with the counts `counts`, then `b` with every count one less; y gets what came in the first call, block by block and as many rows as came,
/// and so do the counts of both calls.
#[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
fn exchange<T: pl::Element>(
    a: pl::Tensor<T, { [NR * ROWS, SIZE] }>,
    mut y: pl::InOut<pl::Tensor<T, { [NR * ROWS, SIZE] }>>,
    counts: pl::Tensor<i32, { [NR, 1] }>,
    mut came: pl::Out<pl::Tensor<i32, { [NR, 1] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR * ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    recv: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    // Once more with the same data: the second call must find the windows as the first left them.
    for _again in 0..2 {
        data = pld::tensor::all_to_all_v(a, data, signal, counts, recv);
    }
    for src in 0..nranks {
        let rows = pl::read(recv, [src, 0]);
        pl::write(came, [src, 0], rows);
        y = pld::tensor::get(
            y,
            me,
            data,
            [src * ROWS, 0],
            [src * ROWS, 0],
            [rows as usize, SIZE],
            chunk_rows = 1,
            chunk_cols = 4096,
        );
    }
    came = pl::write(came, [me, 0], pl::read(recv, [me, 0]));
}

/// How many rows rank `src` sends to rank `dest`: none, all, and between.
fn count(src: usize, dest: usize, rows: usize) -> usize {
    (3 * src + 2 * dest) % (rows + 1)
}

fn counts_of(src: usize, p: usize, rows: usize) -> Array2<i32> {
    Array2::from_shape_fn((p, 1), |(dest, _)| count(src, dest, rows) as i32)
}

fn check<T: Number>(world: &World, rows: usize, size: usize) {
    let p = world.size();
    let data = world.window::<T>([p * rows, size]).unwrap();
    let (signal, recv) = (world.window::<i32>([p, 1]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let x: Vec<Array2<T>> = (0..p).map(|rank| scattered(7 * rank + size, (p * rows, size))).collect();
    let counts: Vec<Array2<i32>> = (0..p).map(|src| counts_of(src, p, rows)).collect();
    let mut y = Array3::from_elem((p, p * rows, size), T::of(0.0));
    let mut came = Array3::<i32>::zeros((p, p, 1));
    let calls = x.iter().zip(&counts).zip(y.outer_iter_mut().zip(came.outer_iter_mut()));
    world
        .launch(calls.map(|((x, counts), (y, came))| exchange(x.view(), y, counts.view(), came, &data, &signal, &recv)))
        .unwrap();
    check_zero(&signal, p);
    for rank in 0..p {
        for src in 0..p {
            let n = count(src, rank, rows);
            assert_eq!(came[[rank, src, 0]], n as i32, "rank {rank} from {src}");
            let got = y.slice(s![rank, src * rows..src * rows + n, ..]);
            let sent = x[src].slice(s![rank * rows..rank * rows + n, ..]);
            assert!(same(&got, &sent), "P = {p}, ROWS = {rows}, SIZE = {size}: rank {rank} from {src}");
        }
    }
}

#[test]
fn goldens() {
    let ranks: &[usize] = if full() { &[2, 3, 4, 5, 8, 16] } else { &[2, 3, 5] };
    for p in ranks {
        let world = world(*p);
        for (rows, size) in [(1, 1), (3, 7), (4, 64)] {
            check::<f32>(&world, rows, size);
            check::<bf16>(&world, rows, size);
            check::<u8>(&world, rows, size);
            check::<i64>(&world, rows, size);
        }
    }
}

#[test]
fn long_rows_go_in_chunks() {
    check::<f32>(&world(3), 2, 100_003);
}

#[test]
fn many_ranks() {
    if full() {
        check::<f32>(&world(256), 1, 5);
    }
}

/// Runs with counts that the caller chooses.
fn run(counts: &[Array2<i32>], rows: usize) -> Result<(), Error> {
    let p = counts.len();
    let world = world(p);
    let data = world.window::<f32>([p * rows, 4]).unwrap();
    let (signal, recv) = (world.window::<i32>([p, 1]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let x = Array2::<f32>::ones((p * rows, 4));
    let mut y = Array3::<f32>::zeros((p, p * rows, 4));
    let mut came = Array3::<i32>::zeros((p, p, 1));
    let calls = counts.iter().zip(y.outer_iter_mut().zip(came.outer_iter_mut()));
    world
        .launch(calls.map(|(counts, (y, came))| exchange(x.view(), y, counts.view(), came, &data, &signal, &recv)))
        .map(|_| ())
}

#[test]
fn a_count_out_of_range_is_an_error() {
    for (bad, shown) in [(3, "3"), (-1, "-1")] {
        let mut counts = vec![counts_of(0, 2, 2), counts_of(1, 2, 2)];
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
        Err(Error::Fault(fault)) => assert!(matches!(*fault, Fault::Uninitialised(_)), "{fault}"),
        other => panic!("{other:?}"),
    }
}
