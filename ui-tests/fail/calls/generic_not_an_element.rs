#[pl::function(Inline)]
fn zero<T: pl::Element>(y: pl::Out<pl::Tensor<T, { [8] }>>) {
    pl::write(y, [0], T::ZERO);
}

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    zero::<u64>(y);
}

fn main() {}
