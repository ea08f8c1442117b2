#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let at = match n {
        0 => 1,
        _ => 0,
    };
    pl::write(y, [at], 1.0);
}

fn main() {}
