//! The last rank has no right neighbour.
//!
//! `me + 1` is right on all ranks but one. A chain was written, and a ring was meant.
//!
//! Symptom: the last rank writes where there is no rank, or into memory of somebody else.
//!
//! Repair: wrap around, `(me + 1) % nranks`, or leave the last rank out.

use crate::support::{Step, clean, counting, launch, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
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
    pld::tensor::put(data, peer = me + 1, src = x);
    pld::system::notify(signal, peer = me + 1, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// The neighbours wrap around.
#[pl::function(InCore)]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let me = pld::rank(ctx);
    let right = (me + 1) % pld::nranks(ctx);
    pld::tensor::put(data, peer = right, src = x);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
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
    sometimes(
        3,
        "peer",
        &|world| program(world, wrong),
        expect![[r#"
            error: peer 3 is not a rank: the domain of `data` has 3 ranks
              --> tests/protocols/last_rank_has_no_right_neighbour.rs:24:5 (rank 2, kernel `wrong`)
              = help: peers of `pld::tensor::put` are 0..3: loop over `0..pld::nranks(ctx)`, or wrap around with `% nranks`"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
