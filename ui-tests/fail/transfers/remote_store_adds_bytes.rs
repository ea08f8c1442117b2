use pl::distributed as pld;

#[pl::function(InCore)]
fn kernel(data: pl::InOut<pld::DistributedTensor<u8, { [4, 64] }>>) {
    let ones = pl::full::<u8>([1, 64], 1);
    pld::tile::remote_store(ones, data, peer = 1, offsets = [0, 0], atomic = pld::AtomicType::Add);
}

fn main() {}
