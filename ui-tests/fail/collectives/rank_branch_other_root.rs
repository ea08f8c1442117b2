use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    let even = me % 2 == 0;
    if even {
        data = pld::tensor::broadcast(data, signal, root = 0);
    } else {
        data = pld::tensor::broadcast(data, signal, root = 1);
    }
}

fn main() {}
