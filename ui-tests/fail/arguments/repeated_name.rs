use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::system::wait(signal, offsets = [0, 0], expected = 1, expected = 2, cmp = pld::WaitCmp::Ge);
}

fn main() {}
