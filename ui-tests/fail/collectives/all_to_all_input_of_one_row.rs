use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    x: pl::Tensor<f32, { [1, S] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::all_to_all(x, data, signal);
}

fn main() {}
