#[pl::function(InCore)]
fn kernel(flag: bool, x: pl::Tensor<f32, { [1, 8] }>, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = if flag { pl::load(y, [0], [8]) } else { pl::load(x, [0, 0], [1, 8]) };
    pl::store(tile, [0], y);
}

fn main() {}
