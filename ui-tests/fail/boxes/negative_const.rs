const FIRST: usize = 2;
const SECOND: usize = 3;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(x, [FIRST - SECOND], 1.0);
}

fn main() {}
