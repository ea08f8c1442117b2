use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    x: pl::Tensor<f32, { [1, 64] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, 32] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::allgather(x, data, signal);
}

fn main() {}
