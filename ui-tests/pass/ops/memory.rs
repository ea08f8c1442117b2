// Loads, stores, elements, filled tiles; the destination may be rebound, returned, or left.
#![deny(warnings)]

use pl::distributed as pld;

#[pl::function(InCore, dynamic(N, S))]
fn tensors(
    x: pl::Tensor<f32, { [N, S] }>,
    mut y: pl::Out<pl::Tensor<f32, { [N, S] }>>,
    z: pl::InOut<pl::Tensor<f32, { [N, S] }>>,
) -> pl::Tensor<f32, { [N, S] }> {
    y = pl::store(pl::full::<f32>([N, S], 0.0), [0, 0], y);
    let row = pl::load(x, [0, 0], [1, S]);
    y = pl::store(row, [0, 0], y);
    let first = pl::read(x, [0, 0]);
    y = pl::write(y, [0, 1], first);
    pl::write(z, [0, 0], first + 1.0);
    pl::store(pl::load(z, [0, 0], [N, S]), [0, 0], z);
    // What was stored may be loaded again.
    pl::store(pl::load(y, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(InCore, dynamic(NR, S))]
fn windows(x: pl::Tensor<f32, { [1, S] }>, mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x, [0, 0], [1, S]), [me, 0], data);
    data = pl::write(data, [me, 0], pl::read(data, [me, 0]) * 2.0);
    pl::store(pl::load(data, [me, 0], [1, S]), [me, 0], data);
}

fn main() -> Result<(), pl::BindError> {
    tensors::ir().text()?;
    windows::ir().text()?;
    Ok(())
}
