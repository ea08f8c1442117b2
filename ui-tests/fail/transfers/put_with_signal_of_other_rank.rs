use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    x: pl::Tensor<f32, { [4, 64] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::put_with_signal(data, 1, x, signal, [0], 1, pld::NotifyOp::Set);
}

fn main() {}
