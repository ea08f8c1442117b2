use pl::distributed as pld;

#[pl::function(Inline, dynamic(N))]
fn clear(y: pl::Out<pl::Tensor<i32, { [N, 1] }>>) {
    pl::store(pl::full::<i32>([N, 1], 0), [0, 0], y);
}

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    clear(signal);
}

fn main() {}
