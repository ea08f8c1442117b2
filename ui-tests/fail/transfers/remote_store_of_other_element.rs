use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<i32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    let tile = pl::load(x, [0, 0], [1, 64]);
    pld::tile::remote_store(tile, data, peer = 1, offsets = [0, 0]);
}

fn main() {}
