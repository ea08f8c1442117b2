// What depends on generic arguments is reported by `cargo build`, in one go.
use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel<const N: usize, const OP: i32>(
    y: pl::InOut<pl::Tensor<f32, { [8] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, N] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pl::store(pl::full::<f32>([N], 0.0), [0], y);
    pl::write(y, [7 - N], 1.0);
    pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(OP));
}

fn main() {
    kernel::ir::<9, 1>();
}
