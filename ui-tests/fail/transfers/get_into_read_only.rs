use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    pld::tensor::get(x, peer = 1, src = data);
}

fn main() {}
