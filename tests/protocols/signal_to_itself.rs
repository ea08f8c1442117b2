//! The signal goes to the own rank.
//!
//! The put names the peer, the notify the own rank: in an address of symmetric memory the two look alike. Every rank wakes itself, and reads what its
//! neighbour may not have sent yet.
//!
//! Symptom: no wait ever waits, and rows are of the last call.
//!
//! Repair: the peer of the notify is the rank that waits.

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
        "race",
        &|run| program(run, wrong),
        expect![[r#"
            race on `data[0, 0..4]` of rank 0: nothing orders `pl::load` of rank 0 after `pld::tensor::put` of rank 2
              --> tests/protocols/signal_to_itself.rs:29:15 (rank 0, kernel `wrong`)
              = rank 0 would read `data[0, 0..4]` of rank 0 here; it was stopped before
              --> tests/protocols/signal_to_itself.rs:26:5 (rank 2, kernel `wrong`)
              = rank 2 wrote `data[0, 0..4]` of rank 0 here
              = what is missing: no wait of rank 0 passed because of a notify of rank 2, directly or through other ranks; rank 2 did this before its first notify of this launch
              = the next notify of rank 2 is the one at tests/protocols/signal_to_itself.rs:27:5
              = help: let rank 2 notify after its `pld::tensor::put` and rank 0 wait for that before its `pl::load`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|run| program(run, repaired));
}
