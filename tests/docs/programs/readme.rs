//! README.md.

use super::seeded;
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, World};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "notify_first" => launch_notify_first(),
        _ => return None,
    })
}

/// The kernel of README.md, with two of its lines the wrong way round.
#[pl::function(InCore, dynamic(SIZE))]
fn notify_first(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [1, 1] }>>,
) {
    let ctx = pld::get_comm_ctx(data);
    let my_rank = pld::rank(ctx);
    let nranks = pld::nranks(ctx);
    let right = (my_rank + 1) % nranks;
    let left = (my_rank + nranks - 1) % nranks;

    let mine = pl::load(x, [0, 0], [1, SIZE]);
    pld::system::notify(signal, peer = right, offsets = [0, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
    data = pl::store(mine, [0, 0], data);

    pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Ge);
    let theirs = pld::tile::remote_load(data, peer = left, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(mine + theirs, [0, 0], y);
}

fn launch_notify_first() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2])?;
    let (data, signal) = (world.window::<f32>([1, 4])?, world.window::<i32>([1, 1])?);
    let x = Array3::from_shape_fn((3, 1, 4), |(rank, _, i)| (10 * rank + i) as f32);
    let mut y = Array3::zeros((3, 1, 4));
    let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| notify_first(x, y, &data, &signal));
    world.launch_with(seeded(1), calls)?;
    Ok(format!("{y}\n"))
}
