#[pl::function(InCore)]
fn kernel(a: usize, b: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    if a && b > 0 {
        pl::write(y, [0], 1.0);
    }
}

fn main() {}
