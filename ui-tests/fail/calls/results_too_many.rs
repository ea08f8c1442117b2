#[pl::function(Inline)]
fn ends(x: pl::Tensor<f32, { [8] }>) -> (f32, f32) {
    let first = pl::read(x, [0]);
    let last = pl::read(x, [7]);
    (first, last)
}

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [3] }>>) {
    let (a, b, c) = ends(x);
    pl::write(y, [0], a);
    pl::write(y, [1], b);
    pl::write(y, [2], c);
}

fn main() {}
