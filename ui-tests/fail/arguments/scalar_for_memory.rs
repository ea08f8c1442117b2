#[pl::function(InCore)]
fn kernel(n: usize, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::load(n, [0], [8]), [0], y);
}

fn main() {}
