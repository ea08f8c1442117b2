//! A rank skips a collective because of its data.
//!
//! Ranks that have nothing to contribute leave the allreduce out. Whether they have is known only where the data is.
//!
//! Symptom: it hangs, with some inputs.
//!
//! Repair: every rank enters; who has nothing contributes zeros.

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
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    if pl::read(x, [0, 0]) != 0.0 {
        data = pld::tensor::allreduce(data, signal);
    }
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// Whoever has nothing contributes zeros.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
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
            error: deadlock: 2 ranks of 3 blocked, 1 finished
              = rank 0 did not enter `pld::tensor::allreduce` (tests/protocols/a_rank_skips_the_collective.rs:24:16), in which 2 ranks wait: it is finished
              --> tests/protocols/a_rank_skips_the_collective.rs:24:16 (in src/collectives/fold.rs:47:5) (in src/collectives/barriers.rs:21:13) (rank 1, kernel `wrong`)
              = rank 1 waits for `signal[0, 0]` of rank 1 >= 1; it is 0
              = rank 0 notifies it at tests/protocols/a_rank_skips_the_collective.rs:24:16 (in src/collectives/fold.rs:47:5) (in src/collectives/barriers.rs:16:13): it sent nothing and will not any more, it is finished
              --> tests/protocols/a_rank_skips_the_collective.rs:24:16 (in src/collectives/fold.rs:47:5) (in src/collectives/barriers.rs:21:13) (rank 2, kernel `wrong`)
              = rank 2 waits for `signal[0, 0]` of rank 2 >= 1; it is 0
              = rank 0 notifies it at tests/protocols/a_rank_skips_the_collective.rs:24:16 (in src/collectives/fold.rs:47:5) (in src/collectives/barriers.rs:16:13): it sent nothing and will not any more, it is finished
              = help: every rank of a domain enters the same collectives: look at the conditions and loops around this one, on the ranks that did not"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
