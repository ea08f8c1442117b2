#[pl::function(InCore)]
fn kernel<T: pl::Element>(x: pl::InOut<pl::Tensor<T, { [8] }>>, by: f32) {
    pl::store(pl::load(x, [0], [8]) * by, [0], x);
}

fn main() {}
