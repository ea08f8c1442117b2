#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let next = |i: usize| i + 1;
    pl::write(y, [next(n)], 1.0);
}

fn main() {}
