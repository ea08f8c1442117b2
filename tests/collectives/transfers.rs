//! `put`, `get`, `put_with_signal` and `remote_store`: whole memory and boxes, in chunks that do not divide it, replacing and adding.

use crate::numbers::{Golden, Launch, Number, cases, check_zero, full, plainly, same, scattered, world};
use pl::World;
use pl::distributed as pld;
use pl::half::{bf16, f16};
use pl::ndarray::{Array2, Array3, s};
use pld::ReduceOp;
use std::any::type_name;

/// Chunk lengths: long ones, and one that does not divide the sizes and leaves a last chunk of another length.
const LONG: usize = 4096;
const ODD: usize = 1531;

/// x goes to the next rank as a whole; y comes from the previous one as a whole, so that it is what the rank two before put there.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn whole<T: pl::Element, const CHUNK: usize, const PIPELINE: bool>(
    x: pl::Tensor<T, { [3, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [3, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<T, { [3, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    pld::tensor::put(data, (me + 1) % NR, x, chunk_rows = 2, chunk_cols = CHUNK, pipeline = PIPELINE);
    pld::tensor::barrier(signal);
    y = pld::tensor::get(y, (me + NR - 1) % NR, data, chunk_rows = 2, chunk_cols = CHUNK, pipeline = PIPELINE);
}

/// The first rows of x go to the next rank, the last ones to the previous one, behind three columns that nobody writes; y gets the same from the
/// window of the next rank.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn boxes<T: pl::Element, const CHUNK: usize, const PIPELINE: bool>(
    x: pl::Tensor<T, { [6, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [6, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<T, { [6, SIZE + 3] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let next = (me + 1) % NR;
    let previous = (me + NR - 1) % NR;
    pld::tensor::put(data, next, x, [3, 3], [0, 0], [3, SIZE], chunk_rows = 2, chunk_cols = CHUNK, pipeline = PIPELINE);
    pld::tensor::put(
        data,
        previous,
        x,
        [0, 3],
        [3, 0],
        [3, SIZE],
        chunk_rows = 1,
        chunk_cols = CHUNK,
        pipeline = PIPELINE,
    );
    pld::tensor::barrier(signal);
    y = pld::tensor::get(
        y,
        next,
        data,
        [0, 0],
        [0, 3],
        [6, SIZE],
        chunk_rows = 5,
        chunk_cols = CHUNK,
        pipeline = PIPELINE,
    );
}

/// `first` goes to the next rank as a whole and sets a cell; the last row of `second` goes there as a box and adds to another cell.
#[pl::function(InCore, dynamic(NR, SIZE))]
pub fn signalled<T: pl::Element, const CHUNK: usize, const PIPELINE: bool>(
    first: pl::Tensor<T, { [1, SIZE] }>,
    second: pl::Tensor<T, { [3, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [2, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    more: pl::InOut<pld::DistributedTensor<T, { [2, SIZE + 1] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 2] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let next = (me + 1) % NR;
    let previous = (me + NR - 1) % NR;
    pld::tensor::put_with_signal(
        data,
        next,
        first,
        signal,
        [0, 0],
        7,
        pld::NotifyOp::Set,
        chunk_rows = 1,
        chunk_cols = CHUNK,
        pipeline = PIPELINE,
    );
    pld::tensor::put_with_signal(
        more,
        next,
        second,
        signal,
        [me, 1],
        -3,
        pld::NotifyOp::AtomicAdd,
        [1, 1],
        [2, 0],
        [1, SIZE],
        chunk_rows = 1,
        chunk_cols = CHUNK,
        pipeline = PIPELINE,
    );
    pld::system::wait(signal, [previous, 1], -3, pld::WaitCmp::Eq);
    y = pld::tensor::get(y, me, more, [1, 0], [1, 1], [1, SIZE], chunk_rows = 1, chunk_cols = CHUNK);
    pld::system::wait(signal, [0, 0], 7, pld::WaitCmp::Eq);
    y = pld::tensor::get(y, me, data, [0, 0], [0, 0], [1, SIZE], chunk_rows = 1, chunk_cols = CHUNK);
}

/// x goes to the next rank tile by tile.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn tiles<T: pl::Element, const CHUNK: usize>(
    x: pl::Tensor<T, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<T, { [2, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    for at in pl::range(0, SIZE, CHUNK) {
        let len = pl::min(CHUNK, SIZE - at);
        pld::tile::remote_store(pl::load(x, [0, at], [1, len]), data, (me + 1) % NR, [1, at]);
    }
    pld::tensor::barrier(signal);
    y = pld::tensor::get(y, me, data, [0, 0], [1, 0], [1, SIZE], chunk_cols = CHUNK);
}

/// Every rank adds its three rows into the one row of every rank: by `put`, by `remote_store`, and by `put_with_signal`, which also counts.
#[pl::function(InCore, dynamic(SIZE))]
fn adds<T: pl::Element, const CHUNK: usize, const PIPELINE: bool>(
    x: pl::Tensor<T, { [3, SIZE] }>,
    mut y: pl::Out<pl::Tensor<T, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<T, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    for peer in 0..nranks {
        pld::tensor::put(
            data,
            peer,
            x,
            [0, 0],
            [0, 0],
            [1, SIZE],
            atomic = pld::AtomicType::Add,
            chunk_rows = 1,
            chunk_cols = CHUNK,
            pipeline = PIPELINE,
        );
        for at in pl::range(0, SIZE, CHUNK) {
            let len = pl::min(CHUNK, SIZE - at);
            let tile = pl::load(x, [1, at], [1, len]);
            pld::tile::remote_store(tile, data, peer, [0, at], atomic = pld::AtomicType::Add);
        }
        pld::tensor::put_with_signal(
            data,
            peer,
            x,
            signal,
            [0, 0],
            1,
            pld::NotifyOp::AtomicAdd,
            [0, 0],
            [2, 0],
            [1, SIZE],
            atomic = pld::AtomicType::Add,
            chunk_rows = 1,
            chunk_cols = CHUNK,
            pipeline = PIPELINE,
        );
    }
    pld::system::wait(signal, [0, 0], nranks as i32, pld::WaitCmp::Ge);
    y = pld::tensor::get(y, me, data, [0, 0], [0, 0], [1, SIZE], chunk_cols = CHUNK);
}

fn inputs<T: Number>(p: usize, rows: usize, size: usize, salt: usize) -> Vec<Array2<T>> {
    (0..p).map(|rank| scattered(1009 * salt + 31 * rank + size, (rows, size))).collect()
}

fn outputs<T: Number>(p: usize, rows: usize, size: usize) -> Array3<T> {
    Array3::from_elem((p, rows, size), T::of(0.0))
}

fn what<T>(p: usize, size: usize, rank: usize) -> String {
    format!("{}, P = {p}, SIZE = {size}, rank {rank}", type_name::<T>())
}

pub fn check_whole<T: Number>(world: &World, size: usize, launch: Launch<'_>) {
    let p = world.size();
    for kernel in [whole::<T, LONG, false>, whole::<T, ODD, true>] {
        let (data, signal) = (world.window::<T>([3, size]).unwrap(), world.window::<i32>([p, 1]).unwrap());
        let (x, mut y) = (inputs::<T>(p, 3, size, 1), outputs::<T>(p, 3, size));
        let calls = x.iter().zip(y.outer_iter_mut());
        if !launch(world, calls.map(|(x, y)| kernel(x.view(), y, &data, &signal)).collect()) {
            continue;
        }
        check_zero(&signal, p);
        for (rank, y) in y.outer_iter().enumerate() {
            assert!(same(y, &x[(rank + 2 * p - 2) % p]), "{}", what::<T>(p, size, rank));
        }
    }
}

fn check_boxes<T: Number>(world: &World, size: usize) {
    let p = world.size();
    for kernel in [boxes::<T, LONG, false>, boxes::<T, ODD, true>] {
        let (data, signal) = (world.window::<T>([6, size + 3]).unwrap(), world.window::<i32>([p, 1]).unwrap());
        let (x, mut y) = (inputs::<T>(p, 6, size, 2), outputs::<T>(p, 6, size));
        let calls = x.iter().zip(y.outer_iter_mut());
        world.launch(calls.map(|(x, y)| kernel(x.view(), y, &data, &signal))).unwrap();
        for rank in 0..p {
            let (next, previous) = ((rank + 1) % p, (rank + p - 1) % p);
            let window = data.to_array(rank).unwrap();
            let parts = [
                ("from the next", window.slice(s![..3, 3..]), x[next].slice(s![3.., ..])),
                ("from the previous", window.slice(s![3.., 3..]), x[previous].slice(s![..3, ..])),
                ("got, first rows", y.slice(s![rank, ..3, ..]), x[(rank + 2) % p].slice(s![3.., ..])),
                ("got, last rows", y.slice(s![rank, 3.., ..]), x[rank].slice(s![..3, ..])),
            ];
            for (part, found, golden) in parts {
                assert!(same(found, golden), "{}: {part}", what::<T>(p, size, rank));
            }
            let margin = window.slice(s![.., ..3]).iter().all(|element| *element == T::of(0.0));
            assert!(margin, "{}: more than the box was written", what::<T>(p, size, rank));
        }
    }
}

fn check_signalled<T: Number>(world: &World, size: usize) {
    let p = world.size();
    for kernel in [signalled::<T, LONG, false>, signalled::<T, ODD, true>] {
        let (data, more) = (world.window::<T>([1, size]).unwrap(), world.window::<T>([2, size + 1]).unwrap());
        let signal = world.window::<i32>([p, 2]).unwrap();
        let (first, second) = (inputs::<T>(p, 1, size, 3), inputs::<T>(p, 3, size, 4));
        let mut y = outputs::<T>(p, 2, size);
        let calls = first.iter().zip(&second).zip(y.outer_iter_mut());
        let calls = calls.map(|((first, second), y)| kernel(first.view(), second.view(), y, &data, &more, &signal));
        world.launch(calls).unwrap();
        for rank in 0..p {
            let previous = (rank + p - 1) % p;
            assert!(same(y.slice(s![rank, 0, ..]), first[previous].row(0)), "{}: whole", what::<T>(p, size, rank));
            assert!(same(y.slice(s![rank, 1, ..]), second[previous].row(2)), "{}: box", what::<T>(p, size, rank));
            let mut cells = Array2::<i32>::zeros((p, 2));
            (cells[[0, 0]], cells[[previous, 1]]) = (7, -3);
            assert_eq!(signal.to_array(rank).unwrap(), cells.into_dyn(), "{}", what::<T>(p, size, rank));
        }
    }
}

fn check_tiles<T: Number>(world: &World, size: usize) {
    let p = world.size();
    for kernel in [tiles::<T, LONG>, tiles::<T, ODD>] {
        let (data, signal) = (world.window::<T>([2, size]).unwrap(), world.window::<i32>([p, 1]).unwrap());
        let (x, mut y) = (inputs::<T>(p, 1, size, 5), outputs::<T>(p, 1, size));
        let calls = x.iter().zip(y.outer_iter_mut());
        world.launch(calls.map(|(x, y)| kernel(x.view(), y, &data, &signal))).unwrap();
        for (rank, y) in y.outer_iter().enumerate() {
            assert!(same(y, &x[(rank + p - 1) % p]), "{}", what::<T>(p, size, rank));
        }
    }
}

/// Into a window that nothing wrote, and into one that holds data.
fn check_adds<T: Number>(world: &World, size: usize) {
    let p = world.size();
    let base: Array3<T> = scattered::<T>(size, (p, size)).into_shape_with_order((p, 1, size)).unwrap();
    for (kernel, fresh) in [(adds::<T, LONG, false> as AddKernel<T>, true), (adds::<T, ODD, true>, false)] {
        let data = if fresh { world.window::<T>([1, size]) } else { world.window_from(&base) }.unwrap();
        let signal = world.window::<i32>([1, 1]).unwrap();
        let (x, mut y) = (inputs::<T>(p, 3, size, 6), outputs::<T>(p, 1, size));
        let calls = x.iter().zip(y.outer_iter_mut());
        world.launch(calls.map(|(x, y)| kernel(x.view(), y, &data, &signal))).unwrap();
        for rank in 0..p {
            assert_eq!(signal.to_array(rank).unwrap()[[0, 0]], p as i32, "{}", what::<T>(p, size, rank));
            for at in 0..size {
                let before = if fresh { T::of(0.0) } else { base[[rank, 0, at]] };
                let terms = x.iter().flat_map(|x| x.column(at).into_iter().copied());
                let golden = Golden::new(ReduceOp::Sum, terms.chain([before]));
                let y = y[[rank, 0, at]];
                assert!(golden.allows(y), "{}: element {at} is {y:?}, expected {golden:?}", what::<T>(p, size, rank));
            }
        }
    }
}

type AddKernel<T> = for<'a> fn(
    pl::ndarray::ArrayView2<'a, T>,
    pl::ndarray::ArrayViewMut2<'a, T>,
    &'a pl::Window<T>,
    &'a pl::Window<i32>,
) -> pl::Call<'a>;

fn check_all<T: Number>() {
    for (p, size) in cases() {
        let world = world(p);
        check_whole::<T>(&world, size, &plainly);
        check_boxes::<T>(&world, size);
        check_signalled::<T>(&world, size);
        check_tiles::<T>(&world, size);
    }
}

fn check_all_adds<T: Number>() {
    for (p, size) in cases() {
        check_adds::<T>(&world(p), size);
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

element_types! {
    check_all_adds:
    adds_of_f32 f32;
    adds_of_f16 f16;
    adds_of_bf16 bf16;
    adds_of_i8 i8;
    adds_of_i16 i16;
    adds_of_i32 i32;
}

#[test]
fn long_rows_go_in_chunks() {
    let world = world(3);
    check_whole::<f32>(&world, 100_003, &plainly);
    check_boxes::<f32>(&world, 100_003);
    check_signalled::<f32>(&world, 100_003);
    check_tiles::<f32>(&world, 100_003);
    check_adds::<f32>(&world, 100_003);
}

#[test]
fn many_ranks() {
    if full() {
        let world = world(256);
        check_whole::<f32>(&world, 100, &plainly);
        check_boxes::<f32>(&world, 100);
        check_signalled::<f32>(&world, 100);
        check_tiles::<f32>(&world, 100);
        check_adds::<f32>(&world, 10);
    }
}
