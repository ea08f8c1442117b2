// What rustc finds after the type check is reported in one go.
#![deny(unused)]

#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let unused = pl::load(y, [0], [8]);
    let mut tile = pl::load(y, [0], [8]);
    let sum = pl::load(y, [0], [1]);
    for i in 0..n {
        sum = sum + pl::load(y, [i], [1]);
    }
    pl::store(sum, [0], y);
    pl::store(tile, [0], y);
}

fn main() {}
