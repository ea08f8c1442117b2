//! Ranks enter two collectives in a different order.
//!
//! Two gradients are reduced as soon as they are ready, and on one rank the second one is ready first. Each rank has entered what another has not.
//!
//! Symptom: sums of what does not belong together, or it hangs.
//!
//! Repair: one order, that of the program, whatever is ready first.

use crate::support::{clean, counting, sometimes};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::{ArrayView1, Axis, arr2};
use pl::{Call, Error, Window, World};

#[pl::function(InCore, dynamic(NR))]
fn wrong(
    order: pl::Tensor<i32, { [1] }>,
    a: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    b: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    if pl::read(order, [0]) == 0 {
        pld::tensor::allreduce(a, signal);
        pld::tensor::allreduce(b, signal);
    } else {
        pld::tensor::allreduce(b, signal);
        pld::tensor::allreduce(a, signal);
    }
}

/// In the order of the program, whatever is ready.
#[pl::function(InCore, dynamic(NR))]
fn repaired(
    _order: pl::Tensor<i32, { [1] }>,
    a: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    b: pl::InOut<pld::DistributedTensor<f32, { [1, 4] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::allreduce(a, signal);
    pld::tensor::allreduce(b, signal);
}

type Reduce = for<'a> fn(ArrayView1<'a, i32>, &'a Window<f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// `a` and `b` of every rank end as their sums over the ranks.
fn program(world: &World, step: Reduce) -> Result<(), Error> {
    let (x, order) = (counting(world.size(), 1), arr2(&[[0], [0], [1]]));
    let (a, b, signal) = (world.window_from(&x)?, world.window_from(&(&x + 1.0))?, world.window([3, 1])?);
    world.launch(order.outer_iter().map(|order| step(order, &a, &b, &signal)))?;
    for rank in 0..3 {
        assert_eq!(a.to_array(rank)?, x.sum_axis(Axis(0)).into_dyn());
        assert_eq!(b.to_array(rank)?, (x.sum_axis(Axis(0)) + 3.0).into_dyn());
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
            error: ranks enter `pld::tensor::allreduce` with different arguments
              --> tests/protocols/collectives_in_another_order.rs:23:9 (rank 1, kernel `wrong`)
              = rank 1 enters `pld::tensor::allreduce` here, collective number 1 of this domain
              = `target` is `a`: `f32` [1, 4]
              --> tests/protocols/collectives_in_another_order.rs:26:9 (rank 2, kernel `wrong`)
              = rank 2 entered `pld::tensor::allreduce` here
              = `target` is `b`: `f32` [1, 4]
              = help: all ranks of a domain enter the same collectives, in the same order and with the same arguments"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
