use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>, y: pl::Out<pl::Tensor<f32, { [4, 64] }>>) {
    pld::tensor::get(y, peer = 1, src = data, chunk_cols = 32, pipeline = true);
}

fn main() {}
