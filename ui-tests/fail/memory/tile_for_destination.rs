#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(x, [0], [8]);
    pl::store(tile, [0], tile);
}

fn main() {}
