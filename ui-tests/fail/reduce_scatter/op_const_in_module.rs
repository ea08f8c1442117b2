use pl::distributed as pld;

mod settings {
    pub const OP: pl::distributed::ReduceOp = pl::distributed::ReduceOp::from_int(2);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = settings::OP);
}

fn main() {}
