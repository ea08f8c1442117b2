#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(x, [0], [8]);
    let positive = tile > 0.0;
    pl::store(tile, [0], x);
}

fn main() {}
