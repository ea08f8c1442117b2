#[pl::function(InCore)]
fn kernel(flag: bool, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    if flag = true {
        pl::write(y, [0], 1.0);
    }
}

fn main() {}
