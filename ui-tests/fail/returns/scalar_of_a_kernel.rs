#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>) -> f32 {
    pl::read(x, [0])
}

fn main() {}
