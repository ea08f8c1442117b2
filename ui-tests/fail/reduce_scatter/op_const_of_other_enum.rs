use pl::distributed as pld;

const ADD: pld::AtomicType = pld::AtomicType::Add;

#[pl::function(InCore, dynamic(NR, SIZE))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = ADD);
}

fn main() {}
