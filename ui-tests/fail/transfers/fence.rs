use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    x: pl::Tensor<f32, { [4, 64] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::put(data, peer = 1, src = x);
    pld::system::fence();
    pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
}

fn main() {}
