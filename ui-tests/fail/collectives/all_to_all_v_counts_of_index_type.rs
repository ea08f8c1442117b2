use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, M, S))]
fn kernel(
    x: pl::Tensor<f32, { [NR * M, S] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR * M, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    counts: pl::Tensor<i64, { [NR, 1] }>,
    arrived: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::all_to_all_v(x, data, signal, counts, arrived);
}

fn main() {}
