//! The cell is chosen by the receiver, not by the sender.
//!
//! Each rank has a cell for every sender. The notify was written with the index of the loop that it stands in, as the wait is: `[peer, 0]`. So all who
//! notify rank r meet in its cell r, and the cells on which it waits stay empty.
//!
//! Symptom: it hangs, in every run, while all notifies have been sent.
//!
//! Repair: the sender chooses its own cell in the signal of the receiver: `offsets = [me, 0]` where one notifies, `[src, 0]` where one waits.

use crate::support::{Step, always, clean, counting, launch};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Axis;
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
    let p = pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [peer, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..p {
        if src != me {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }
    let mut acc = pl::load(data, [0, 0], [1, 4]);
    for peer in 0..p {
        if peer != me {
            acc = acc + pld::tile::remote_load(data, peer = peer, offsets = [0, 0], shape = [1, 4]);
        }
    }
    pl::store(acc, [0, 0], y);
}

/// The sender's own cell in the receiver's signal.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..p {
        if src != me {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }
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
    let y = launch(world, step, &x, 1, &world.window([1, 4])?, &world.window([3, 1])?)?;
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
              --> tests/protocols/swapped_cells.rs:34:13 (rank 0, kernel `wrong`)
              = rank 0 waits for `signal[1, 0]` of rank 0 >= 1; it is 0
              = rank 1 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[0, 0]` of rank 0, and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[0, 0]` of rank 0, and will not any more, it is blocked too
              --> tests/protocols/swapped_cells.rs:34:13 (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 0 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[1, 0]` of rank 1, and will not any more, it is blocked too
              = rank 2 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[0, 0]` of rank 0, and will not any more, it is blocked too
              --> tests/protocols/swapped_cells.rs:34:13 (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 1; it is 0
              = rank 0 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[1, 0]` of rank 1, and will not any more, it is blocked too
              = rank 1 notifies it at tests/protocols/swapped_cells.rs:29:13: it sent nothing to it, and 2 notifies to other cells, such as `signal[0, 0]` of rank 0, and will not any more, it is blocked too
              = help: compare peer and offsets of the notify with the offsets of the wait: a rank notified other cells than this one"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
