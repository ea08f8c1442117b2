use pl::distributed as pld;

const WIDTH: usize = 8;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<f32, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>) {
    pld::tensor::put(data, 1, x, [0, 0], [0, 60], [1, WIDTH]);
}

fn main() {}
