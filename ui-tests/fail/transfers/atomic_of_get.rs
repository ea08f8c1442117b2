use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(data: pl::InOut<pld::DistributedTensor<f32, { [4, 64] }>>, y: pl::Out<pl::Tensor<f32, { [4, 64] }>>) {
    pld::tensor::get(y, peer = 1, src = data, atomic = pld::AtomicType::Add);
}

fn main() {}
