// Orchestration functions: calls of kernels in sequence, with scalars, loops and branches around them.
#![deny(warnings)]

use pl::distributed as pld;

const ROUNDS: usize = 3;

#[pl::function(InCore, dynamic(NR, S))]
fn step(
    x: pl::Tensor<f32, { [1, S] }>,
    y: pl::InOut<pl::Tensor<f32, { [1, S] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, S] }> {
    let staged = pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], data);
    let summed = pld::tensor::allreduce(staged, signal);
    pl::store(pl::load(summed, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(InCore, dynamic(S))]
fn scale<T: pl::Element, const K: i32>(bias: T, y: pl::InOut<pl::Tensor<T, { [1, S] }>>) -> pl::Tensor<T, { [1, S] }> {
    pl::store(pl::load(y, [0, 0], [1, S]) * (K as T) + bias, [0, 0], y)
}

#[pl::function(InCore, dynamic(S))]
fn split(
    x: pl::Tensor<f32, { [1, S] }>,
    a: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    b: pl::Out<pl::Tensor<f32, { [1, S] }>>,
) -> (pl::Tensor<f32, { [1, S] }>, pl::Tensor<f32, { [1, S] }>) {
    let tile = pl::load(x, [0, 0], [1, S]);
    (pl::store(tile, [0, 0], a), pl::store(-tile, [0, 0], b))
}

/// Some steps.
#[pl::function(Orchestration, dynamic(NR, S))]
fn steps(
    n: usize,
    counts: pl::Tensor<i32, { [NR, 1] }>,
    x: pl::Tensor<f32, { [1, S] }>,
    mut y: pl::InOut<pl::Tensor<f32, { [1, S] }>>,
    mut z: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, S] }> {
    let ctx = pld::get_comm_ctx(data);
    let last = pld::nranks(ctx) - 1;
    for i in 0..pl::min(n, ROUNDS) {
        y = step(x, y, data, signal);
        if i % 2 == 0 && pl::read(counts, [last, 0]) > 3 {
            y = scale::<f32, 2>(0.5, y);
        } else {
            scale::<f32, 3>(i as f32, y);
        }
    }
    let mut left = n;
    while left > 0 {
        (y, z) = split(x, y, z);
        left -= 1;
    }
    let scaled = scale::<f32, 1>(pld::rank(ctx) as f32, z);
    step(x, scaled, data, signal);
    y
}

fn main() -> Result<(), pl::BindError> {
    let text = steps::ir().text()?;
    assert!(text.contains("pld::tensor::allreduce(staged, signal, op = Sum, mode = Mesh)"), "{text}");
    Ok(())
}
