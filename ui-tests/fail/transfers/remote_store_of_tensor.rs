use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    pld::tile::remote_store(x, data, peer = 1, offsets = [0, 0]);
}

fn main() {}
