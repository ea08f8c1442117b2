#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::add(x, 1.0), [0], x);
}

fn main() {}
