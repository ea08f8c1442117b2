use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pld::DistributedTensor<i32, { [NR, SIZE] }> {
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Prod);
    data
}

fn main() {}
