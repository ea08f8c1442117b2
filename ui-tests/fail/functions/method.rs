struct Kernels;

impl Kernels {
    #[pl::function(InCore)]
    fn kernel(&self, y: pl::InOut<pl::Tensor<f32, { [8] }>>) {
        pl::write(y, [0], 1.0);
    }
}

fn main() {}
