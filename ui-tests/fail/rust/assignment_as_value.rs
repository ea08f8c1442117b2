#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut at = 0;
    let nothing = (at = 2);
    pl::write(y, [at], 1.0);
}

fn main() {}
