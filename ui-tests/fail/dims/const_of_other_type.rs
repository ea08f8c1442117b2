const SIZE: i32 = 8;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [SIZE] }>>) {
    pl::write(x, [0], 1.0);
}

fn main() {}
