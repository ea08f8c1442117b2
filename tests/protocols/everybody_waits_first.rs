//! Everybody waits before it notifies.
//!
//! Every rank passes a row to its right neighbour. The kernel is written as a rank in the middle of a chain sees it: first comes what the left one
//! sends, then goes what the right one gets. In a ring nobody is the beginning of the chain.
//!
//! Symptom: it hangs, in every run.
//!
//! Repair: notify before you wait.

use crate::support::{Step, always, clean, counting, launch};
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
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
}

/// Notifies first.
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
    always(
        3,
        "deadlock",
        &|world| program(world, wrong),
        expect![[r#"
            error: deadlock: 3 ranks of 3 blocked, 0 finished
              = rank 0 waits for rank 2, which waits for rank 1, which waits for rank 0
              --> tests/protocols/everybody_waits_first.rs:28:5 (rank 0, kernel `wrong`)
              = rank 0 waits for `signal[0, 0]` of rank 0 >= 1; it is 0
              = rank 2 notifies it at tests/protocols/everybody_waits_first.rs:30:5: it sent nothing so far, and is blocked too
              --> tests/protocols/everybody_waits_first.rs:28:5 (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 1; it is 0
              = rank 1 notifies it at tests/protocols/everybody_waits_first.rs:30:5: it sent nothing so far, and is blocked too
              --> tests/protocols/everybody_waits_first.rs:28:5 (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 0 notifies it at tests/protocols/everybody_waits_first.rs:30:5: it sent nothing so far, and is blocked too
              = help: the ranks wait for one another: notify before you wait"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
