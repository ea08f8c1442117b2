//! A flag is polled, and then the data is read.
//!
//! Rank 1 re-reads the flag until it is 1 and reads the data then. The flag came after the data; that rank 1 sees them in this order is what nobody
//! promised.
//!
//! Symptom: right for a long time, then a row of the last call.
//!
//! Repair: `wait`: when it passes the rank has all that came before the notify. A `pl::read` has a number and nothing else.

use crate::support::{Step, always, clean, counting, launch};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
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
    if me == 0 {
        pld::tensor::put(data, peer = 1, src = x);
        pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    } else {
        while pl::read(signal, [0, 0]) == 0 {}
        pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
    }
}

/// A wait that passes has the data; a `pl::read` has a number.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    if me == 0 {
        pld::tensor::put(data, peer = 1, src = x);
        pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    } else {
        pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
    }
}

/// Rank 1 ends with the row of rank 0.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let y = launch(world, step, &x, 1, &world.window([1, 4])?, &world.window([1, 1])?)?;
    assert_eq!(y.index_axis(Axis(0), 1), x.index_axis(Axis(0), 0));
    Ok(())
}

#[test]
fn report() {
    always(
        2,
        "race",
        &|world| program(world, wrong),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pl::load` of rank 1 after `pld::tensor::put` of rank 0
              --> tests/protocols/polled_flag.rs:30:19 (rank 1, kernel `wrong`)
              = rank 1 would read `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/polled_flag.rs:26:9 (rank 0, kernel `wrong`)
              = rank 0 wrote `data[0, 0..4]` of rank 1 here
              = what is missing: no wait of rank 1 passed because of a notify of rank 0, directly or through other ranks; rank 0 did this before its first notify of this launch
              = the next notify of rank 0 is the one at tests/protocols/polled_flag.rs:27:9
              = rank 1 read a cell that is notified at tests/protocols/polled_flag.rs:29:15, which orders nothing
              = help: `pld::system::wait` orders, and `pl::read` does not: let rank 0 notify after its `pld::tensor::put` and rank 1 wait for that before its `pl::load`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(2, &|world| program(world, repaired));
}
