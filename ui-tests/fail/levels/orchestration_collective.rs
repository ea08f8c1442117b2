use pl::distributed as pld;

#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Orchestration, dynamic(NR, S))]
fn steps(
    x: pl::Tensor<f32, { [1, S] }>,
    y: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    step(x, y);
    pld::tensor::barrier(signal);
}

fn main() {}
