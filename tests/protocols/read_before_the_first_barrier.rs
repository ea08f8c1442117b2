//! A window is read before the first barrier.
//!
//! The barrier stands at the end, to protect the rows for the next call. In a debugger, where one rank runs after the other, all rows are there when
//! they are read.
//!
//! Symptom: right in a debugger, zeros or rows of the last call otherwise.
//!
//! Repair: a barrier before the first read of what others store, and one before it is stored over.

use crate::support::{Step, clean, counting, launch, meet, sometimes, take_back};
use expect_test::expect;
use pl::distributed as pld;
use pl::ndarray::Array3;
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
    pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    meet(signal, 1);
    take_back(signal, 1);
}

/// A barrier before the rows are read, and one after.
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
    meet(signal, 1); // every row is there
    pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, 4]), [0, 0], y);
    meet(signal, 2); // every row has been read
    take_back(signal, 2);
}

/// Everybody ends with the row of its right neighbour; twice.
fn program(world: &World, step: Step) -> Result<(), Error> {
    let x = counting(world.size(), 1);
    let (data, signal) = (world.window([1, 4])?, world.window([3, 1])?);
    for _ in 0..2 {
        let y = launch(world, step, &x, 1, &data, &signal)?;
        assert_eq!(y, Array3::from_shape_fn(x.dim(), |(r, i, k)| x[[(r + 1) % 3, i, k]]));
    }
    Ok(())
}

#[test]
fn report() {
    sometimes(
        3,
        "race",
        &|world| program(world, wrong),
        expect![[r#"
            error: race on `data[0, 0..4]` of rank 2: nothing orders `pld::tile::remote_load` of rank 1 after `pl::store` of rank 2
              --> tests/protocols/read_before_the_first_barrier.rs:27:15 (rank 1, kernel `wrong`)
              = rank 1 would read `data[0, 0..4]` of rank 2 here; it was stopped before
              --> tests/protocols/read_before_the_first_barrier.rs:26:12 (rank 2, kernel `wrong`)
              = rank 2 wrote `data[0, 0..4]` of rank 2 here
              = what is missing: no wait of rank 1 passed because of a notify of rank 2, directly or through other ranks; rank 2 did this before its first notify of this launch
              = help: let rank 2 notify after its `pl::store` and rank 1 wait for that before its `pld::tile::remote_load`; `pld::tensor::barrier` does both"#]],
    );
}

#[test]
fn is_repaired() {
    clean(3, &|world| program(world, repaired));
}
