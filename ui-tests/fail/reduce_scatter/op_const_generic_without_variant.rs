// Seen by `cargo build`, where the kernel is used with a value.
use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel<const OP: i32>(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(OP));
}

fn main() {
    kernel::ir::<-1>();
}
