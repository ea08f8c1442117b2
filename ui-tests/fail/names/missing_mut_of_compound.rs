#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let at = 0;
    while at < n {
        pl::write(y, [at], 1.0);
        at += 1;
    }
}

fn main() {}
