#![deny(unused)]

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [1, 8] }>) {
    pl::load(x, [0, 0], [1, 8]);
}

fn main() {}
