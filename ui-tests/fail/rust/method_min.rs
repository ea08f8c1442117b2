#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [n.min(7)], 1.0);
}

fn main() {}
