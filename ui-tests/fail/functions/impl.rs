struct Kernels;

#[pl::function(InCore)]
impl Kernels {
    fn kernel(y: pl::InOut<pl::Tensor<f32, { [8] }>>) {}
}

fn main() {}
