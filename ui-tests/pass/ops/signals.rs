// Every enum value, written as a path, an imported variant, a renamed enum, a constant.
#![deny(warnings)]

use pl::distributed as pld;
use pl::distributed::NotifyOp as Deposit;
use pl::distributed::WaitCmp::Eq;

const HOW: pld::WaitCmp = pld::WaitCmp::Ge;

struct Settings;

impl Settings {
    const OP: pld::NotifyOp = pld::NotifyOp::from_int(1);
}

#[pl::function(InCore, dynamic(NR, S))]
fn kernel(
    data: pld::DistributedTensor<f32, { [NR, S] }>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    y: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    value: i32,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let next = (me + 1) % pld::nranks(ctx);
    pld::system::notify(signal, peer = next, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::notify(signal, next, [me, 0], value, pld::NotifyOp::Set);
    pld::system::notify(signal, next, [me, 0], -1, op = Deposit::AtomicAdd);
    pld::system::notify(signal, next, [me, 0], 2 * value, op = Settings::OP);
    pld::system::wait(signal, offsets = [next, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pld::system::wait(signal, [next, 0], value + 1, cmp = Eq);
    pld::system::wait(signal, [next, 0], 3, cmp = HOW);
    let tile = pld::tile::remote_load(data, peer = next, offsets = [me, 0], shape = [1, S]);
    pl::store(tile, [0, 0], y);
}

fn main() -> Result<(), pl::BindError> {
    kernel::ir().text()?;
    Ok(())
}
