// The composites: defaults, every way to write Sum, every element type.
#![deny(warnings)]

use pl::distributed as pld;
use pl::distributed::ReduceOp as Fold;
use pl::distributed::ReduceOp::Sum as Total;

const OP: pld::ReduceOp = pld::ReduceOp::Sum;

#[pl::function(InCore, dynamic(NR, S))]
fn sums(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) -> pld::DistributedTensor<f32, { [NR, S] }> {
    data = pld::tensor::reduce_scatter(data, signal);
    data = pld::tensor::reduce_scatter(data, signal, pld::ReduceOp::Sum);
    data = pld::tensor::reduce_scatter(data, signal, op = Fold::Sum);
    data = pld::tensor::reduce_scatter(data, signal, op = Total);
    data = pld::tensor::reduce_scatter(data, signal, op = OP);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(0));
    pld::tensor::reduce_scatter(target = data, signal = signal, op = pld::ReduceOp::Sum)
}

#[pl::function(InCore, dynamic(NR, S))]
fn generic<T: pl::Element, const SUM: i32>(
    data: pl::InOut<pld::DistributedTensor<T, { [NR, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::from_int(SUM));
}

#[pl::function(InCore, dynamic(NR))]
fn barriers(
    column: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    flat: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
) {
    pld::tensor::barrier(column);
    pld::tensor::barrier(signal = flat);
    for _ in 0..3 {
        pld::tensor::barrier(column);
    }
}

fn main() -> Result<(), pl::BindError> {
    sums::ir().text()?;
    barriers::ir().text()?;
    generic::ir::<f32, 0>().text()?;
    generic::ir::<pl::half::bf16, 0>().text()?;
    generic::ir::<u32, 0>().text()?;
    Ok(())
}
