//! The data goes to the right, the signal to the left.
//!
//! A ring was turned round: the put was changed, the notify was not. Every rank still gets one signal, so nothing hangs; it comes from the rank that
//! has not sent the data.
//!
//! Symptom: rows of zeros, or of the last call, the more of them the more ranks there are.
//!
//! Repair: the peer of the notify is the peer of the put; `pld::tensor::put_with_signal` names it once for both.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

#[pl::function(InCore)]
fn wrong(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    let left = (me + pld::nranks(ctx) - 1) % pld::nranks(ctx);
    pld::tensor::put(data, peer = right, src = x);
    pld::system::notify(signal, peer = left, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// Who gets the data gets the signal. `pld::tensor::put_with_signal` names the peer once for both.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    pld::tensor::put(data, peer = right, src = x);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
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
        "race",
        &|world| program(world, wrong),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 0: nothing orders `pl::load` of rank 0 after `pld::tensor::put` of rank 2
              --> tests/protocols/put_right_notify_left.rs:30:15 (rank 0, kernel `wrong`)
              = rank 0 would read `data[0, 0..4]` of rank 0 here; it was stopped before
              --> tests/protocols/put_right_notify_left.rs:27:5 (rank 2, kernel `wrong`)
              = rank 2 wrote `data[0, 0..4]` of rank 0 here
              = what is missing: no wait of rank 0 passed because of a notify of rank 2, directly or through other ranks; rank 2 did this before its first notify of this launch
              = help: let rank 2 notify after its `pld::tensor::put` and rank 0 wait for that before its `pl::load`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
