use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::allreduce(data, signal, op = "sum");
}

fn main() {}
