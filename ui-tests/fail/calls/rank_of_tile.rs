#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [1, 8] }>) -> pl::Tile<f32, { [1, 8] }> {
    t * 0.5
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [1, 8] }>>) {
    pl::store(halved(pl::load(x, [0], [8])), [0, 0], y);
}

fn main() {}
