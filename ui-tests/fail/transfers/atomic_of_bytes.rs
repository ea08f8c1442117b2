use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(x: pl::Tensor<u8, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<u8, { [4, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x, atomic = pld::AtomicType::Add);
}

fn main() {}
