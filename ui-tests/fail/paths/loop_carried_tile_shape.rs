#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut sum = pl::load(y, [0], [4]);
    for i in 0..n {
        sum = pl::load(y, [0], [8]);
        sum = sum + pl::load(y, [i], [4]);
    }
    pl::store(sum, [0], y);
}

fn main() {}
