//! A slot is given back before it has been read.
//!
//! Rank 1 confirms a chunk as soon as it has come, to let rank 0 go on early. What it confirms is taken for "the slot is free".
//!
//! Symptom: now and then a chunk twice, or half of the next one.
//!
//! Repair: read, then confirm: a notify announces what stands before it.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
use pl::{Error, World};

#[pl::function(InCore)]
fn wrong(
    x: pl::Tensor<f32, { [4, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [4, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for chunk in 0..4 {
        if me == 0 {
            if chunk >= 1 {
                pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32, cmp = pld::WaitCmp::Ge);
            }
            pld::tensor::put(data, 1, x, [0, 0], [chunk, 0], [1, 4]);
            pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        } else {
            pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32 + 1, cmp = pld::WaitCmp::Ge);
            pld::system::notify(signal, peer = 0, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
            y = pl::store(pl::load(data, [0, 0], [1, 4]), [chunk, 0], y);
        }
    }
}

/// Read, then confirm.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [4, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [4, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for chunk in 0..4 {
        if me == 0 {
            if chunk >= 1 {
                pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32, cmp = pld::WaitCmp::Ge);
            }
            pld::tensor::put(data, 1, x, [0, 0], [chunk, 0], [1, 4]);
            pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        } else {
            pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32 + 1, cmp = pld::WaitCmp::Ge);
            y = pl::store(pl::load(data, [0, 0], [1, 4]), [chunk, 0], y);
            pld::system::notify(signal, peer = 0, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
}

/// Rank 1 ends with the four chunks of rank 0.
fn program(world: &World, step: Step, slots: usize) -> Result<(), Error> {
    let x = counting(world.size(), 4);
    let y = launch(world, step, &x, 4, &world.window([slots, 4])?, &world.window([1, 1])?)?;
    assert_eq!(y.index_axis(Axis(0), 1), x.index_axis(Axis(0), 0));
    Ok(())
}

#[test]
fn report() {
    sometimes(
        2,
        "race",
        &|world| program(world, wrong, 1),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pld::tensor::put` of rank 0 after `pl::load` of rank 1
              --> tests/protocols/slot_is_freed_too_early.rs:29:13 (rank 0, kernel `wrong`)
              = rank 0 would write `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/slot_is_freed_too_early.rs:34:27 (rank 1, kernel `wrong`)
              = rank 1 read `data[0, 0..4]` of rank 1 here
              = what is missing: rank 0 knows what rank 1 did before its notify number 1 at tests/protocols/slot_is_freed_too_early.rs:33:13, and rank 1 did this after that one
              = rank 0 knows it by its wait at tests/protocols/slot_is_freed_too_early.rs:27:17
              = help: let rank 1 notify after its `pl::load` and rank 0 wait for that before its `pld::tensor::put`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(2, &|world| program(world, repaired, 1));
}
