use pl::distributed as pld;

#[pl::function(InCore)]
fn step(x: pl::Tensor<f32, { [1, 4] }>, y: pl::Out<pl::Tensor<f32, { [1, 4] }>>) {
    pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], y);
}

#[pl::function(Host, dynamic(NR))]
fn all(x: pl::Tensor<f32, { [NR, 1, 8] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, 8] }>>) {
    for r in 0..pld::world_size() {
        step(x[r], y[r], device = r);
    }
}

fn main() {}
