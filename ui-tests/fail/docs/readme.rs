// The kernel of README.md, with three mistakes.
use pl::distributed as pld;

#[pl::function(InCore, dynamic(SIZE))]
fn add_left(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let right = (my_rank + 1) % nranks;
    let left = (my_rank + nranks - 1) % nranks;

    let mine = pl::load(x, [0, 0], [1, SIZE]);
    data = pl::store(mine, [0, 0], data);
    pld::system::notify(signal, rank = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);

    pld::system::wait(signal, offsets = [0], expected = 1, cmp = pld::WaitCmp::Ge);
    let theirs = pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, SIZE - 1]);
    pl::store(mine + theirs, [0, 0], y);
}

fn main() {}
