//! Step 12: what goes wrong in a broadcast.

use super::{seeded, until};
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Call, Error, Window, World};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/12_broadcast.rs"]
mod example;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "wrong_rank_stages" => launch(3, 1, wrong_rank_stages),
        "roots_differ" => launch(3, 1, roots_differ),
        "no_such_root" => launch(3, 1, no_such_root),
        "fetches_its_own" => launch(3, 1, fetches_its_own),
        "no_done_barrier" => until("race on", |seed| launch(3, seed, no_done_barrier)),
        "broadcast_twice" => launch(3, 1, broadcast_twice),
        _ => return None,
    })
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
    usize,
) -> Call<'a>;

/// One launch whose root is the last rank, checked as the example checks it.
fn launch(p: usize, seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let (size, root) = (64, p - 1);
    let (data, signal) = (world.window::<f32>([1, size])?, world.window::<i32>([p, 1])?);
    let x = Array3::from_shape_fn((p, 1, size), |(r, _, i)| (100 * r + i) as f32);
    let mut y = Array3::zeros((p, 1, size));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal, root));
    world.launch_with(seeded(seed), calls)?;
    Ok(super::checked(example::golden(&x, root).unwrap().check(y.view())))
}

/// Rank 0 stages, whoever the root is.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn wrong_rank_stages(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    if pld::rank(pld::get_comm_ctx(data)) == 0 {
        data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    }
    data = pld::tensor::broadcast(data, signal, root = root);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// Every rank takes itself for the root.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn roots_differ(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    _root: usize,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::broadcast(data, signal, root = my_rank);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// The root is counted from 1.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn no_such_root(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::broadcast(data, signal, root = root + 1);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// Every rank stages its own row and fetches it from itself.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn fetches_its_own(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    _root: usize,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    pld::tensor::get(y, peer = my_rank, src = data, chunk_cols = 4096)
}

/// Two broadcasts in a row, by hand and without the second barrier.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn no_done_barrier(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    for _round in 0..2 {
        if my_rank == root {
            data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
        }
        pld::tensor::barrier(signal);
        y = pld::tensor::get(y, peer = root, src = data, chunk_cols = 4096);
    }
}

/// Two builtins in a row.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn broadcast_twice(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    let my_rank = pld::rank(pld::get_comm_ctx(data));
    for _round in 0..2 {
        if my_rank == root {
            data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
        }
        data = pld::tensor::broadcast(data, signal, root = root);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}
