#[pl::function(InCore, dynamic(SIZE))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [SIZE] }>>) {
    let tile: pl::Tile<f32, { [LEN] }> = pl::load(x, [0], [SIZE]);
    pl::store(tile, [0], x);
}

fn main() {}
