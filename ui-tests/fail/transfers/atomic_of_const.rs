use pl::distributed as pld;

const HOW: pld::AtomicType = pld::AtomicType::Add;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<u8, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<u8, { [4, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x, atomic = HOW);
}

fn main() {}
