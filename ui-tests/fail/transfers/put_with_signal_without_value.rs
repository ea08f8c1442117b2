use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    x: pl::Tensor<f32, { [4, 64] }>,
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::put_with_signal(
        data,
        peer = 1,
        src = x,
        signal = signal,
        signal_offsets = [0, 0],
        op = pld::NotifyOp::Set,
    );
}

fn main() {}
