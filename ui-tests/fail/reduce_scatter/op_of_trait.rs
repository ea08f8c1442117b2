use pl::distributed as pld;

trait Settings {
    const OP: pld::ReduceOp;
}

impl Settings for f32 {
    const OP: pld::ReduceOp = pld::ReduceOp::Max;
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = f32::OP);
}

fn main() {}
