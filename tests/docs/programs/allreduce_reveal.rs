//! 11-allreduce-reveal.md.

use super::allreduce::{Step, counting, reduce, rows};
use super::seeded;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};
use pld::ReduceOp;
use reveal::{builtin_mesh, hand_mesh};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/11_allreduce_reveal.rs"]
pub mod reveal;

const SUM: i32 = ReduceOp::Sum.value();
const MAX: i32 = ReduceOp::Max.value();

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "reveal_twice hand" => twice(hand_mesh::<SUM>),
        "reveal_twice builtin" => twice(builtin_mesh::<SUM>),
        "reveal_loop" => reduce(1, &counting(4, 64), rows, in_a_loop),
        "reveal_not_staged" => reduce(1, &counting(2, 64), rows, not_staged),
        "reveal_ring_signal" => reduce(1, &counting(4, 64), rows, builtin_mesh::<SUM>),
        "reveal_other_op" => two_reductions(),
        _ => return None,
    })
}

/// Two launches on the same windows.
fn twice(step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (data, signal) = (world.window::<f32>([1, 16])?, world.window::<i32>([3, 1])?);
    let x = counting(3, 16);
    for _ in 0..2 {
        let mut y = Array3::zeros(x.dim());
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
        world.launch_with(seeded(1), calls)?;
    }
    Ok("OK\n".into())
}

/// One launch in which rank 0 takes the sum and rank 1 the maximum.
fn two_reductions() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1])?;
    let (data, signal) = (world.window::<f32>([1, 64])?, world.window::<i32>([2, 1])?);
    let x = counting(2, 64);
    let mut y = Array3::zeros(x.dim());
    let steps: [Step; 2] = [builtin_mesh::<SUM>, builtin_mesh::<MAX>];
    let calls = x.outer_iter().zip(y.outer_iter_mut()).zip(steps).map(|((x, y), step)| step(x, y, &data, &signal));
    world.launch_with(seeded(1), calls)?;
    Ok("OK\n".into())
}

/// Ten times in the same windows, with nothing between.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn in_a_loop(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    for _round in 0..10 {
        data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
        data = pld::tensor::allreduce(data, signal, mode = "ring");
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// The vector never gets into the window.
#[pl::function(InCore, dynamic(ROUNDS, NR, SIZE))]
fn not_staged(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    let _mine = pl::load(x, [0, 0], [1, SIZE]);
    data = pld::tensor::allreduce(data, signal, mode = "ring");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}
