#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    for i in pl::range(0, 8, 0) {
        pl::write(x, [i], 1.0);
    }
}

fn main() {}
