// From source to a checked result.
#![deny(warnings)]

use pl::distributed as pld;
use pl::ndarray::{Array2, Array3};

#[pl::function(InCore, dynamic(NR, SIZE))]
fn step(
    x: pl::Tensor<f32, { [1, NR * SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    for c in 0..pld::nranks(ctx) {
        data = pl::store(pl::load(x, [0, c * SIZE], [1, SIZE]), [c, 0], data);
    }
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    pl::store(pl::load(data, [pld::rank(ctx), 0], [1, SIZE]), [0, 0], y)
}

fn main() -> Result<(), pl::Error> {
    let world = pl::World::open("sim", &[0, 1, 2])?;
    let p = world.size();
    let data = world.window::<f32>([p, 4])?;
    let signal = world.window::<i32>([p, 1])?;
    let x = Array3::from_shape_fn((p, 1, 4 * p), |(r, _, i)| (100 * r + i) as f32);
    let mut y = Array3::<f32>::zeros((p, 1, 4));
    world.launch(x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal)))?;
    for (r, y) in y.outer_iter().enumerate() {
        let expected = Array2::from_shape_fn((1, 4), |(_, i)| (300 + 3 * (4 * r + i)) as f32);
        assert_eq!(y, expected);
    }
    Ok(())
}
