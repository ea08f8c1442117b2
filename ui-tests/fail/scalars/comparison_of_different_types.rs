#[pl::function(InCore)]
fn kernel(n: usize, i: i32, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    if n == i {
        pl::write(y, [n], 1.0);
    }
}

fn main() {}
