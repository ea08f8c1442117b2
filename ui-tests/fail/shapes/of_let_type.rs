#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [1, 8] }>>) {
    let tile: pl::Tile<f32, { [1, 4] }> = pl::load(x, [0, 0], [1, 8]);
    pl::store(tile, [0, 0], x);
}

fn main() {}
