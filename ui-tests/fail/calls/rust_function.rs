fn next(n: usize) -> usize {
    n + 1
}

#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [next(n)], 1.0);
}

fn main() {}
