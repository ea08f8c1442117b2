#[pl::function(InCore)]
fn kernel(flag: bool, x: pl::Tensor<i32, { [8] }>, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let tile = if flag { pl::load(y, [0], [8]) } else { pl::load(x, [0], [8]) };
    pl::store(tile, [0], y);
}

fn main() {}
