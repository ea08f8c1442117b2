#[pl::function(InCore)]
fn kernel(a: f32, x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::add(a, 1.0), [0], x);
}

fn main() {}
