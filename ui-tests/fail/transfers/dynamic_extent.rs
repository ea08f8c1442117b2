use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(x: pl::Tensor<f32, { [1, S] }>, data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>) {
    pld::tensor::put(data, 1, x, [0, 0], [0, 0], [1, S]);
}

fn main() {}
