//! The epilogue takes back less than came.
//!
//! A barrier was added to the kernel, and the number of credits that the epilogue takes back was forgotten. A credit of each peer stays, and the next
//! collective on this signal starts with it.
//!
//! Symptom: the first call is right; later a collective lets a rank pass too early.
//!
//! Repair: take back as many credits as there were barriers; better, keep a signal of its own for what is done by hand.

use crate::support::{Run, Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::Error;
use pl::distributed as pld;
use pl::ndarray::{Array3, Axis};

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
fn program(run: &Run, step: Step) -> Result<(), Error> {
    let x = counting(run.size(), 1);
    let data = run.window([1, 4])?;
    let y = launch(run, step, &x, 1, &data, &run.window([3, 1])?)?;
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
        "race",
        &|run| program(run, wrong),
        expect![[r#"
            race on `data.1[0..4]` of rank 0: nothing orders `pl::store` of rank 0 after `pld::tile::remote_load` of rank 2
              --> tests/protocols/epilogue_takes_too_little.rs:31:12 (in src/collectives/fold.rs:57:18) (rank 0, kernel `wrong`)
              = rank 0 would write `data.1[0..4]` of rank 0 here; it was stopped before
              --> tests/protocols/epilogue_takes_too_little.rs:31:12 (in src/collectives/fold.rs:50:23) (rank 2, kernel `wrong`)
              = rank 2 read `data.1[0..4]` of rank 0 here
              = what is missing: rank 2 did this after its notify number 8 of this launch, and rank 0 knows of its notifies up to number 7 only, by its own waits or through other ranks
              = note: found in the schedule of seed 0, which repeats it
              = help: let rank 2 notify after its `pld::tile::remote_load` and rank 0 wait for that before its `pl::store`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|run| program(run, repaired));
}
