#[pl::function(Inline)]
fn first(x: pl::Tensor<f32, { [8] }>) -> f32 {
    pl::read(x, [0])
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    let (a, b) = first(x);
    pl::write(y, [0], a);
    pl::write(y, [1], b);
}

fn main() {}
