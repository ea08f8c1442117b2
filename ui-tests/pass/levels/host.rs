// Host functions: windows, dispatch to devices, collectives of the whole world.
#![deny(warnings)]

use pl::distributed as pld;
use pl::ndarray::Array3;

const COLUMNS: usize = 8;

#[pl::function(InCore, dynamic(R, S))]
fn stage(x: pl::Tensor<f32, { [R, S] }>, data: pl::InOut<pld::DistributedTensor<f32, { [R, S] }>>) {
    pl::store(pl::load(x, [0, 0], [R, S]), [0, 0], data);
}

#[pl::function(InCore, dynamic(R, S))]
fn fetch<T: pl::Element>(
    data: pld::DistributedTensor<T, { [R, S] }>,
    y: pl::Out<pl::Tensor<T, { [R, S] }>>,
) -> pl::Tensor<T, { [R, S] }> {
    pl::store(pl::load(data, [0, 0], [R, S]), [0, 0], y)
}

#[pl::function(InCore)]
fn mark(x: pl::InOut<pl::Tensor<i32, { [COLUMNS] }>>, by: i32) {
    pl::write(x, [0], pl::read(x, [0]) + by);
}

#[pl::function(Orchestration, dynamic(R, S))]
fn restage(
    x: pl::Tensor<f32, { [R, S] }>,
    y: pl::Out<pl::Tensor<f32, { [R, S] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [R, S] }>>,
) {
    stage(x, data);
    fetch::<f32>(data, y);
    stage(y, data);
}

/// Everything that a Host function may say.
#[pl::function(Host, dynamic(NR, R, S))]
fn all(
    x: pl::Tensor<f32, { [NR, R, S] }>,
    y: pl::Out<pl::Tensor<f32, { [NR, R, S] }>>,
    marks: pl::InOut<pl::Tensor<i32, { [NR, COLUMNS] }>>,
    rounds: usize,
    twice: bool,
) -> (pl::Tensor<f32, { [NR, R, S] }>, pl::Tensor<i32, { [NR, COLUMNS] }>) {
    let bytes = 4 * R * S;
    let buffer = pld::alloc_window_buffer(bytes);
    let mut data = pld::window::<f32>(buffer, [R, S]);
    let signal = pld::window::<i32>(pld::alloc_window_buffer(bytes = 4 * NR), shape = [NR, 1]);
    let p = pld::world_size();
    for _ in 0..rounds {
        for r in 0..p {
            restage(x[r], y[r], data, device = r);
        }
        data = pld::tensor::allreduce(data, op = pld::ReduceOp::Max);
        data = pld::tensor::allreduce(data, mode = "ring");
        if twice {
            data = pld::tensor::broadcast(data, signal, root = p - 1);
            pld::tensor::barrier(signal);
        }
    }
    for r in pl::range(p) {
        let right = (r + 1) % p;
        fetch::<f32>(pld::window::<f32>(buffer, [R, S]), pl::part(y, index = right), device = right);
    }
    for r in 0..p {
        let row = marks[r];
        mark(row, r as i32 + 1, device = r);
    }
    (y, marks)
}

/// A window that outlives the call is an argument.
#[pl::function(Host, dynamic(NR, R, S))]
fn add_up(x: pl::Tensor<f32, { [NR, R, S] }>, mut kept: pl::InOut<pld::DistributedTensor<f32, { [R, S] }>>) {
    for r in 0..pld::world_size() {
        stage(x[r], kept, device = r);
    }
    kept = pld::tensor::allreduce(kept);
}

#[pl::function(InCore, dynamic(R))]
fn fill<T: pl::Element, const S: usize>(
    x: pl::Tensor<T, { [R, S] }>,
    data: pl::InOut<pld::DistributedTensor<T, { [R, S] }>>,
) {
    pl::store(pl::load(x, [0, 0], [R, S]), [0, 0], data);
}

#[pl::function(Host, dynamic(NR, R))]
fn echo<T: pl::Element, const S: usize>(
    x: pl::Tensor<T, { [NR, R, S] }>,
    y: pl::Out<pl::Tensor<T, { [NR, R, S] }>>,
) -> pl::Tensor<T, { [NR, R, S] }> {
    let data = pld::window::<T>(pld::alloc_window_buffer(8 * R * S), [R, S]);
    let signal = pld::window::<i32>(pld::alloc_window_buffer(4 * NR), [NR, 1]);
    for r in 0..pld::world_size() {
        fill::<T, S>(x[r], data, device = r);
    }
    pld::tensor::broadcast(data, signal, root = 0);
    for r in 0..pld::world_size() {
        fetch::<T>(data, y[r], device = r);
    }
    y
}

#[pl::function(Host)]
fn nothing() {}

fn main() -> Result<(), pl::BindError> {
    let (x, mut y) = (Array3::<f32>::zeros((2, 3, 4)), Array3::<f32>::zeros((2, 3, 4)));
    let mut marks = pl::ndarray::Array2::<i32>::zeros((2, 8));
    let call: pl::HostCall<'_> = all(x.view(), y.view_mut(), marks.view_mut(), 2, true);
    drop(call);
    let _: fn(pl::ndarray::ArrayView3<'static, f32>, &'static pl::Window<f32>) -> pl::HostCall<'static> = add_up;
    let call: pl::HostCall<'static> = nothing();
    drop(call);
    let text = all::ir().text()?;
    assert!(text.contains("call restage(part, part.1, data, device = r)"), "{text}");
    add_up::ir().text()?;
    echo::ir::<f32, 4>().text()?;
    echo::ir::<i64, 1>().text()?;
    Ok(())
}
