use pl::distributed as pld;

#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Host, dynamic(NR, S))]
fn all(x: pl::Tensor<f32, { [NR, 1, S] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
    let data = pld::window::<f32>(pld::alloc_window_buffer([1, S]), [1, S]);
    pld::tensor::allreduce(data);
    for r in 0..pld::world_size() {
        step(x[r], y[r], device = r);
    }
}

fn main() {}
