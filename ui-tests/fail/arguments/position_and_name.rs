use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::system::wait(signal, [0, 0], 1, cmp = pld::WaitCmp::Ge, signal = signal);
}

fn main() {}
