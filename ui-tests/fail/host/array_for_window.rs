use pl::distributed as pld;
use pl::ndarray::Array1;

#[pl::function(InCore, dynamic(NR))]
fn kernel(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    pld::tensor::barrier(signal);
}

fn main() {
    let mut signal = Array1::<i32>::zeros(8);
    let _ = kernel(signal.view_mut());
}
