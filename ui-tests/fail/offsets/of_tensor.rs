#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>, at: pl::Tensor<i32, { [1] }>) {
    pl::write(x, [at], 1.0);
}

fn main() {}
