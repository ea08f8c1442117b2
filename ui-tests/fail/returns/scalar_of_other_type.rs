#[pl::function(Inline)]
fn first(x: pl::Tensor<f32, { [8] }>) -> usize {
    pl::read(x, [0])
}

fn main() {}
