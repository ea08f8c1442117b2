//! `Set` where credits are counted.
//!
//! Two peers announce their rows in one cell, and both set it to 1: the second one overwrites what the first one said. The wait for 2 is never
//! satisfied.
//!
//! Symptom: it hangs, in every run with more than two ranks.
//!
//! Repair: `AtomicAdd`: adds commute and none is lost. `Set` is for a cell that one rank alone writes.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
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
    let p = pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
        }
    }
    pld::system::wait(signal, offsets = [0, 0], expected = p as i32 - 1, cmp = pld::WaitCmp::Ge);
    let mut acc = pl::load(data, [0, 0], [1, 4]);
    for peer in 0..p {
        if peer != me {
            acc = acc + pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, 4]);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// Adds commute: none is lost.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    pld::system::wait(signal, offsets = [0, 0], expected = p as i32 - 1, cmp = pld::WaitCmp::Ge);
    let mut acc = pl::load(data, [0, 0], [1, 4]);
    for peer in 0..p {
        if peer != me {
            acc = acc + pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, 4]);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// Everybody ends with the sum of all rows.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let y = launch(world, step, &x, 1, &world.window([1, 4])?, &world.window([1, 1])?)?;
    for row in y.outer_iter() {
        assert_eq!(row, x.sum_axis(Axis(0)));
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "deadlock",
        &|world| program(world, wrong),
        expect![[r#"
            error: deadlock: 3 ranks of 3 blocked, 0 finished
              --> tests/protocols/set_where_credits_are_counted.rs:32:5 (rank 0, kernel `wrong`)
              = rank 0 waits for `signal[0, 0]` of rank 0 >= 2; it is 1
              = rank 1 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 2 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 1 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              --> tests/protocols/set_where_credits_are_counted.rs:32:5 (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 2; it is 1
              = rank 0 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 2 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 0 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              --> tests/protocols/set_where_credits_are_counted.rs:32:5 (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 2; it is 1
              = rank 0 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 1 set it to 1 at tests/protocols/set_where_credits_are_counted.rs:29:13, which made it 1
              = rank 0 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              = rank 1 notifies it at tests/protocols/set_where_credits_are_counted.rs:29:13: it sent once and will not any more, it is blocked too
              = help: a `Set` replaced what another rank had put into the cell: count with `AtomicAdd`, give each rank a cell of its own, and take credits back in place of a reset"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
