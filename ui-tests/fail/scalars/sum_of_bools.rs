#[pl::function(InCore)]
fn kernel(a: bool, b: bool, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    if a + b {
        pl::write(y, [0], 1.0);
    }
}

fn main() {}
