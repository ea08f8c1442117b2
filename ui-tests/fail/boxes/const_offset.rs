const AT: usize = 6;

#[pl::function(InCore)]
fn kernel(x: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::load(x, [AT], [4]), [0], x);
}

fn main() {}
