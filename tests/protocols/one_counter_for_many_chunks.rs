//! One counter for the chunks of several senders.
//!
//! Every rank pushes its row to all others and adds 1 to their counter. The receiver takes `count >= 1` for "the first row is there". The counter says
//! how many rows came, not which: the row of rank 2 may have been the first.
//!
//! Symptom: now and then a row is missing from a sum.
//!
//! Repair: a cell for each sender, so that the wait says whose row it needs.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
use pl::{Error, World};

#[pl::function(InCore, dynamic(NR))]
fn wrong(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    for peer in 0..p {
        pld::tensor::put(data, peer, x, [me, 0], [0, 0], [1, 4]);
        pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    }
    let mut acc = pl::full::<f32>([1, 4], 0.0);
    for src in 0..p {
        pld::system::wait(signal, offsets = [0, 0], expected = src as i32 + 1, cmp = pld::WaitCmp::Ge);
        acc = acc + pl::load(data, [src, 0], [1, 4]);
    }
    pl::store(acc, [0, 0], y);
}

/// A cell for each sender.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    for peer in 0..p {
        pld::tensor::put(data, peer, x, [me, 0], [0, 0], [1, 4]);
        pld::system::notify(signal, peer = peer, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    }
    let mut acc = pl::full::<f32>([1, 4], 0.0);
    for src in 0..p {
        pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        acc = acc + pl::load(data, [src, 0], [1, 4]);
    }
    pl::store(acc, [0, 0], y);
}

/// Everybody ends with the sum of all rows. There are `cells` cells.
fn program(world: &World, step: Step, cells: usize) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let y = launch(world, step, &x, 1, &world.window([3, 4])?, &world.window([cells, 1])?)?;
    for row in y.outer_iter() {
        assert_eq!(row, x.sum_axis(Axis(0)));
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "uninitialised",
        &|world| program(world, wrong, 1),
        expect![[r#"
            error: read of elements that nothing wrote: 4 of 4 in `data[0, 0..4]` of rank 2
              --> tests/protocols/one_counter_for_many_chunks.rs:33:21 (rank 2, kernel `wrong`)
              = `pl::load`: the first of them is [0, 0]
              = rank 0 writes it by `pld::tensor::put` at tests/protocols/one_counter_for_many_chunks.rs:27:9, and has not come to that: it is running, at tests/protocols/one_counter_for_many_chunks.rs:27:9
              = the wait of rank 2 at tests/protocols/one_counter_for_many_chunks.rs:32:9 passed by what was in the cell already, or by a notify of rank 2 itself: it told rank 2 nothing
              = help: let rank 0 notify after its `pld::tensor::put`, and rank 2 wait for that notify before its `pl::load`; or make the window's zeros data with `world.zeros`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired, 3));
}
