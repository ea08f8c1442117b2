//! `pld::tensor::allreduce` of NaN, infinities, zeros of both signs, subnormal numbers, and sums and products that overflow.

use crate::numbers::{Number, full, world};
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, ArrayView2, ArrayViewMut2};
use pl::{Call, Window};
use pld::ReduceOp;
use std::any::type_name;
use std::cmp::Ordering;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh<T: pl::Element, const OP: i32>(
    x: pl::Tensor<T, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<T, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::from_int(OP), mode = "mesh");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn ring<T: pl::Element, const OP: i32>(
    x: pl::Tensor<T, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<T, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2 * NR - 2, NR] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::from_int(OP), mode = "ring");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

type Kernel<T> = for<'a> fn(ArrayView2<'a, T>, ArrayViewMut2<'a, T>, &'a Window<T>, &'a Window<i32>) -> Call<'a>;

/// A float type with the ends of its range, bit by bit.
trait Float: Number {
    /// The greatest finite number, the smallest normal one and the smallest of all.
    const ENDS: [Self; 3];

    fn specials() -> Vec<Self> {
        let [greatest, normal, subnormal] = Self::ENDS;
        let plain = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.5, -2.0].map(Self::of);
        let minus = Self::of(-1.0);
        plain
            .into_iter()
            .chain([greatest, minus * greatest, normal, minus * normal, subnormal, minus * subnormal])
            .collect()
    }
}

impl Float for f32 {
    const ENDS: [f32; 3] = [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)];
}

impl Float for f16 {
    const ENDS: [f16; 3] = [f16::MAX, f16::MIN_POSITIVE, f16::from_bits(1)];
}

impl Float for bf16 {
    const ENDS: [bf16; 3] = [bf16::MAX, bf16::MIN_POSITIVE, bf16::from_bits(1)];
}

/// Each column has one special number at one rank and another one at all others.
fn columns<T: Float>(p: usize) -> Vec<Vec<T>> {
    let specials = T::specials();
    let pairs = specials.iter().flat_map(|one| specials.iter().map(move |rest| (*one, *rest)));
    pairs
        .flat_map(|(one, rest)| (0..p).map(move |at| (0..p).map(|rank| if rank == at { one } else { rest }).collect()))
        .collect()
}

/// The greatest or least of two: NaN if one is, and -0 < +0.
fn extreme<T: Number>(a: T, b: T, wanted: Ordering) -> T {
    let (x, y) = (a.number(), b.number());
    if x.is_nan() || y.is_nan() {
        T::of(f64::NAN)
    } else if x.total_cmp(&y) == wanted {
        a
    } else {
        b
    }
}

/// The terms folded one by one, from the term `start` on and around.
fn golden<T: Number>(op: ReduceOp, terms: &[T], start: usize) -> T {
    let around = terms[start..].iter().chain(&terms[..start]).copied();
    let folded = match op {
        ReduceOp::Sum => around.reduce(|a, b| a + b),
        ReduceOp::Prod => around.reduce(|a, b| a * b),
        ReduceOp::Max => around.reduce(|a, b| extreme(a, b, Ordering::Greater)),
        ReduceOp::Min => around.reduce(|a, b| extreme(a, b, Ordering::Less)),
    };
    folded.unwrap()
}

fn check<T: Float>(op: ReduceOp, kernels: [Kernel<T>; 2], p: usize) {
    let columns = columns::<T>(p);
    let size = columns.len();
    let x: Vec<_> = (0..p).map(|rank| Array2::from_shape_fn((1, size), |(_, at)| columns[at][rank])).collect();
    // A mesh folds in the order of the ranks, a ring each segment from its owner on.
    let owner = |at: usize| (0..p).rfind(|owner| owner * size / p <= at).unwrap();
    let modes: [(&str, _, &dyn Fn(usize) -> usize); 2] = [("mesh", [p, 1], &|_| 0), ("ring", [2 * p - 2, p], &owner)];
    for (kernel, (mode, rows, start)) in kernels.into_iter().zip(modes) {
        let world = world(p);
        let (data, signal) = (world.window::<T>([1, size]).unwrap(), world.window::<i32>(rows).unwrap());
        let mut y: Vec<_> = (0..p).map(|_| Array2::from_elem((1, size), T::of(0.0))).collect();
        let calls = x.iter().zip(&mut y).map(|(x, y)| kernel(x.view(), y.view_mut(), &data, &signal));
        world.launch(calls).unwrap();
        for (at, terms) in columns.iter().enumerate() {
            let what = || format!("{op:?} of {} by {mode}, P = {p}: {terms:?}", type_name::<T>());
            let result = y[0][[0, at]];
            for (rank, y) in y.iter().enumerate() {
                let y = y[[0, at]];
                assert!(y.same(result), "{} is {y:?} on rank {rank} and {result:?} on rank 0, in other bits", what());
            }
            let golden = golden(op, terms, start(at));
            let right = result.same(golden) || golden.number().is_nan() && result.number().is_nan();
            assert!(right, "{} is {result:?}, expected {golden:?}", what());
        }
    }
}

fn check_all<T: Float>() {
    let ranks: &[usize] = if full() { &[2, 3, 4, 5, 8, 16] } else { &[2, 3, 5] };
    for p in ranks {
        check::<T>(ReduceOp::Sum, [mesh::<T, 0>, ring::<T, 0>], *p);
        check::<T>(ReduceOp::Max, [mesh::<T, 1>, ring::<T, 1>], *p);
        check::<T>(ReduceOp::Min, [mesh::<T, 2>, ring::<T, 2>], *p);
        check::<T>(ReduceOp::Prod, [mesh::<T, 3>, ring::<T, 3>], *p);
    }
}

element_types! {
    check_all:
    of_f32 f32;
    of_f16 f16;
    of_bf16 bf16;
}
