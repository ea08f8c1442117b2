#[pl::function(InCore)]
fn kernel(flag: bool, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let value = if flag {
        1.0
    };
    pl::write(y, [0], value);
}

fn main() {}
