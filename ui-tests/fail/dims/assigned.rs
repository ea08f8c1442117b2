#[pl::function(InCore, dynamic(SIZE))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [SIZE] }>>) {
    SIZE = 8;
    pl::write(x, [0], 1.0);
}

fn main() {}
