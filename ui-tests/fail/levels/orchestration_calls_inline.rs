#[pl::function(Inline, dynamic(S))]
fn halve(x: pl::InOut<pl::Tensor<f32, { [1, S] }>>) {
    pl::store(pl::load(x, [0, 0], [1, S]) * 0.5, [0, 0], x);
}

#[pl::function(Orchestration, dynamic(S))]
fn steps(y: pl::InOut<pl::Tensor<f32, { [1, S] }>>) {
    halve(y);
}

fn main() {}
