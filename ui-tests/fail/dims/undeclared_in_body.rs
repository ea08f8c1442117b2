#[pl::function(InCore, dynamic(SIZE))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [SIZE] }>>) {
    pl::store(pl::load(x, [0], [SIZES]), [0], x);
}

fn main() {}
