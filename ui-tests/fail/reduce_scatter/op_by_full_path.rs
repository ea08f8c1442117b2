use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = pl::distributed::ReduceOp::Max);
}

fn main() {}
