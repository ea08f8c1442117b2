#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let all = 0..n;
    for i in all {
        pl::write(y, [i], 1.0);
    }
}

fn main() {}
