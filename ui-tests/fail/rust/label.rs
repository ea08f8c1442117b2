#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    'outer: for i in 0..n {
        pl::write(y, [i], 1.0);
    }
}

fn main() {}
