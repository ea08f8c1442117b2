#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    match n {
        0 => pl::write(y, [0], 1.0),
        _ => pl::write(y, [1], 1.0),
    };
}

fn main() {}
