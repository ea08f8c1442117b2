#[pl::function(InCore)]
fn kernel(n: usize, x: pl::Tensor<f32, { [8] }>, y: pl::InOut<pl::Tensor<i32, { [8] }>>) {
    let mut tile = pl::load(y, [0], [8]);
    for _ in 0..n {
        tile = pl::load(x, [0], [8]);
    }
    pl::store(tile, [0], y);
}

fn main() {}
