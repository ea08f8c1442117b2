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

const RING: &str = "ring";

mod modes {
    pub const MESH: &str = "mesh";
}

#[pl::function(InCore, dynamic(NR, S))]
fn reductions(
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, 3, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    rounds: pl::InOut<pld::DistributedTensor<i32, { [2 * (NR - 1), NR] }>>,
) -> pld::DistributedTensor<f32, { [NR, 3, S] }> {
    data = pld::tensor::allreduce(data, signal);
    data = pld::tensor::allreduce(data, signal, pld::ReduceOp::Max, "mesh");
    data = pld::tensor::allreduce(data, rounds, mode = "ring");
    data = pld::tensor::allreduce(data, rounds, mode = RING, op = Fold::Min);
    data = pld::tensor::allreduce(data, signal, mode = modes::MESH, op = OP);
    pld::tensor::allreduce(data, signal, op = pld::ReduceOp::from_int(3))
}

#[pl::function(InCore, dynamic(NR, M, S))]
fn moves<T: pl::Element>(
    root: usize,
    x: pl::Tensor<T, { [1, S] }>,
    rows: pl::Tensor<T, { [NR, S] }>,
    blocks: pl::Tensor<T, { [NR * M, S] }>,
    staged: pld::DistributedTensor<T, { [1, S] }>,
    counts: pl::Tensor<i32, { [NR, 1] }>,
    mut data: pl::InOut<pld::DistributedTensor<T, { [NR, S] }>>,
    mut many: pl::InOut<pld::DistributedTensor<T, { [NR * M, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    arrived: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::broadcast(data, signal, root);
    data = pld::tensor::broadcast(data, signal, root = NR - 1);
    data = pld::tensor::allgather(x, data, signal);
    data = pld::tensor::allgather(input = staged, target = data, signal = signal);
    data = pld::tensor::all_to_all(rows, data, signal);
    many = pld::tensor::all_to_all_v(blocks, many, signal, counts, arrived);
    many = pld::tensor::all_to_all_v(blocks, many, signal, send_counts = counts, recv_counts = arrived);
    let me = pld::rank(pld::get_comm_ctx(data));
    if me == 0 {
        data = pld::tensor::broadcast(data, signal, root = 0);
    } else {
        data = pld::tensor::broadcast(data, signal, root = 0);
    }
}

fn main() -> Result<(), pl::BindError> {
    sums::ir().text()?;
    barriers::ir().text()?;
    generic::ir::<f32, 0>().text()?;
    generic::ir::<pl::half::bf16, 0>().text()?;
    generic::ir::<u32, 0>().text()?;
    reductions::ir().text()?;
    moves::ir::<f32>().text()?;
    moves::ir::<u8>().text()?;
    Ok(())
}
