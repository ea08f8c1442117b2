#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    assert!(n < 8);
    pl::write(y, [n], 1.0);
}

fn main() {}
