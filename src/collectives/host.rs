//! The kernels of collectives that the host calls: each is one collective. Where an op takes windows of any shape, the kernel sees them with one axis.

use crate as pl;
use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR))]
pub(crate) fn barrier(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    pld::tensor::barrier(signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
pub(crate) fn broadcast<T: pl::Element>(
    target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    root: usize,
) {
    pld::tensor::broadcast(target, signal, root = root);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
pub(crate) fn allgather<T: pl::Element>(
    input: pld::DistributedTensor<T, { [1, SIZE] }>,
    target: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allgather(input, target, signal);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
pub(crate) fn reduce_scatter<T: pl::Element>(
    target: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::reduce_scatter(target, signal, op = pld::ReduceOp::Sum);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
pub(crate) fn allreduce_mesh<T: pl::Element, const OP: i32>(
    target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allreduce(target, signal, op = pld::ReduceOp::from_int(OP), mode = "mesh");
}

#[pl::function(InCore, dynamic(NR, ROUNDS, SIZE))]
pub(crate) fn allreduce_ring<T: pl::Element, const OP: i32>(
    target: pl::InOut<pld::DistributedTensor<T, { [SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [ROUNDS, NR] }>>,
) {
    pld::tensor::allreduce(target, signal, op = pld::ReduceOp::from_int(OP), mode = "ring");
}

#[pl::function(InCore, dynamic(NR, SIZE))]
pub(crate) fn all_to_all<T: pl::Element>(
    input: pld::DistributedTensor<T, { [NR, SIZE] }>,
    target: pl::InOut<pld::DistributedTensor<T, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::all_to_all(input, target, signal);
}

#[pl::function(InCore, dynamic(NR, ROWS, SIZE))]
pub(crate) fn all_to_all_v<T: pl::Element>(
    input: pld::DistributedTensor<T, { [ROWS, SIZE] }>,
    target: pl::InOut<pld::DistributedTensor<T, { [ROWS, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    send_counts: pld::DistributedTensor<i32, { [NR, 1] }>,
    recv_counts: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::all_to_all_v(input, target, signal, send_counts, recv_counts);
}
