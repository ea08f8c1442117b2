#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Orchestration, dynamic(S))]
fn steps(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> usize {
    step(x, y);
    1
}

fn main() {}
