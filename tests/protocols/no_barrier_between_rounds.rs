//! No barrier between two rounds.
//!
//! Each round stages a row, meets the others, and reads the neighbour's row. One barrier a round looks like enough: it says that the rows are there.
//! That they have been read, nobody says, and the next round stages over them.
//!
//! Symptom: now and then a row of the next round, on a slow rank.
//!
//! Repair: a second barrier in each round, after the reads. The builtins have it.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
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
    let right = (me + 1) % pld::nranks(ctx);
    for round in 0..2 {
        data = pl::store(pl::load(x, [round, 0], [1, 4]), [0, 0], data);
        meet(signal, round as i32 + 1); // every row is there
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
    }
    take_back(signal, 2);
}

/// And one before the next round.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [2, 4] }>,
    mut y: pl::Out<pl::Tensor<f32, { [2, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    for round in 0..2 {
        data = pl::store(pl::load(x, [round, 0], [1, 4]), [0, 0], data);
        meet(signal, 2 * round as i32 + 1); // every row is there
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet(signal, 2 * round as i32 + 2); // every row has been read
    }
    take_back(signal, 4);
}

/// Every rank ends with the rows of its right neighbour: both of them, one in each round.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 2);
    let y = launch(world, step, &x, 2, &world.window([1, 4])?, &world.window([3, 1])?)?;
    assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 1) % 3, i, k]]));
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "race",
        &|world| program(world, wrong),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pld::tile::remote_load` of rank 0 after `pl::store` of rank 1
              --> tests/protocols/no_barrier_between_rounds.rs:29:23 (rank 0, kernel `wrong`)
              = rank 0 would read `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/no_barrier_between_rounds.rs:27:16 (rank 1, kernel `wrong`)
              = rank 1 wrote `data[0, 0..4]` of rank 1 here
              = what is missing: rank 0 knows what rank 1 did before its notify number 1 at tests/protocols/no_barrier_between_rounds.rs:28:9 (in tests/protocols/support.rs:74:13), and rank 1 did this after its notify number 2
              = rank 0 knows it by its wait at tests/protocols/no_barrier_between_rounds.rs:28:9 (in tests/protocols/support.rs:79:13)
              = the next notify of rank 1 is the one at tests/protocols/no_barrier_between_rounds.rs:28:9 (in tests/protocols/support.rs:74:13)
              = help: let rank 1 notify after its `pl::store` and rank 0 wait for that before its `pld::tile::remote_load`; or, where rank 0 was to read what stood there before, let rank 0 notify after its `pld::tile::remote_load` and rank 1 wait for that before its `pl::store`; `pld::tensor::barrier` between them does either"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
