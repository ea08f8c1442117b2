use pl::distributed as dist;
use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    dist::tensor::barrier(signal);
}

fn main() {}
