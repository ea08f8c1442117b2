use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, peer: i32) {
    pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
}

fn main() {}
