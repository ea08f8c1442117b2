#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>) -> pl::Tile<f32, { [8] }> {
    pl::load(x, [0], [8])
}

fn main() {}
