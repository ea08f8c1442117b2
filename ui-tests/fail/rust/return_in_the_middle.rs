#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    if n == 0 {
        return;
    }
    pl::write(y, [n], 1.0);
}

fn main() {}
