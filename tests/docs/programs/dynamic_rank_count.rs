//! 07-dynamic-rank-count.md.

use super::{checked, seeded};
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, Error, Window, World};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/07_dynamic_rank_count.rs"]
mod example;

use example::{golden, square};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "rank_count_written_down" => squares(3, 3, rank_count_written_down),
        "tail_lost" => squares(4, 4, tail_lost),
        "does_not_divide" => squares(4, 4, does_not_divide),
        "signal_too_short" => squares(4, 2, square),
        _ => return None,
    })
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// One launch, checked as the example checks it.
fn squares(p: usize, signals: usize, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let x = Array3::from_shape_fn((p, 1, 10), |(_, _, i)| i as f32);
    let mut y = Array3::zeros(x.dim());
    let (data, signal) = (world.window::<f32>([1, 10])?, world.window::<i32>([signals, 1])?);
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(1), calls)?;
    Ok(checked(golden(&x).check(y.view())))
}

/// The signal of four ranks.
#[pl::function(InCore, dynamic(SIZE))]
fn rank_count_written_down(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    _data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [4, 1] }>>,
) {
    pld::tensor::barrier(signal);
    pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], y);
}

/// Every rank has as many elements as the others: SIZE / nranks.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn tail_lost(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    mut y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let len = SIZE / nranks;
    let mine = pl::load(x, [0, my_rank * len], [1, len]);
    data = pl::store(mine * mine, [0, my_rank * len], data);
    pld::tensor::barrier(signal);
    for owner in 0..nranks {
        let segment = pld::tile::remote_load(data, peer = owner, offsets = [0, owner * len], shape = [1, len]);
        y = pl::store(segment, [0, owner * len], y);
    }
}

/// The shapes promise that the ranks divide the vector.
#[pl::function(InCore, dynamic(NR, LEN))]
fn does_not_divide(
    x: pl::Tensor<f32, { [1, NR * LEN] }>,
    y: pl::Out<pl::Tensor<f32, { [1, NR * LEN] }>>,
    _data: pl::InOut<pld::DistributedTensor<f32, { [1, NR * LEN] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pld::tensor::barrier(signal);
    pl::store(pl::load(x, [0, 0], [1, NR * LEN]), [0, 0], y);
}
