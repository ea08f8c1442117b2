//! A wait for exactly n, where a peer may be a round ahead.
//!
//! Barrier number g waits until each cell is `== g`. A fast peer that has passed barrier 1 notifies for barrier 2; a slow rank that looks only then
//! finds 2, and waits for a 1 that does not come again.
//!
//! Symptom: it hangs, once in a long while.
//!
//! Repair: `Ge`: a peer is at most one barrier ahead, and then has been here.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

#[pl::function(Inline, dynamic(NR))]
fn meet_exactly(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let me = pld::rank(ctx);
    let p = pld::nranks(ctx);
    for peer in 0..p {
        if peer != me {
            pld::system::notify(signal, peer = peer, offsets = [me, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..p {
        if src != me {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Eq);
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
        meet_exactly(signal, 2 * round as i32 + 1);
        y = pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [round, 0], y);
        meet_exactly(signal, 2 * round as i32 + 2);
    }
    take_back(signal, 4);
}

/// `Ge`: a peer is never more than one barrier ahead, and that one counts.
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
        "deadlock",
        &|world| program(world, wrong),
        expect![[r#"
            error: deadlock: 3 ranks of 3 blocked, 0 finished
              = rank 1 waits for rank 2, which waits for rank 1
              --> tests/protocols/equal_where_at_least_is_meant.rs:47:9 (in tests/protocols/equal_where_at_least_is_meant.rs:28:13) (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 == 2; it is 1
              = rank 0 added 1 at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13), which made it 1
              = rank 0 notifies it at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13): it sent once so far, and is blocked too
              = rank 2 notifies it at tests/protocols/equal_where_at_least_is_meant.rs:49:5 (in tests/protocols/support.rs:91:13): it sent nothing to it, and 2 notifies to other cells, such as `signal[2, 0]` of rank 0, so far, and is blocked too
              --> tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:28:13) (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[1, 0]` of rank 2 == 1; it is 2
              = rank 1 added 1 at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13), which made it 1
              = rank 1 added 1 at tests/protocols/equal_where_at_least_is_meant.rs:47:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13), which made it 2
              = rank 1 notifies it at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13): it sent 2 times so far, and is blocked too
              --> tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:28:13) (rank 0, kernel `wrong`)
              = rank 0 waits for `signal[1, 0]` of rank 0 == 1; it is 2
              = rank 1 added 1 at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13), which made it 1
              = rank 1 added 1 at tests/protocols/equal_where_at_least_is_meant.rs:47:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13), which made it 2
              = rank 1 notifies it at tests/protocols/equal_where_at_least_is_meant.rs:45:9 (in tests/protocols/equal_where_at_least_is_meant.rs:23:13): it sent 2 times so far, and is blocked too
              = rank 2 notifies it at tests/protocols/equal_where_at_least_is_meant.rs:49:5 (in tests/protocols/support.rs:91:13): it sent nothing to it, and 2 notifies to other cells, such as `signal[2, 0]` of rank 0, so far, and is blocked too
              = help: a cell has gone past the value that is awaited, as a peer is ahead: compare with `Ge`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
