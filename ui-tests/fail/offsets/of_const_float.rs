const HALF: f32 = 0.5;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(x, [HALF], 1.0);
}

fn main() {}
