//! Double buffering with one buffer.
//!
//! Rank 0 sends chunks, two ahead of what rank 1 has confirmed. The protocol was made for two slots; the window has one, since the second made no
//! difference in the tests.
//!
//! Symptom: now and then a chunk twice, and another not at all.
//!
//! Repair: as many slots as chunks may be on their way.

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
            if chunk >= 2 {
                pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32 - 1, cmp = pld::WaitCmp::Ge);
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

/// As many slots as chunks may be on their way.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [4, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [4, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [2, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for chunk in 0..4 {
        if me == 0 {
            if chunk >= 2 {
                pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32 - 1, cmp = pld::WaitCmp::Ge);
            }
            pld::tensor::put(data, 1, x, [chunk % 2, 0], [chunk, 0], [1, 4]);
            pld::system::notify(signal, peer = 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        } else {
            pld::system::wait(signal, offsets = [0, 0], expected = chunk as i32 + 1, cmp = pld::WaitCmp::Ge);
            y = pl::store(pl::load(data, [chunk % 2, 0], [1, 4]), [chunk, 0], y);
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
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pl::load` of rank 1 after `pld::tensor::put` of rank 0
              --> tests/protocols/double_buffering_with_one_buffer.rs:34:27 (rank 1, kernel `wrong`)
              = rank 1 would read `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/double_buffering_with_one_buffer.rs:30:13 (rank 0, kernel `wrong`)
              = rank 0 wrote `data[0, 0..4]` of rank 1 here
              = what is missing: rank 1 knows what rank 0 did before its notify number 1 at tests/protocols/double_buffering_with_one_buffer.rs:31:13, and rank 0 did this after that one
              = rank 1 knows it by its wait at tests/protocols/double_buffering_with_one_buffer.rs:33:13
              = the next notify of rank 0 is the one at tests/protocols/double_buffering_with_one_buffer.rs:31:13
              = help: let rank 0 notify after its `pld::tensor::put` and rank 1 wait for that before its `pl::load`; or, where rank 1 was to read what stood there before, let rank 1 notify after its `pl::load` and rank 0 wait for that before its `pld::tensor::put`; `pld::tensor::barrier` between them does either"#]],
    );
}

#[test]
fn is_repaired() {
    clean(2, &|world| program(world, repaired, 2));
}
