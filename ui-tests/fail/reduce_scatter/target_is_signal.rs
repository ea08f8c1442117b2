use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::reduce_scatter(signal, signal, op = pld::ReduceOp::Sum);
}

fn main() {}
