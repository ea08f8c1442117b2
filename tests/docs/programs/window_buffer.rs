//! 03-window-buffer.md.

use super::{checked, seeded};
use pl::distributed as pld;
use pl::ndarray::Array3;
use pl::{Error, Window, World};
use pl_examples_cli::golden::Golden;

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/03_window_buffer.rs"]
mod example;

use example::{accumulate, read_right};

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "three_ways" => three_ways(),
        "nothing_written" => nothing_written(),
        "carried_over" => carried_over(),
        "own_part" => own_part(),
        "one_launch" => one_launch(),
        "window_too_short" => window_too_short(),
        "poisoned" => poisoned(),
        _ => return None,
    })
}

fn world() -> Result<World, Error> {
    World::open("a2a3sim", &[0, 1, 2])
}

fn numbers() -> Array3<f32> {
    Array3::from_shape_fn((3, 1, 8), |(r, _, i)| (100 * r + i) as f32)
}

/// The launches of the example, and its check.
fn launches(world: &World, total: &Window<f32>) -> Result<String, Error> {
    let x = numbers();
    let mut y = Array3::zeros(x.dim());
    for _launch in 0..2 {
        world.launch_with(seeded(1), x.outer_iter().map(|x| accumulate(x, total)))?;
    }
    world.launch_with(seeded(1), y.outer_iter_mut().map(|y| read_right(y, total)))?;
    Ok(checked(right().check(y.view())))
}

fn right() -> Golden<'static, f32> {
    let x = numbers();
    Golden::exact(
        "twice the neighbour's numbers",
        Array3::from_shape_fn(x.dim(), |(r, row, i)| 2.0 * x[[(r + 1) % 3, row, i]]),
    )
}

/// What a window holds at first, by the way it was made.
fn three_ways() -> Result<String, Error> {
    let world = world()?;
    let x = numbers();
    let zeros = world.zeros::<f32>([1, 8])?;
    let from = world.window_from(&x)?;
    for total in [&zeros, &from] {
        world.launch(x.outer_iter().map(|x| accumulate(x, total)))?;
    }
    Ok(format!("{}\n{}\n", zeros.rank(2)?.view(), from.rank(2)?.view()))
}

fn nothing_written() -> Result<String, Error> {
    let world = world()?;
    let total = world.window::<f32>([1, 8])?;
    launches(&world, &total)
}

fn carried_over() -> Result<String, Error> {
    let world = world()?;
    let total = world.zeros::<f32>([1, 8])?;
    launches(&world, &total)?;
    launches(&world, &total)
}

/// Loads from the own part.
#[pl::function(InCore, dynamic(SIZE))]
fn read_own(y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>, total: pld::DistributedTensor<f32, { [1, SIZE] }>) {
    pl::store(pl::load(total, [0, 0], [1, SIZE]), [0, 0], y);
}

fn own_part() -> Result<String, Error> {
    let world = world()?;
    let total = world.window_from(&(numbers() * 2.0))?;
    let mut y = Array3::zeros((3, 1, 8));
    world.launch(y.outer_iter_mut().map(|y| read_own(y, &total)))?;
    Ok(checked(right().check(y.view())))
}

/// Both kernels in one.
#[pl::function(InCore, dynamic(SIZE))]
fn accumulate_and_read(
    x: pl::Tensor<f32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    mut total: pl::InOut<pld::DistributedTensor<f32, { [1, SIZE] }>>,
) {
    let ctx = pld::get_comm_ctx(total);
    let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    let sum = pl::load(total, [0, 0], [1, SIZE]) + pl::load(x, [0, 0], [1, SIZE]);
    total = pl::store(sum, [0, 0], total);
    let theirs = pld::tile::remote_load(total, peer = right, offsets = [0, 0], shape = [1, SIZE]);
    pl::store(theirs, [0, 0], y);
}

fn one_launch() -> Result<String, Error> {
    let world = world()?;
    let total = world.zeros::<f32>([1, 8])?;
    launch_both(&world, &total)?;
    Ok("OK\n".into())
}

fn launch_both(world: &World, total: &Window<f32>) -> Result<pl::Report, Error> {
    let x = numbers();
    let mut y = Array3::zeros(x.dim());
    world.launch_with(seeded(1), x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| accumulate_and_read(x, y, total)))
}

fn window_too_short() -> Result<String, Error> {
    let world = world()?;
    let total = world.zeros::<f32>([1, 4])?;
    launches(&world, &total)
}

fn poisoned() -> Result<String, Error> {
    let world = world()?;
    let total = world.zeros::<f32>([1, 8])?;
    if launch_both(&world, &total).is_ok() {
        return Ok("no race\n".into());
    }
    launches(&world, &total)
}

/// As the page says, with zeros from the host the launches give the same again.
#[test]
fn a_window_that_is_reset_is_as_new() -> Result<(), Error> {
    let world = world()?;
    let total = world.zeros::<f32>([1, 8])?;
    assert_eq!(launches(&world, &total)?, "OK\n");
    world.reset(&total)?;
    assert!(launches(&world, &total).is_err(), "its zeros are no data");
    world.reset(&total)?;
    for rank in 0..world.size() {
        total.write(rank, &pl::ndarray::Array2::<f32>::zeros((1, 8)))?;
    }
    assert_eq!(launches(&world, &total)?, "OK\n");
    Ok(())
}
