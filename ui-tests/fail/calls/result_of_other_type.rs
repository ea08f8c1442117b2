#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [8] }>) -> pl::Tile<f32, { [8] }> {
    t * 0.5
}

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile: pl::Tile<i32, { [8] }> = halved(pl::load(y, [0], [8]));
    pl::store(pl::cast::<f32>(tile), [0], y);
}

fn main() {}
