use pl::distributed as pld;

#[pl::function(InCore, dynamic(S))]
fn step(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) -> pl::Tensor<f32, { [1, S] }> {
    pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], y)
}

#[pl::function(Orchestration, dynamic(S))]
fn steps(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(4 * S), [1, S]);
    step(x, y);
}

fn main() {}
