#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Host, dynamic(NR, S))]
fn all(x: pl::Tensor<f32, { [NR, 1, S] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
    step(x[0], y[0], device = 0);
}

fn main() {}
