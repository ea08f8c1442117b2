#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    for i in pl::range(0, n, 1, 1) {
        pl::write(y, [i], 1.0);
    }
}

fn main() {}
