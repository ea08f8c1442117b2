#[pl::function(InCore)]
fn kernel(a: i32, y: pl::InOut<pl::Tensor<i32, { [8] }>>) {
    pl::write(y, [0], !a);
}

fn main() {}
