#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut at = n;
    at >>= 1;
    pl::write(y, [at], 1.0);
}

fn main() {}
