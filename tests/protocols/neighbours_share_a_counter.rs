//! A barrier with the neighbours on one counter.
//!
//! Each rank adds 1 to the counter of both neighbours, and waits for two more than before. The left one may come twice before the right one has come
//! once: its second credit stands in for the one that is missing.
//!
//! Symptom: now and then a row of the round before or after, with one slow rank in a ring of many.
//!
//! Repair: a cell for each neighbour.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

#[pl::function(Inline)]
fn meet_neighbours(signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    pld::system::notify(signal, peer = (me + 1) % p, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::notify(signal, peer = (me + p - 1) % p, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 2 * generation, cmp = pld::WaitCmp::Ge);
}

#[pl::function(InCore)]
fn wrong(
    x: pl::Tensor<f32, { [2, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [2, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    for round in 0..2 {
        data = pl::store(pl::load(x, [round, 0], [1, 4]), [0, 0], data);
        meet_neighbours(signal, 2 * round as i32 + 1);
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet_neighbours(signal, 2 * round as i32 + 2);
    }
}

/// A cell for each neighbour.
#[pl::function(Inline)]
fn meet_neighbours_apart(signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    pld::system::notify(signal, peer = (me + 1) % p, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::notify(signal, peer = (me + p - 1) % p, offsets = [1, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = generation, cmp = pld::WaitCmp::Ge);
    pld::system::wait(signal, offsets = [1, 0], expected = generation, cmp = pld::WaitCmp::Ge);
}

#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [2, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [2, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    for round in 0..2 {
        data = pl::store(pl::load(x, [round, 0], [1, 4]), [0, 0], data);
        meet_neighbours_apart(signal, 2 * round as i32 + 1);
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet_neighbours_apart(signal, 2 * round as i32 + 2);
    }
}

/// Every rank ends with the rows of its right neighbour: both of them, one in each round. There are `cells` cells.
fn program(world: &World, step: Step, cells: usize) -> Result<(), Error> {
    let x = counting(world.size(), 2);
    let y = launch(world, step, &x, 2, &world.window([1, 4])?, &world.window([cells, 1])?)?;
    assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 1) % world.size(), i, k]]));
    Ok(())
}

#[test]
fn report() {
    sometimes(
        4,
        "race",
        &|world| program(world, wrong, 1),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 3: nothing orders `pld::tile::remote_load` of rank 2 after `pl::store` of rank 3
              --> tests/protocols/neighbours_share_a_counter.rs:39:23 (rank 2, kernel `wrong`)
              = rank 2 would read `data[0, 0..4]` of rank 3 here; it was stopped before
              --> tests/protocols/neighbours_share_a_counter.rs:37:16 (rank 3, kernel `wrong`)
              = rank 3 wrote `data[0, 0..4]` of rank 3 here
              = what is missing: no wait of rank 2 passed because of a notify of rank 3, directly or through other ranks; rank 3 did this before its first notify of this launch
              = help: let rank 3 notify after its `pl::store` and rank 2 wait for that before its `pld::tile::remote_load`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(4, &|world| program(world, repaired, 2));
}
