//! The data goes to the right, the signal to the left.
//!
//! A ring was turned round: the put was changed, the notify was not. Every rank still gets one signal, so nothing hangs; it comes from the rank that
//! has not sent the data.
//!
//! Symptom: rows of zeros, or of the last call, the more of them the more ranks there are.
//!
//! Repair: the peer of the notify is the peer of the put; `pld::tensor::put_with_signal` names it once for both.

use crate::support::{Run, Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::Error;
use pl::distributed as pld;
use pl::ndarray::Array3;

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
fn program(run: &Run, step: Step) -> Result<(), Error> {
    let x = counting(run.size(), 1);
    let y = launch(run, step, &x, 1, &run.window([1, 4])?, &run.window([1, 1])?)?;
    assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 2) % 3, i, k]]));
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "uninitialised",
        &|run| program(run, wrong),
        expect![[r#"
            read of elements that nothing wrote: 4 of 4 in `data[0, 0..4]` of rank 2
              --> tests/protocols/put_right_notify_left.rs:30:15 (rank 2, kernel `wrong`)
              = `pl::load`: the first of them is [0, 0]
              = rank 1 writes it by `pld::tensor::put` at tests/protocols/put_right_notify_left.rs:27:5, and has not come to that: it is running, at tests/protocols/put_right_notify_left.rs:23:15
              = rank 2 waited last at tests/protocols/put_right_notify_left.rs:29:5
              = that wait passed because of the notify of rank 0 at tests/protocols/put_right_notify_left.rs:28:5
              = help: let rank 1 notify after its `pld::tensor::put`, and rank 2 wait for that notify before its `pl::load`; or make the window's zeros data with `world.zeros`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|run| program(run, repaired));
}
