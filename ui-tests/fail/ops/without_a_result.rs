use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let met = pld::tensor::barrier(signal);
}

fn main() {}
