// What the macro finds is reported in one go.
use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, SIZE, UNUSED))]
fn kernel(
    x: pl::Tensor<f32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    counts: pl::Tensor<i32, { [NR] }>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<f32, { [NR, 1] }>>,
) -> pl::Tensor<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(x);
    let me = pld::rank(pld::get_comm_ctx(data));
    let row = pl::laod(x, [me, 0], [1, SIZE]);
    let column = pl::load(x, [0, me], [NR, 1]);
    data = pl::store(column, [0], data);
    pl::store(pl::load(x, [me, 0], [1, SIZE]), [0, 0], x);
    for src in 0..undefined {
        if src {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Gt);
        }
    }
    match me {
        _ => {}
    }
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Max);
    let sum = pl::load(data, [me, 0], [1, SIZE]) + pl::load(x, [me, 0], [1, NR]);
    pl::store(sum * pl::read(counts, [me]), [0, 0], y)
}

fn main() {}
