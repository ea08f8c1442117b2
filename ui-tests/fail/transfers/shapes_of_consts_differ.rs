use pl::distributed as pld;

const ROWS: usize = 3;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [ROWS, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x);
}

fn main() {}
