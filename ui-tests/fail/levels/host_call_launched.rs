use pl::distributed as pld;
use pl::ndarray::Array3;

#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Host, dynamic(NR, S))]
fn all(x: pl::Tensor<f32, { [NR, 1, S] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
    for r in 0..pld::world_size() {
        step(x[r], y[r], device = r);
    }
}

fn main() -> Result<(), pl::Error> {
    let world = pl::World::open("sim", &[0, 1])?;
    let (x, mut y) = (Array3::zeros((2, 1, 8)), Array3::zeros((2, 1, 8)));
    world.launch([all(x.view(), y.view_mut())])?;
    Ok(())
}
