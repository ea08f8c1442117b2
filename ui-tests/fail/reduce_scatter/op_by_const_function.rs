use pl::distributed as pld;

const fn choose() -> pld::ReduceOp {
    pld::ReduceOp::Max
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = choose());
}

fn main() {}
