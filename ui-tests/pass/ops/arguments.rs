// Named arguments in any order after the positional ones; ops as arguments of ops.
#![deny(warnings)]

use pl::distributed as pld;

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    x: pl::Tensor<f32, { [NR, S] }>,
    y: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let a = pl::load(x, shape = [1, S], offsets = [0, 0]);
    let b = pl::load(shape = [1, S], offsets = [pld::rank(pld::get_comm_ctx(signal)), 0], src = x);
    pl::store(tile = pl::add(lhs = a, rhs = b), offsets = [0, 0], dst = y);
    pl::store(pl::full::<f32>(value = 1.5, shape = [1, S]), [0, 0], dst = y);
    pl::store(pl::cast::<f32>(tile = pl::cast::<i32>(a)), [0, 0], y);
    pld::system::wait(
        cmp = pld::WaitCmp::Ge,
        expected = 0,
        offsets = [
            pld::rank(ctx = pld::get_comm_ctx(window = signal)), //
            0,
        ],
        signal = signal,
    );
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
