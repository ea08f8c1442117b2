use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(
    data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::system::enter(signal, data);
}

fn main() {}
