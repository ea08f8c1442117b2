#[pl::function(InCore, dynamic(SIZE))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [1, SIZE] }>>) {
    pl::write(x, [0, SIZE], 1.0);
}

fn main() {}
