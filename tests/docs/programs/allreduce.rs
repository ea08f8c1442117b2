//! What the programs of the pages about allreduce have in common.

pub use super::allreduce_reveal::reveal::allreduce as ways;

use super::{checked, seeded};
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, Error, Window, World};
use pl_examples_cli::golden::allreduce;

/// A kernel with the parameters of the examples'.
pub type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// The numbers that the examples take without `--input`.
pub fn counting(ranks: usize, size: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 1, size), |(r, _, i)| (100 * r + i) as f32)
}

/// Numbers whose f32 sum depends on the order.
pub fn uneven(ranks: usize, size: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 1, size), |(r, _, i)| 0.1 + 0.7 * r as f32 + 0.3 * i as f32)
}

/// The shape of a signal with a cell per rank, and of one with a row per round.
pub fn cells(ranks: usize) -> [usize; 2] {
    [ranks, 1]
}
pub fn rows(ranks: usize) -> [usize; 2] {
    [2 * (ranks - 1), ranks]
}

/// One launch, checked as the examples check theirs.
pub fn reduce(seed: u64, x: &Array3<f32>, signal: fn(usize) -> [usize; 2], step: Step) -> Result<String, Error> {
    let (p, _, size) = x.dim();
    let world = World::open("a2a3sim", &[0, 1, 2, 3][..p])?;
    let (data, signal) = (world.window::<f32>([1, size])?, world.window::<i32>(signal(p))?);
    let mut y = Array3::zeros(x.dim());
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
    world.launch_with(seeded(seed), calls)?;
    Ok(checked(allreduce(x.view(), pld::ReduceOp::Sum).check(y.view())))
}

/// Copies the vector into the window.
#[pl::function(Inline, dynamic(SIZE))]
pub fn stage(x: pl::Tensor<f32, { [1, SIZE] }>, mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
}

/// `acc`, and elements `start..start + len` of the peers.
#[pl::function(Inline, dynamic(SIZE, LEN))]
pub fn add_peers(
    mut acc: pl::Tile<f32, { [1, LEN] }>,
    data: pld::DistributedTensor<f32, { [1, SIZE] }>,
    start: usize,
) -> pl::Tile<f32, { [1, LEN] }> {
    let ctx = pld::get_comm_ctx(data);
    for peer in 0..pld::nranks(ctx) {
        if peer != pld::rank(ctx) {
            acc += pld::tile::remote_load(data, peer = peer, offsets = [0, start], shape = [1, LEN]);
        }
    }
    acc
}
