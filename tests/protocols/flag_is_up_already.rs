//! A flag that is set to 1 in every round.
//!
//! A barrier of flags: everybody sets its flag at every peer to 1 and waits until all of its own are at least 1. After the first barrier they are, and
//! stay so: the second one lets everybody pass.
//!
//! Symptom: the first round is right, those after it now and then.
//!
//! Repair: credits that count on: barrier number g adds 1 and waits for at least g.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

/// Right once.
#[pl::function(Inline, dynamic(NR))]
fn meet_by_flags(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    let ctx = pld::get_comm_ctx(signal);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [me, 0], value = 1, op = pld::NotifyOp::Set);
        }
    }
    for src in 0..p {
        if src != me {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }
}

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
        meet_by_flags(signal);
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet_by_flags(signal);
    }
}

/// Credits that count on, a number for each barrier.
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
        meet(signal, 2 * round as i32 + 1);
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet(signal, 2 * round as i32 + 2);
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
              --> tests/protocols/flag_is_up_already.rs:47:23 (rank 0, kernel `wrong`)
              = rank 0 would read `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/flag_is_up_already.rs:45:16 (rank 1, kernel `wrong`)
              = rank 1 wrote `data[0, 0..4]` of rank 1 here
              = what is missing: rank 0 knows what rank 1 did before its notify number 1 at tests/protocols/flag_is_up_already.rs:46:9 (in tests/protocols/flag_is_up_already.rs:24:13), and rank 1 did this after its notify number 4
              = rank 0 knows it by its wait at tests/protocols/flag_is_up_already.rs:46:9 (in tests/protocols/flag_is_up_already.rs:29:13)
              = the next notify of rank 1 is the one at tests/protocols/flag_is_up_already.rs:46:9 (in tests/protocols/flag_is_up_already.rs:24:13)
              = help: let rank 1 notify after its `pl::store` and rank 0 wait for that before its `pld::tile::remote_load`; or, where rank 0 was to read what stood there before, let rank 0 notify after its `pld::tile::remote_load` and rank 1 wait for that before its `pl::store`; `pld::tensor::barrier` between them does either"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
