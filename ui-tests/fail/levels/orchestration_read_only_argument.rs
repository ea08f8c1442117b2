#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Orchestration, dynamic(S))]
fn steps(x: pl::Tensor<f32, { [1, S] }>, z: pl::Tensor<f32, { [1, S] }>) {
    step(x, z);
}

fn main() {}
