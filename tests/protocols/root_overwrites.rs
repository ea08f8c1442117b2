//! The root stages the next message while others still read.
//!
//! The root puts a message into its window, everybody meets, the others read it. The root has nothing to read and goes on: it stages the second
//! message, over the first one.
//!
//! Symptom: now and then one rank has the next message in place of this one.
//!
//! Repair: nobody stages before all have read: a barrier after the reads. `pld::tensor::broadcast` has both.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
use pl::{Error, World};

#[pl::function(InCore, dynamic(NR))]
fn wrong(
    x: pl::Tensor<f32, { [2, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [2, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for message in 0..2 {
        if me == 0 {
            data = pl::store(pl::load(x, [message, 0], [1, 4]), [0, 0], data);
        }
        pld::tensor::barrier(signal);
        y = pl::store(pld::tile::remote_load(data, peer = 0, offsets = [0, 0], shape = [1, 4]), [message, 0], y);
    }
}

/// Nobody goes on before all have read. `pld::tensor::broadcast` has both barriers.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [2, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [2, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    for message in 0..2 {
        if me == 0 {
            data = pl::store(pl::load(x, [message, 0], [1, 4]), [0, 0], data);
        }
        pld::tensor::barrier(signal);
        y = pl::store(pld::tile::remote_load(data, peer = 0, offsets = [0, 0], shape = [1, 4]), [message, 0], y);
        pld::tensor::barrier(signal);
    }
}

/// Everybody ends with the two messages of rank 0.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 2);
    let y = launch(world, step, &x, 2, &world.window([1, 4])?, &world.window([3, 1])?)?;
    for messages in y.outer_iter() {
        assert_eq!(messages, x.index_axis(Axis(0), 0));
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "race",
        &|world| program(world, wrong),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 0: nothing orders `pl::store` of rank 0 after `pld::tile::remote_load` of rank 1
              --> tests/protocols/root_overwrites.rs:27:20 (rank 0, kernel `wrong`)
              = rank 0 would write `data[0, 0..4]` of rank 0 here; it was stopped before
              --> tests/protocols/root_overwrites.rs:30:23 (rank 1, kernel `wrong`)
              = rank 1 read `data[0, 0..4]` of rank 0 here
              = what is missing: rank 1 did this after its collective number 1, `pld::tensor::barrier` at tests/protocols/root_overwrites.rs:29:9
              = rank 0 is after its collective number 1, `pld::tensor::barrier` at tests/protocols/root_overwrites.rs:29:9
              = help: let rank 1 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
