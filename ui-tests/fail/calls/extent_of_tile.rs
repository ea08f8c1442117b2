const ROW: usize = 8;
const HALF: usize = ROW / 2;

#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [1, ROW] }>) -> pl::Tile<f32, { [1, ROW] }> {
    t * 0.5
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [1, ROW] }>, y: pl::Out<pl::Tensor<f32, { [1, ROW] }>>) {
    pl::store(halved(pl::load(x, [0, 0], [1, HALF])), [0, 0], y);
}

fn main() {}
