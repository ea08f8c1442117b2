//! 01-hello-rank.md.

use super::checked;
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{Error, World};
use pl_examples_cli::golden::Golden;

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/01_hello_rank.rs"]
mod example;

use example::hello;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    Some(match name {
        "device_for_rank" => with_device(device_for_rank),
        "device_for_peer" => with_device(device_for_peer),
        "half_written" => half(),
        "a_call_too_few" => a_call_too_few(),
        _ => return None,
    })
}

fn world() -> Result<World, Error> {
    World::open("a2a3sim", &[4, 9, 2])
}

/// The golden of the example.
fn greetings() -> Golden<'static, i32> {
    let right = Array2::from_shape_fn((3, 2), |(rank, which)| if which == 0 { rank as i32 } else { 3 });
    Golden::exact("each rank's number and the number of ranks", right)
}

/// Takes the id of its device for its rank.
#[pl::function(InCore)]
fn device_for_rank(
    y: pl::Out<pl::Tensor<i32, { [2] }>>,
    window: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
    device: usize,
) {
    pl::write(y, [0], device as i32);
    pl::write(y, [1], pld::nranks(pld::get_comm_ctx(window)) as i32);
}

/// Notifies the device, and not the rank.
#[pl::function(InCore)]
fn device_for_peer(
    y: pl::Out<pl::Tensor<i32, { [2] }>>,
    window: pl::InOut<pld::DistributedTensor<i32, { [1] }>>,
    device: usize,
) {
    pld::system::notify(window, peer = device, offsets = [0], value = 1, op = pld::NotifyOp::Set);
    pl::write(y, [0], 0);
    pl::write(y, [1], 0);
}

/// A kernel that takes the id of its device.
type WithDevice = for<'a> fn(pl::ndarray::ArrayViewMut1<'a, i32>, &'a pl::Window<i32>, usize) -> pl::Call<'a>;

fn with_device(step: WithDevice) -> Result<String, Error> {
    let world = world()?;
    let window = world.window([1])?;
    let mut y = Array2::zeros((3, 2));
    let calls = y.outer_iter_mut().zip(world.devices()).map(|(y, device)| step(y, &window, *device as usize));
    world.launch_with(super::seeded(1), calls)?;
    Ok(checked(greetings().check(y.view())))
}

/// Writes one of two elements.
#[pl::function(InCore)]
fn half_written(y: pl::Out<pl::Tensor<i32, { [2] }>>, window: pld::DistributedTensor<i32, { [1] }>) {
    pl::write(y, [0], pld::rank(pld::get_comm_ctx(window)) as i32);
}

fn half() -> Result<String, Error> {
    let world = world()?;
    let window = world.window([1])?;
    let mut y = Array2::zeros((3, 2));
    world.launch(y.outer_iter_mut().map(|y| half_written(y, &window)))?;
    Ok(checked(greetings().check(y.view())))
}

fn a_call_too_few() -> Result<String, Error> {
    let world = world()?;
    let window = world.window([1])?;
    let mut y = Array2::zeros((2, 2));
    world.launch(y.outer_iter_mut().map(|y| hello(y, &window)))?;
    Ok("OK\n".into())
}
