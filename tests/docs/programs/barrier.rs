//! 04-barrier.md.

use super::{checked, seeded};
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, Error, Window, World};
use pl_examples_cli::golden::Golden;

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/04_barrier.rs"]
mod example;

use example::{clear, meet};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "forgotten_notify" => launches(1, 1, forgotten_notify),
        "exactly_equal" => launches(1, 1, exactly_equal),
        "one_barrier_less" => launches(1, 1, one_barrier_less),
        "not_cleared" => launches(2, 1, not_cleared),
        "set_for_add" => launches(1, 1, set_for_add),
        "rank_0_stays_away" => launches(1, 1, rank_0_stays_away),
        _ => return None,
    })
}

/// A kernel with the parameters of the example's.
type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// This many launches on the same windows, checked as the example checks them.
fn launches(n: usize, seed: u64, step: Step) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let x = Array3::from_shape_fn((3, 1, 8), |(r, _, i)| (100 * r + i) as f32);
    let mut y = Array3::zeros(x.dim());
    let (data, signal) = (world.window::<f32>([1, 8])?, world.window::<i32>([3, 1])?);
    for _launch in 0..n {
        let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal));
        world.launch_with(seeded(seed), calls)?;
    }
    let right = Array3::from_shape_fn(x.dim(), |(r, row, i)| x[[(r + 2) % 3, row, i]]);
    Ok(checked(Golden::exact("the row of the rank two to the right", right).check(y.view())))
}

/// What the kernels with a mistake have in common: the row of the right neighbour.
#[pl::function(Inline, dynamic(SIZE))]
fn from_right(data: pld::DistributedTensor<f32, { [1, SIZE] }>) -> pl::Tile<f32, { [1, SIZE] }> {
    let ctx = pld::get_comm_ctx(data);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE])
}

/// Everybody waits for everybody, and nobody tells anybody.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn forgotten_notify(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);
        }
    }
    let row: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    pl::store(row, [0, 0], y);
}

/// The example's barrier with `Eq`.
#[pl::function(Inline, dynamic(NR))]
fn meet_exactly(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Eq);
        }
    }
}

/// A peer that is one barrier ahead has made the cell 2 before this rank saw the 1.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn exactly_equal(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    meet_exactly(signal, 1);
    let first: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    meet_exactly(signal, 2);
    data = pl::store(first, [0, 0], data);
    meet_exactly(signal, 3);
    let second: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    pl::store(second, [0, 0], y);
    clear(signal, 3);
}

/// A row is replaced before it is known that the left neighbour has read it.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn one_barrier_less(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    meet(signal, 1);
    let first: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    data = pl::store(first, [0, 0], data);
    meet(signal, 2);
    let second: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    pl::store(second, [0, 0], y);
    clear(signal, 2);
}

/// The example's kernel without its last line.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn not_cleared(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    meet(signal, 1);
    let first: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    meet(signal, 2);
    data = pl::store(first, [0, 0], data);
    meet(signal, 3);
    let second: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    pl::store(second, [0, 0], y);
}

/// One cell for all peers, that counts arrivals: `Set` does not count.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn set_for_add(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    for peer in 0..nranks {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
        }
    }
    pld::system::wait(signal, offsets = [0, 0], expected = nranks as i32 - 1, cmp = pld::WaitCmp::Ge);
    let row: pl::Tile<f32, { [1, SIZE] }> = from_right(data);
    pl::store(row, [0, 0], y);
}

/// A barrier in a branch that not every rank takes.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn rank_0_stays_away(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x, [0, 0], [1, SIZE]), [0, 0], data);
    if pld::rank(pld::get_comm_ctx(data)) != 0 {
        meet(signal, 1);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
}

/// As the page says, it goes well in other interleavings.
#[test]
fn exactly_equal_is_right_under_some_seeds() {
    let right = (0..32).filter(|seed| launches(1, *seed, exactly_equal).is_ok()).count();
    assert!(0 < right && right < 32, "{right} of 32");
}
