//! Windows of every element type: own memory, loads from peers, and the collectives on data, against ndarray.

use crate::reference::{ADD, Random, Reference, assert_same};
use crate::support::world;
use pl::World;
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3, s};

/// Stages a tensor into the own window, moves its last column to the first one by element, and gives the window.
#[pl::function(InCore, dynamic(R, C))]
fn own<T: pl::Element>(
    x: pl::Tensor<T, { [R, C] }>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [R, C] }>>,
    y: pl::Out<pl::Tensor<T, { [R, C] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [R, C]), [0, 0], data);
    for r in 0..R {
        let last = pl::read(data, [r, C - 1]);
        pl::write(data, [r, 0], last);
    }
    pl::store(pl::load(data, [0, 0], [R, C]), [0, 0], y);
}

/// Stages a tensor into the own window, and gathers the same box of every rank's.
#[pl::function(InCore, dynamic(NR, R, C))]
fn gather<T: pl::Element>(
    x: pl::Tensor<T, { [R, C] }>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [R, C] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    r: usize,
    c: usize,
    y: pl::InOut<pl::Tensor<T, { [NR * R, C] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [R, C]), [0, 0], data);
    pld::tensor::barrier(signal);
    for peer in 0..NR {
        let part = pld::tile::remote_load(data, peer = peer, offsets = [r, c], shape = [R - r, C - c]);
        pl::store(part, [peer * R + r, c], y);
    }
}

/// Stages rows of any length chunk by chunk, and reduces them with the builtin.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn reduce<T: pl::Element>(
    x: pl::Tensor<T, { [NR, SIZE] }>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    y: pl::Out<pl::Tensor<T, { [1, SIZE] }>>,
) {
    let rank = pld::rank(pld::get_comm_ctx(data));
    for row in 0..NR {
        for at in pl::range(0, SIZE, 4096) {
            data = pl::store(pl::load(x, [row, at], [1, pl::min(4096, SIZE - at)]), [row, at], data);
        }
    }
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    for at in pl::range(0, SIZE, 4096) {
        pl::store(pl::load(data, [rank, at], [1, pl::min(4096, SIZE - at)]), [0, at], y);
    }
}

fn check_own<T: Reference>(world: &World, x: &Array3<T>) {
    let (ranks, rows, columns) = x.dim();
    let data = world.window::<T>([rows, columns]).unwrap();
    let mut y = Array3::from_elem(x.dim(), T::ZERO);
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    world.launch(calls.map(|(x, y)| own::<T>(x, &data, y))).unwrap();
    for rank in 0..ranks {
        let mut expected = x.slice(s![rank, .., ..]).to_owned();
        let last = expected.slice(s![.., -1]).to_owned();
        expected.slice_mut(s![.., 0]).assign(&last);
        assert_same("the own window", &y.slice(s![rank, .., ..]).to_owned(), &expected);
        let held = data.to_array(rank).unwrap().into_shape_with_order((rows, columns)).unwrap();
        assert_same("the window after the launch", &held, &expected);
    }
}

fn check_gather<T: Reference>(world: &World, x: &Array3<T>, (r, c): (usize, usize)) {
    let (ranks, rows, columns) = x.dim();
    let (data, signal) = (world.window::<T>([rows, columns]).unwrap(), world.window::<i32>([ranks, 1]).unwrap());
    let mut y = Array3::from_elem((ranks, ranks * rows, columns), T::ZERO);
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    world.launch(calls.map(|(x, y)| gather::<T>(x, &data, &signal, r, c, y))).unwrap();
    let expected = Array2::from_shape_fn((ranks * rows, columns), |(i, j)| {
        if i % rows >= r && j >= c { x[(i / rows, i % rows, j)] } else { T::ZERO }
    });
    for y in y.outer_iter() {
        assert_same("remote_load", &y.to_owned(), &expected);
    }
}

fn check_reduce<T: Reference>(world: &World, random: &mut Random, size: usize, chunked: bool) {
    let ranks = world.size();
    let x = Array3::from_shape_simple_fn((ranks, ranks, size), || T::arbitrary(random.next()));
    let (data, signal) = (world.window::<T>([ranks, size]).unwrap(), world.window::<i32>([ranks, 1]).unwrap());
    let mut y = Array3::from_elem((ranks, 1, size), T::ZERO);
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    let report = world.launch(calls.map(|(x, y)| reduce::<T>(x, &data, &signal, y))).unwrap();
    for (rank, y) in y.outer_iter().enumerate() {
        // The own row first, then those of the peers in rank order, rounded at each addition.
        let order = [rank].into_iter().chain((0..ranks).filter(|peer| *peer != rank));
        let expected = Array2::from_shape_fn((1, size), |(_, i)| {
            order.clone().map(|peer| x[(peer, rank, i)]).reduce(|sum, term| T::apply(ADD, sum, term)).unwrap()
        });
        assert_same("reduce_scatter", &y.to_owned(), &expected);
        let cost = report.ranks[rank];
        assert_eq!(cost.bytes_received, ((ranks - 1) * size * size_of::<T>()) as u64);
        assert_eq!(cost.remote_loads > ranks as u64 - 1, chunked, "{} loads for {size}", cost.remote_loads);
    }
}

fn check_type<T: Reference>() {
    for ranks in [2, 3] {
        let world = world("a2a3sim", ranks);
        let mut random = Random(T::DTYPE as u64 + 100 * ranks as u64);
        for round in 0..8 {
            let (rows, columns) = if round == 0 { (1, 1) } else { (1 + random.below(6), 1 + random.below(200)) };
            let x = Array3::from_shape_simple_fn((ranks, rows, columns), || T::arbitrary(random.next()));
            check_own(&world, &x);
            check_gather(&world, &x, (random.below(rows), random.below(columns)));
        }
        check_reduce::<T>(&world, &mut random, 1, false);
        check_reduce::<T>(&world, &mut random, 7, false);
        // More than the tile memory holds, in every type.
        check_reduce::<T>(&world, &mut random, 320_000 / size_of::<T>(), true);
    }
}

macro_rules! each_type {
    ($($name:ident $type:ty;)*) => {$(
        #[test]
        fn $name() {
            check_type::<$type>();
        }
    )*};
}

each_type! {
    on_f32 f32;
    on_f16 f16;
    on_bf16 bf16;
    on_i8 i8;
    on_i16 i16;
    on_i32 i32;
    on_i64 i64;
    on_u8 u8;
    on_u32 u32;
}
