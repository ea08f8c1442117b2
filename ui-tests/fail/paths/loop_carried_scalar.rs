#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut value = n;
    for i in 0..n {
        pl::write(y, [value], 1.0);
        value = pl::read(y, [i]);
    }
}

fn main() {}
