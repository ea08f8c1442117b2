struct Point {
    x: usize,
}

#[pl::function(InCore)]
fn kernel(n: usize, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    let point = Point { x: n };
    pl::write(y, [point.x], 1.0);
}

fn main() {}
