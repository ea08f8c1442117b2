//! The epilogue takes back less than came.
//!
//! A barrier was added to the kernel, and the number of credits that the epilogue takes back was forgotten. A credit of each peer stays, and the next
//! collective on this signal starts with it.
//!
//! Symptom: the first call is right; later a collective lets a rank pass too early.
//!
//! Repair: take back as many credits as there were barriers; better, keep a signal of its own for what is done by hand.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};
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
    take_back(signal, 1);
    data = pld::tensor::allreduce(data, signal);
}

/// One for each barrier. Better: a signal of its own for what is done by hand, and builtins.
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
    data = pld::tensor::allreduce(data, signal);
}

/// Everybody ends with the row of its right neighbour, and the window with the sum of all rows.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let data = world.window([1, 4])?;
    let y = launch(world, step, &x, 1, &data, &world.window([3, 1])?)?;
    assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 1) % 3, i, k]]));
    for rank in 0..3 {
        assert_eq!(data.to_array(rank)?, x.sum_axis(Axis(0)).into_dyn());
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "credits",
        &|world| program(world, wrong),
        expect![[r#"
            error: `signal[0, 0]` of rank 1 is 1 where `pld::tensor::allreduce` begins, expected 0
              --> tests/protocols/epilogue_takes_too_little.rs:31:12 (rank 1, kernel `wrong`)
              = rank 1 enters it here
              = rank 0 added 1 at tests/protocols/epilogue_takes_too_little.rs:27:5 (in tests/protocols/support.rs:74:13), which made it 1
              = rank 0 added 1 at tests/protocols/epilogue_takes_too_little.rs:29:5 (in tests/protocols/support.rs:74:13), which made it 2
              = rank 1 added -1 at tests/protocols/epilogue_takes_too_little.rs:30:5 (in tests/protocols/support.rs:91:13), which made it 1
              = help: what the kernel itself deposits in the signal must be gone before a collective uses it: take it back (notify yourself with a negative value), or use a signal of its own"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
