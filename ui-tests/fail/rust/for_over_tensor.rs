#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    for value in x {
        pl::write(y, [0], value);
    }
}

fn main() {}
