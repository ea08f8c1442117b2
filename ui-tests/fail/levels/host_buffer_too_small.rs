use pl::distributed as pld;

#[pl::function(InCore)]
fn put_in(x: pl::Tensor<f32, { [4, 8] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 8] }>>) {
    pl::store(pl::load(x, [0, 0], [4, 8]), [0, 0], data);
}

#[pl::function(Host, dynamic(NR))]
fn all(x: pl::Tensor<f32, { [NR, 4, 8] }>) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(64), [4, 8]);
    for r in 0..pld::world_size() {
        put_in(x[r], data, device = r);
    }
}

fn main() {}
