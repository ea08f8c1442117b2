//! A reset at the start erases the first signal.
//!
//! To be safe, a rank sets its flag to 0 before it begins. A neighbour that is quicker has notified it by then.
//!
//! Symptom: it hangs now and then, at the start.
//!
//! Repair: no reset: take the credit back when it has been used, so that every launch finds a zero.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

#[pl::function(InCore)]
fn wrong(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    let left = (me + pld::nranks(ctx) - 1) % pld::nranks(ctx);
    pld::system::notify(signal, peer = me, offsets = [0, 0], value = 0, op = pld::NotifyOp::Set);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
}

/// Takes the credit back when it is used.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    let left = (me + pld::nranks(ctx) - 1) % pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    pld::system::notify(signal, peer = me, offsets = [0, 0], value = -1, op = pld::NotifyOp::AtomicAdd);
}

/// Everybody ends with the row of its left neighbour.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let y = launch(world, step, &x, 1, &world.window([1, 4])?, &world.window([1, 1])?)?;
    assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 2) % 3, i, k]]));
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "deadlock",
        &|world| program(world, wrong),
        expect![[r#"
            error: deadlock: 2 ranks of 3 blocked, 1 finished
              --> tests/protocols/reset_erases_the_signal.rs:29:5 (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 0 added 1 at tests/protocols/reset_erases_the_signal.rs:28:5, which made it 1
              = rank 1 set it to 0 at tests/protocols/reset_erases_the_signal.rs:26:5, which made it 0
              = rank 0 notifies it at tests/protocols/reset_erases_the_signal.rs:28:5: it sent once and will not any more, it is finished
              = rank 1 notifies it at tests/protocols/reset_erases_the_signal.rs:26:5: it sent once and will not any more, it is blocked too
              --> tests/protocols/reset_erases_the_signal.rs:29:5 (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 1; it is 0
              = rank 1 added 1 at tests/protocols/reset_erases_the_signal.rs:28:5, which made it 1
              = rank 2 set it to 0 at tests/protocols/reset_erases_the_signal.rs:26:5, which made it 0
              = rank 1 notifies it at tests/protocols/reset_erases_the_signal.rs:28:5: it sent once and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/reset_erases_the_signal.rs:26:5: it sent once and will not any more, it is blocked too
              = help: a `Set` replaced what another rank had put into the cell: count with `AtomicAdd`, give each rank a cell of its own, and take credits back in place of a reset"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
