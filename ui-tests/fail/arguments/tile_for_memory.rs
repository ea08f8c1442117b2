#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(x, [0], [8]);
    pl::store(pl::load(tile, [0], [4]), [0], x);
}

fn main() {}
