use pl::distributed as pld;

const CHUNK: usize = 0;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x, chunk_rows = CHUNK, chunk_cols = 32, pipeline = true);
}

fn main() {}
