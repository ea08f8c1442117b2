#[pl::function(InCore)]
fn kernel(flag: bool, n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut at = n;
    if flag {
        at = 2.5;
    }
    pl::write(y, [at], 1.0);
}

fn main() {}
