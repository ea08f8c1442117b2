#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(z, [0], [8]);
    let twice = tile * 2.0;
    pl::store(pl::add(twice, tile), [0], y);
}

fn main() {}
