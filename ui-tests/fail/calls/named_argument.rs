#[pl::function(Inline)]
fn scaled(t: pl::Tile<f32, { [8] }>, by: f32) -> pl::Tile<f32, { [8] }> {
    t * by
}

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = scaled(pl::load(y, [0], [8]), by = 2.0);
    pl::store(tile, [0], y);
}

fn main() {}
