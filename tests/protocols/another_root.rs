//! A rank has another root.
//!
//! The root is the rank that holds the newest data, and each rank works out for itself which that is. They do not agree.
//!
//! Symptom: some ranks have one message, some another, or it hangs.
//!
//! Repair: one root, known to all: the host passes it, or the ranks agree before by an allreduce.

use crate::support::{Step, clean, counting, launch, sometimes};
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
    let root = pl::read(x, [0, 0]) as i32 as usize / 200;
    data = pld::tensor::broadcast(data, signal, root = root);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// The host says it to all of them, or it is decided once and for all.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    x: pl::Tensor<f32, { [1, 4] }>,
    y: pl::Out<pl::Tensor<f32, { [1, 4] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, 4]), [0, 0], data);
    data = pld::tensor::broadcast(data, signal, root = 0);
    pl::store(pl::load(data, [0, 0], [1, 4]), [0, 0], y);
}

/// Everybody ends with the row of rank 0.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let y = launch(world, step, &x, 1, &world.window([1, 4])?, &world.window([3, 1])?)?;
    for row in y.outer_iter() {
        assert_eq!(row, x.index_axis(Axis(0), 0));
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "collective",
        &|world| program(world, wrong),
        expect![[r#"
            error: ranks enter `pld::tensor::broadcast` with different arguments
              --> tests/protocols/another_root.rs:24:12 (rank 0, kernel `wrong`)
              = rank 0 enters `pld::tensor::broadcast` here, collective number 1 of this domain
              = `root` is 0
              --> tests/protocols/another_root.rs:24:12 (rank 2, kernel `wrong`)
              = rank 2 entered `pld::tensor::broadcast` here
              = `root` is 1
              = help: all ranks of a domain enter the same collectives, in the same order and with the same arguments"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
