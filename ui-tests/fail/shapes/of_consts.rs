const ROW: usize = 8;
const HALF: usize = ROW / 2;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [1, ROW] }>>) {
    let left = pl::load(x, [0, 0], [1, ROW]);
    let right = pl::load(x, [0, 0], [1, HALF]);
    pl::store(left + right, [0, 0], x);
}

fn main() {}
