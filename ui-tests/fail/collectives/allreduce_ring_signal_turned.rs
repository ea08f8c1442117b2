use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    ring: pl::InOut<pld::DistributedTensor<i32, { [4, 6] }>>,
) {
    data = pld::tensor::allreduce(data, ring, mode = "ring");
}

fn main() {}
