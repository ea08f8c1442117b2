use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    ring: pl::InOut<pld::DistributedTensor<i32, { [6, 4] }>>,
) {
    data = pld::tensor::allreduce(data, ring);
}

fn main() {}
