use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel<const HOW: i32>(x: pl::Tensor<u8, { [4, 64] }>, data: pl::InOut<pld::DistributedTensor<u8, { [4, 64] }>>) {
    pld::tensor::put(data, peer = 1, src = x, atomic = pld::AtomicType::from_int(HOW));
}

fn main() {
    kernel::ir::<0>();
    kernel::ir::<1>();
}
