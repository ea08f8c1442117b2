use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    choice: i32,
) {
    pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(choice));
}

fn main() {}
