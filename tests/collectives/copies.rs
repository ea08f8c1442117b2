//! The collectives that move data: `broadcast`, `allgather`, `all_to_all`, and the sum of `reduce_scatter`.

use crate::numbers::{Golden, Launch, Number, cases, check_zero, full, plainly, same, scattered, world};
use pl::World;
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3};
use pld::ReduceOp;
use std::any::type_name;

/// x[i] of the root, which is another one for each i, goes to everyone.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn broadcast<T: pl::Element>(
    x: pl::Tensor<T, { [2, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    first: usize,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for i in 0..2 {
        let root = (first + i) % pld::nranks(ctx);
        if me == root {
            pld::tensor::put(data, me, x, [0, 0], [i, 0], [1, SIZE], chunk_cols = 4096);
        }
        data = pld::tensor::broadcast(data, signal, root = root);
        y = pld::tensor::get(y, me, data, [i, 0], [0, 0], [1, SIZE], chunk_cols = 4096);
    }
}

/// Row r of y becomes what rank r passed as `a`, row NR + r what it passed as `b`: a tensor first, a window then.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn allgather<T: pl::Element>(
    a: pl::Tensor<T, { [1, SIZE] }>,
    b: pl::Tensor<T, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2 * NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    mine: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    pld::tensor::put(mine, me, b, chunk_rows = 1, chunk_cols = 4096);
    data = pld::tensor::allgather(a, data, signal);
    y = pld::tensor::get(y, me, data, [0, 0], [0, 0], [NR, SIZE], chunk_rows = 1, chunk_cols = 4096);
    data = pld::tensor::allgather(mine, data, signal);
    y = pld::tensor::get(y, me, data, [NR, 0], [0, 0], [NR, SIZE], chunk_rows = 1, chunk_cols = 4096);
}

/// Row r of y becomes row `me` of rank r's `a`, row NR + r that of its `b`.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all<T: pl::Element>(
    a: pl::Tensor<T, { [NR, SIZE] }>,
    b: pl::Tensor<T, { [NR, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2 * NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pld::tensor::all_to_all(a, data, signal);
    y = pld::tensor::get(y, me, data, [0, 0], [0, 0], [NR, SIZE], chunk_rows = 1, chunk_cols = 4096);
    data = pld::tensor::all_to_all(b, data, signal);
    y = pld::tensor::get(y, me, data, [NR, 0], [0, 0], [NR, SIZE], chunk_rows = 1, chunk_cols = 4096);
}

/// y[i] becomes row `me` of the sum of what all ranks passed as rows i * NR to (i + 1) * NR of x.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn reduce_scatter<T: pl::Element>(
    x: pl::Tensor<T, { [2 * NR, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for i in 0..2 {
        pld::tensor::put(data, me, x, [0, 0], [i * NR, 0], [NR, SIZE], chunk_rows = 1, chunk_cols = 4096);
        data = pld::tensor::reduce_scatter(data, signal);
        y = pld::tensor::get(y, me, data, [i, 0], [me, 0], [1, SIZE], chunk_cols = 4096);
    }
}

fn inputs<T: Number>(p: usize, rows: usize, size: usize, salt: usize) -> Vec<Array2<T>> {
    (0..p).map(|rank| scattered(1009 * salt + 31 * rank + size, (rows, size))).collect()
}

fn outputs<T: Number>(p: usize, rows: usize, size: usize) -> Array3<T> {
    Array3::from_elem((p, rows, size), T::of(0.0))
}

pub fn check_broadcast<T: Number>(world: &World, size: usize, first: usize, launch: Launch<'_>) {
    let p = world.size();
    let (data, signal) = (world.window::<T>([1, size]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let (x, mut y) = (inputs::<T>(p, 2, size, 1), outputs::<T>(p, 2, size));
    let calls = x.iter().zip(y.outer_iter_mut());
    if !launch(world, calls.map(|(x, y)| broadcast(x.view(), y, &data, &signal, first)).collect()) {
        return;
    }
    check_zero(&signal, p);
    for (rank, y) in y.outer_iter().enumerate() {
        for i in 0..2 {
            let root = (first + i) % p;
            let what = format!("{}, P = {p}, SIZE = {size}: rank {rank}, root {root}", type_name::<T>());
            assert!(same(y.row(i), x[root].row(i)), "{what}");
        }
    }
}

pub fn check_allgather<T: Number>(world: &World, size: usize, launch: Launch<'_>) {
    let p = world.size();
    let (data, mine) = (world.window::<T>([p, size]).unwrap(), world.window::<T>([1, size]).unwrap());
    let signal = world.window::<i32>([p, 1]).unwrap();
    let (a, b, mut y) = (inputs::<T>(p, 1, size, 2), inputs::<T>(p, 1, size, 3), outputs::<T>(p, 2 * p, size));
    let calls = a.iter().zip(&b).zip(y.outer_iter_mut());
    if !launch(world, calls.map(|((a, b), y)| allgather(a.view(), b.view(), y, &data, &mine, &signal)).collect()) {
        return;
    }
    check_zero(&signal, p);
    for (rank, y) in y.outer_iter().enumerate() {
        for (row, y) in y.outer_iter().enumerate() {
            let x = if row < p { &a[row] } else { &b[row - p] };
            let what = format!("{}, P = {p}, SIZE = {size}: rank {rank}, row {row}", type_name::<T>());
            assert!(same(y, x.row(0)), "{what}");
        }
    }
}

pub fn check_all_to_all<T: Number>(world: &World, size: usize, launch: Launch<'_>) {
    let p = world.size();
    let (data, signal) = (world.window::<T>([p, size]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let (a, b, mut y) = (inputs::<T>(p, p, size, 4), inputs::<T>(p, p, size, 5), outputs::<T>(p, 2 * p, size));
    let calls = a.iter().zip(&b).zip(y.outer_iter_mut());
    if !launch(world, calls.map(|((a, b), y)| all_to_all(a.view(), b.view(), y, &data, &signal)).collect()) {
        return;
    }
    check_zero(&signal, p);
    for (rank, y) in y.outer_iter().enumerate() {
        for (row, y) in y.outer_iter().enumerate() {
            let x = if row < p { &a[row] } else { &b[row - p] };
            let what = format!("{}, P = {p}, SIZE = {size}: rank {rank}, row {row}", type_name::<T>());
            assert!(same(y, x.row(rank)), "{what}");
        }
    }
}

pub fn check_reduce_scatter<T: Number>(world: &World, size: usize, launch: Launch<'_>) {
    let p = world.size();
    let (data, signal) = (world.window::<T>([p, size]).unwrap(), world.window::<i32>([p, 1]).unwrap());
    let (x, mut y) = (inputs::<T>(p, 2 * p, size, 6), outputs::<T>(p, 2, size));
    let calls = x.iter().zip(y.outer_iter_mut());
    if !launch(world, calls.map(|(x, y)| reduce_scatter(x.view(), y, &data, &signal)).collect()) {
        return;
    }
    check_zero(&signal, p);
    for rank in 0..p {
        for i in 0..2 {
            for at in 0..size {
                let golden = Golden::new(ReduceOp::Sum, x.iter().map(|x| x[[i * p + rank, at]]));
                let y = y[[rank, i, at]];
                assert!(
                    golden.allows(y),
                    "{}, P = {p}, SIZE = {size}: rank {rank}, call {i}, element {at} is {y:?}, expected {golden:?}",
                    type_name::<T>()
                );
            }
        }
    }
}

fn check_all<T: Number>() {
    for (p, size) in cases() {
        let world = world(p);
        check_broadcast::<T>(&world, size, p - 1, &plainly);
        check_allgather::<T>(&world, size, &plainly);
        check_all_to_all::<T>(&world, size, &plainly);
        check_reduce_scatter::<T>(&world, size, &plainly);
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
    let world = world(3);
    check_broadcast::<f32>(&world, 100_003, 1, &plainly);
    check_allgather::<f32>(&world, 100_003, &plainly);
    check_all_to_all::<f32>(&world, 100_003, &plainly);
    check_reduce_scatter::<f32>(&world, 100_003, &plainly);
}

#[test]
fn many_ranks() {
    if full() {
        let world = world(256);
        check_broadcast::<f32>(&world, 1000, 255, &plainly);
        check_allgather::<f32>(&world, 100, &plainly);
        check_all_to_all::<f32>(&world, 10, &plainly);
        check_reduce_scatter::<f32>(&world, 10, &plainly);
    }
}

/// Every root, and a window of other axes than the kernel above has.
#[test]
fn broadcast_of_any_shape() {
    #[pl::function(InCore, dynamic(NR, A, B))]
    fn spread(
        mut data: pl::InOut<pld::DistributedTensor<i32, { [A, 3, B] }>>,
        signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
        root: usize,
    ) {
        data = pld::tensor::broadcast(data, signal, root);
    }
    let world = world(4);
    let signal = world.window::<i32>([4, 1]).unwrap();
    for root in 0..4 {
        let data = world.window::<i32>([2, 3, 5]).unwrap();
        let values = pl::ndarray::Array3::from_shape_fn((2, 3, 5), |(a, b, c)| (100 * a + 10 * b + c + root) as i32);
        data.write(root, &values).unwrap();
        world.launch((0..4).map(|_| spread(&data, &signal, root))).unwrap();
        for rank in 0..4 {
            assert_eq!(data.to_array(rank).unwrap(), values.clone().into_dyn(), "rank {rank}, root {root}");
        }
    }
}
