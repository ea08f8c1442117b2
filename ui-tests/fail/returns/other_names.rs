#[pl::function(InCore, dynamic(A, B))]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [A, B] }>>) -> pl::Tensor<f32, { [B, A] }> {
    y
}

fn main() {}
