#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>, z: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::load(x, [0], [8]), [0], y);
}

fn main() {}
