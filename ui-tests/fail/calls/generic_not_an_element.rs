#[pl::function(Inline)]
fn ones<T: pl::Element>(y: pl::Out<pl::Tensor<f32, { [8] }>>) {
    pl::store(pl::cast::<f32>(pl::full::<T>([8], T::ONE)), [0], y);
}

#[pl::function(InCore)]
fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
    ones::<u64>(y);
}

fn main() {}
