#![deny(unused)]

#[pl::function(InCore)]
fn kernel(a: f32, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut value = a;
    pl::write(y, [0], value);
    value = 2.0;
}

fn main() {}
