use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
}

fn main() {}
