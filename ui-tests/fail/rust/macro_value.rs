#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [line!() as usize], 1.0);
}

fn main() {}
