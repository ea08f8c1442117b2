#[pl::function(InCore, dynamic(ROWS, COLS))]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [ROWS * COLS] }>>) {
    pl::store(pl::load(x, [0], [COLS]), [ROWS], x);
}

fn main() {}
