use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [NR] }>>) -> pld::DistributedTensor<f32, { [NR] }> {
    y
}

fn main() {}
