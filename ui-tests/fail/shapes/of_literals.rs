#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8, 8] }>>) {
    let left = pl::load(x, [0, 0], [1, 8]);
    let right = pl::load(x, [1, 0], [1, 4]);
    pl::store(pl::add(left, right), [0, 0], x);
}

fn main() {}
