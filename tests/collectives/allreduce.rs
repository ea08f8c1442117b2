//! `pld::tensor::allreduce`: every reduction, mode and element type that it takes.

use crate::numbers::{Golden, Launch, Number, cases, check_zero, full, plainly, same, scattered, world};
use pl::World;
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3, ArrayView2, ArrayViewMut2, Axis, s, stack};
use pl::{Call, Window};
use pld::ReduceOp;
use std::any::type_name;

/// Reduces x[0], then x[1], in the same windows; y[i] is what stands there after each.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh<T: pl::Element, const OP: i32>(
    x: pl::Tensor<T, { [2, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for i in 0..2 {
        pld::tensor::put(data, me, x, [0, 0], [i, 0], [1, SIZE], chunk_cols = 4096);
        data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::from_int(OP), mode = "mesh");
        y = pld::tensor::get(y, me, data, [i, 0], [0, 0], [1, SIZE], chunk_cols = 4096);
    }
}

/// Reduces x[0], then x[1], in the same windows; y[i] is what stands there after each.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn ring<T: pl::Element, const OP: i32>(
    x: pl::Tensor<T, { [2, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for i in 0..2 {
        pld::tensor::put(data, me, x, [0, 0], [i, 0], [1, SIZE], chunk_cols = 4096);
        data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::from_int(OP), mode = "ring");
        y = pld::tensor::get(y, me, data, [i, 0], [0, 0], [1, SIZE], chunk_cols = 4096);
    }
}

type Kernel<T> = for<'a> fn(ArrayView2<'a, T>, ArrayViewMut2<'a, T>, &'a Window<T>, &'a Window<i32>) -> Call<'a>;

/// The kernels of a reduction: mesh and ring.
fn kernels<T: Number>(op: ReduceOp) -> [Kernel<T>; 2] {
    match op {
        ReduceOp::Sum => [mesh::<T, 0>, ring::<T, 0>],
        ReduceOp::Max => [mesh::<T, 1>, ring::<T, 1>],
        ReduceOp::Min => [mesh::<T, 2>, ring::<T, 2>],
        ReduceOp::Prod => [mesh::<T, 3>, ring::<T, 3>],
    }
}

const OPS: [ReduceOp; 4] = [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod];

fn check<T: Number>(op: ReduceOp, p: usize, size: usize) {
    check_on::<T>(&world(p), op, size, &plainly);
}

pub fn check_on<T: Number>(world: &World, op: ReduceOp, size: usize, launch: Launch<'_>) {
    let p = world.size();
    let data = world.window::<T>([1, size]).unwrap();
    let x: Vec<Array2<T>> = (0..p).map(|rank| scattered(17 * rank + size, (2, size))).collect();
    for (kernel, rows) in kernels::<T>(op).into_iter().zip([(p, 1), (2 * (p - 1), p)]) {
        let signal = world.window::<i32>([rows.0, rows.1]).unwrap();
        let mut y = Array3::from_elem((p, 2, size), T::of(0.0));
        let calls = x.iter().zip(y.outer_iter_mut()).map(|(x, y)| kernel(x.view(), y, &data, &signal));
        if !launch(world, calls.collect()) {
            continue;
        }
        check_zero(&signal, p);
        for i in 0..2 {
            let rows: Vec<_> = x.iter().map(|x| x.row(i)).collect();
            let terms = stack(Axis(0), &rows).unwrap();
            let what = format!("{op:?} of {}, P = {p}, SIZE = {size}, call {i}", type_name::<T>());
            let first = y.slice(s![0, i, ..]);
            for rank in 0..p {
                assert!(same(first, y.slice(s![rank, i, ..])), "{what}: rank {rank} has other bits than rank 0");
            }
            for (at, (y, terms)) in first.iter().zip(terms.columns()).enumerate() {
                let golden = Golden::new(op, terms.iter().copied());
                assert!(golden.allows(*y), "{what}: element {at} is {y:?}, expected {golden:?}");
            }
        }
    }
}

fn check_all<T: Number>() {
    for (p, size) in cases() {
        for op in OPS {
            check::<T>(op, p, size);
        }
    }
}

element_types! {
    check_all:
    of_f32 f32;
    of_f16 f16;
    of_bf16 bf16;
    of_i32 i32;
}

/// Long rows go in chunks, and segments of a ring may have different lengths.
#[test]
fn long_and_odd() {
    check::<f32>(ReduceOp::Sum, 3, 100_003);
    check::<f32>(ReduceOp::Max, 4, 50_001);
    // A platform without a limit has large chunks.
    check_on::<f32>(&World::open("sim", &[0, 1]).unwrap(), ReduceOp::Sum, 300_001, &plainly);
}

#[test]
fn more_ranks_than_elements() {
    check::<f32>(ReduceOp::Sum, 16, 5);
    check::<i32>(ReduceOp::Min, 16, 1);
}

#[test]
fn many_ranks() {
    if full() {
        check::<f32>(ReduceOp::Sum, 256, 1000);
    }
}
