use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(op: pld::ReduceOp, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [0], 1.0);
}

fn main() {}
