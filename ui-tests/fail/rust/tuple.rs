#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let pair = (n, 1);
    pl::write(y, [0], 1.0);
}

fn main() {}
