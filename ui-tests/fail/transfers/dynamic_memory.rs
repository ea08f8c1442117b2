use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(x: pl::Tensor<f32, { [NR, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [NR, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x, chunk_cols = 64);
}

fn main() {}
