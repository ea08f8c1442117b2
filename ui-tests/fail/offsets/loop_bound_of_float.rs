#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>, n: f32) {
    for i in 0..n {
        pl::write(x, [i], 1.0);
    }
}

fn main() {}
