//! The signal is sent before the data.
//!
//! The notify is moved up so that the neighbour wakes early and the store runs meanwhile. On a device with ordered writes it even passes the tests,
//! until a transfer takes longer than a signal.
//!
//! Symptom: now and then a row of zeros, or of the last call.
//!
//! Repair: store, then notify: a notify announces what stands before it in the program.

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
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
}

/// What a notify announces stands before it.
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
            error: race on `data[0, 0..4]` of rank 0: nothing orders `pld::tile::remote_load` of rank 1 after `pl::store` of rank 0
              --> tests/protocols/notify_before_data.rs:30:15 (rank 1, kernel `wrong`)
              = rank 1 would read `data[0, 0..4]` of rank 0 here; it was stopped before
              --> tests/protocols/notify_before_data.rs:28:12 (rank 0, kernel `wrong`)
              = rank 0 wrote `data[0, 0..4]` of rank 0 here
              = what is missing: rank 1 knows what rank 0 did before its notify number 1 at tests/protocols/notify_before_data.rs:27:5, and rank 0 did this after that one
              = rank 1 knows it by its wait at tests/protocols/notify_before_data.rs:29:5
              = help: let rank 0 notify after its `pl::store` and rank 1 wait for that before its `pld::tile::remote_load`; or, where rank 1 was to read what stood there before, let rank 1 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` between them does either"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
