use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    let tile = pl::load(x, [0, 0], [2, 64]);
    pld::tile::remote_store(tile, data, peer = 1, offsets = [3, 0]);
}

fn main() {}
