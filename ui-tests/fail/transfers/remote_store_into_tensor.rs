use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, y: pl::Out<pl::Tensor<f32, { [4, 64] }>>) {
    let tile = pl::load(x, [0, 0], [1, 64]);
    pld::tile::remote_store(tile, y, peer = 1, offsets = [0, 0]);
}

fn main() {}
