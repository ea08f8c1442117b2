use pl::half::{bf16, f16};

#[pl::function(InCore)]
fn kernel(a: pl::Tensor<f16, { [8] }>, b: pl::Tensor<bf16, { [8] }>, y: pl::Out<pl::Tensor<f16, { [8] }>>) {
    let left = pl::load(a, [0], [8]);
    let right = pl::load(b, [0], [8]);
    pl::store(left * right, [0], y);
}

fn main() {}
