#[pl::function(InCore)]
fn kernel(a: pl::Tensor<f32, { [8] }>, b: pl::Tensor<i32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    let left = pl::load(a, [0], [8]);
    let right = pl::load(b, [0], [8]);
    pl::store(pl::add(left, right), [0], y);
}

fn main() {}
