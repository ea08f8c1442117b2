//! The signal goes to the own rank.
//!
//! The put names the peer, the notify the own rank: in an address of symmetric memory the two look alike. Every rank wakes itself, and reads what its
//! neighbour may not have sent yet.
//!
//! Symptom: no wait ever waits, and rows are of the last call.
//!
//! Repair: the peer of the notify is the rank that waits.

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
    pld::tensor::put(data, peer = right, src = x);
    pld::system::notify(signal, peer = me, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// The rank that waits is the one that is told.
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
        "uninitialised",
        &|world| program(world, wrong),
        expect![[r#"
            error: read of elements that nothing wrote: 4 of 4 in `data[0, 0..4]` of rank 0
              --> tests/protocols/signal_to_itself.rs:29:15 (rank 0, kernel `wrong`)
              = `pl::load`: the first of them is [0, 0]
              = rank 2 writes it by `pld::tensor::put` at tests/protocols/signal_to_itself.rs:26:5, and has not come to that: it is running, at tests/protocols/signal_to_itself.rs:26:5
              = the wait of rank 0 at tests/protocols/signal_to_itself.rs:28:5 passed by what was in the cell already, or by a notify of rank 0 itself: it told rank 0 nothing
              = help: let rank 2 notify after its `pld::tensor::put`, and rank 0 wait for that notify before its `pl::load`; or make the window's zeros data with `world.zeros`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
