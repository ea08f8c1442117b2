#[pl::function(InCore)]
fn kernel(n: pl::Out<usize>, y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::write(y, [n], 1.0);
}

fn main() {}
