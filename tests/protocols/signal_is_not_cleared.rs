//! The credits of the first launch are still there in the second.
//!
//! The kernel is right once. Launched again on the same windows, its waits find the credits of the launch before and pass at once. The first test of
//! such a kernel launches it once.
//!
//! Symptom: the first launch is right, those after it now and then.
//!
//! Repair: take back what came, by adding the negative, before the kernel returns; or `world.reset(&signal)` between the launches.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

#[pl::function(InCore, dynamic(NR))]
fn wrong(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    meet(signal, 1);
    pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    meet(signal, 2);
}

/// Leaves the signal as it found it.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    meet(signal, 1);
    pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    meet(signal, 2);
    take_back(signal, 2);
}

/// Everybody ends with the row of its right neighbour; twice, with other data.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let (data, signal) = (world.window([1, 4])?, world.window([3, 1])?);
    for launch_number in 1..=2 {
        let x = counting(world.size(), 1) * launch_number as f32;
        let y = launch(world, step, &x, 1, &data, &signal)?;
        assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 1) % 3, i, k]]));
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
            error: race on `data[0, 0..4]` of rank 1: nothing orders `pl::store` of rank 1 after `pld::tile::remote_load` of rank 0
              --> tests/protocols/signal_is_not_cleared.rs:26:12 (rank 1, kernel `wrong`)
              = rank 1 would write `data[0, 0..4]` of rank 1 here; it was stopped before
              --> tests/protocols/signal_is_not_cleared.rs:28:15 (rank 0, kernel `wrong`)
              = rank 0 read `data[0, 0..4]` of rank 1 here
              = what is missing: no wait of rank 1 passed because of a notify of rank 0, directly or through other ranks; rank 0 did this after its notify number 2
              = the next notify of rank 0 is the one at tests/protocols/signal_is_not_cleared.rs:29:5 (in tests/protocols/support.rs:74:13)
              = note: the wait of rank 0 at tests/protocols/signal_is_not_cleared.rs:27:5 (in tests/protocols/support.rs:79:13) passed without a notify: `signal[1, 0]` of rank 0 was already 2 when the launch started, and 2 >= 1
              = help: `world.reset(&signal)` before the launch clears what an earlier one left in the signal; or let the kernel take its credits back, as the builtins do"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
