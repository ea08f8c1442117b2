#[pl::function(InCore)]
fn kernel(flag: bool, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let mut go = flag;
    while go {
        go = pl::read(y, [0]);
    }
}

fn main() {}
