//! A flag is raised in the own copy of the window.
//!
//! Memory that all ranks have looks like memory that all ranks share. Rank 0 writes 1 into the flag, into its own; rank 1 polls the one that it has.
//!
//! Symptom: it hangs, in every run.
//!
//! Repair: every rank has its own copy of a window: `notify` the peer, and let it `wait`.

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
        pl::write(signal, [0, 0], 1);
    } else {
        while pl::read(signal, [0, 0]) == 0 {}
        pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
    }
}

/// A notify to the peer, and a wait.
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
        "livelock",
        &|world| program(world, wrong),
        expect![[r#"
            error: livelock: 1 rank of 2 re-reading cells that nobody will change, 0 blocked, 1 finished
              --> tests/protocols/flag_in_the_own_copy.rs:28:15 (rank 1, kernel `wrong`)
              = rank 1 re-reads `signal[0, 0]` of rank 1, which stays 0
              = help: `pl::read` acquires nothing and waits for nothing: use `pld::system::wait`, and a notify that satisfies it; what a rank writes into its own copy of a window, no other rank sees"#]],
    );
}

#[test]
fn is_repaired() {
    clean(2, &|world| program(world, repaired));
}
