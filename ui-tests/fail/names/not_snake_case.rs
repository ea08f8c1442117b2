#![deny(nonstandard_style)]

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let firstValue = pl::read(y, [0]);
    pl::write(y, [1], firstValue);
}

fn main() {}
