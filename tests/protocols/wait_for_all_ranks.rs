//! P credits are awaited where P - 1 come.
//!
//! The signal is one counter. `nranks` was written where the number of peers is meant; with a rank that also notifies itself it would have been right.
//!
//! Symptom: it hangs, in every run.
//!
//! Repair: wait for as many credits as there are ranks that notify.

use crate::support::{Step, always, clean, counting, launch};
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
            pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    pld::system::wait(signal, offsets = [0, 0], expected = p as i32, cmp = pld::WaitCmp::Ge);
    let mut acc = pl::load(data, [0, 0], [1, 4]);
    for peer in 0..p {
        if peer != me {
            acc = acc + pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, 4]);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// As many as notify.
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
    always(
        3,
        "deadlock",
        &|world| program(world, wrong),
        expect![[r#"
            error: deadlock: 3 ranks of 3 blocked, 0 finished
              --> tests/protocols/wait_for_all_ranks.rs:31:5 (rank 0, kernel `wrong`)
              = rank 0 waits for `signal[0, 0]` of rank 0 >= 3; it is 2
              = rank 1 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 1
              = rank 2 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 2
              = rank 1 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              --> tests/protocols/wait_for_all_ranks.rs:31:5 (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 3; it is 2
              = rank 0 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 1
              = rank 2 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 2
              = rank 0 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              --> tests/protocols/wait_for_all_ranks.rs:31:5 (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 3; it is 2
              = rank 0 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 1
              = rank 1 added 1 at tests/protocols/wait_for_all_ranks.rs:28:13, which made it 2
              = rank 0 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              = rank 1 notifies it at tests/protocols/wait_for_all_ranks.rs:28:13: it sent once and will not any more, it is blocked too
              = help: nobody will notify again: fewer credits were sent, or a smaller value, than the wait expects"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
