#[pl::function(InCore)]
fn kernel(a: pl::Tensor<f32, { [8] }>, b: pl::Tensor<i32, { [8] }>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    let mut sum = pl::load(a, [0], [8]);
    sum += pl::load(b, [0], [8]);
    pl::store(sum, [0], y);
}

fn main() {}
