// What rustc's type check finds is reported in one go.
const SCALE: f64 = 0.5;
const AT: i32 = 1;

#[pl::function(Inline)]
fn halved(t: pl::Tile<f32, { [8] }>) -> pl::Tile<f32, { [8] }> {
    t * 0.5
}

#[pl::function(InCore)]
fn kernel(n: usize, x: pl::Tensor<i32, { [8] }>, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = pl::load(y, [0], [8]);
    pl::store(tile * SCALE, [0], y);
    pl::write(y, [AT], 1.0);
    let half = halved(pl::load(x, [0], [8]));
    pl::store(half, [0], y);
    pl::store(halved(tile, n), [0], y);
}

fn main() {}
