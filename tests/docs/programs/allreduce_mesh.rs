//! 08-allreduce-mesh.md.

use super::allreduce::ways::mesh::mesh_step;
use super::allreduce::{add_peers, cells, counting, reduce, stage, uneven};
use super::seeded;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "mesh_peers_only" => reduce(1, &counting(4, 64), cells, mesh_peers_only),
        "mesh_own_first" => reduce(1, &uneven(4, 64), cells, mesh_own_first),
        "mesh_no_barrier" => reduce(1, &counting(2, 64), cells, mesh_no_barrier),
        "mesh_in_place" => reduce(1, &counting(2, 64), cells, mesh_in_place),
        "mesh_launch_twice" => launch_twice(false),
        "mesh_launch_twice reset" => launch_twice(true),
        _ => return None,
    })
}

/// The own vector is not in the sum.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh_peers_only(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    stage(x, data);
    pld::tensor::barrier(signal);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::full::<f32>([1, SIZE], 0.0), data, 0);
    pl::store(acc, [0, 0], y);
}

/// Each rank begins with its own vector, and so adds in an order of its own.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh_own_first(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    stage(x, data);
    pld::tensor::barrier(signal);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [0, 0], [1, SIZE]), data, 0);
    pl::store(acc, [0, 0], y);
}

/// The peers' vectors are read before it is known that they are there.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh_no_barrier(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    _signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    stage(x, data);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [0, 0], [1, SIZE]), data, 0);
    pl::store(acc, [0, 0], y);
}

/// The sum goes where slower peers still read the vector.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn mesh_in_place(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    stage(x, data);
    pld::tensor::barrier(signal);
    let acc: pl::Tile<f32, { [1, SIZE] }> = add_peers(pl::load(data, [0, 0], [1, SIZE]), data, 0);
    data = pl::store(acc, [0, 0], data);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// Two launches on the same windows.
fn launch_twice(reset: bool) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let data = world.window::<f32>([1, 16])?;
    let signal = world.window::<i32>([3, 1])?;
    let x = counting(3, 16);
    for _ in 0..2 {
        let mut y = Array3::zeros(x.dim());
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| mesh_step(x, y, &data, &signal));
        world.launch_with(seeded(1), calls)?;
        if reset {
            world.reset(&signal)?;
        }
    }
    Ok("OK\n".into())
}
