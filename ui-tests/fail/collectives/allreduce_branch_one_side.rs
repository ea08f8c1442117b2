use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    if me == 0 {
        data = pld::tensor::allreduce(data, signal);
    }
}

fn main() {}
