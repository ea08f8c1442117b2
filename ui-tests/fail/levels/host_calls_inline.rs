use pl::distributed as pld;

#[pl::function(Inline, dynamic(S))]
fn halve(x: pl::InOut<pl::Tensor<f32, { [1, S] }>>) {
    pl::store(pl::load(x, [0, 0], [1, S]) * 0.5, [0, 0], x);
}

#[pl::function(Host, dynamic(NR, S))]
fn all(x: pl::InOut<pl::Tensor<f32, { [NR, 1, S] }>>) {
    for r in 0..pld::world_size() {
        halve(x[r], device = r);
    }
}

fn main() {}
