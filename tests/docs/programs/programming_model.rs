//! 02-programming-model.md.

use super::seeded;
use model::{fetch, prepare, weighted_sum};
use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{Error, HostCall, World};

#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../../examples/02_programming_model.rs"]
mod model;

/// Runs a program of the page.
pub fn run(name: &str) -> Option<Result<String, Error>> {
    let (x, mut y) = (Array2::ones((2, 64)), Array2::zeros((2, 64)));
    Some(match name {
        "model_launches" => launches(),
        "model_not_staged" => run_on(2, not_staged(x.view(), y.view_mut())),
        "model_some_ranks" => run_on(2, some_ranks(x.view(), y.view_mut(), 1)),
        "model_too_few_rows" => run_on(3, weighted_sum(x.view(), y.view_mut())),
        _ => return None,
    })
}

fn run_on(ranks: usize, call: HostCall<'_>) -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2][..ranks])?;
    world.run_with(seeded(1), call)?;
    Ok("OK\n".into())
}

/// What the Host function of the example launches, and what a rank receives.
fn launches() -> Result<String, Error> {
    let world = World::open("a2a3sim", &[0, 1, 2, 3])?;
    let (x, mut y) = (Array2::ones((4, 64)), Array2::zeros((4, 64)));
    let report = world.run(weighted_sum(x.view(), y.view_mut()))?;
    let line = |launch: &pl::HostLaunch| format!("{}: {} bytes\n", launch.what, launch.report.ranks[0].bytes_received);
    Ok(report.launches.iter().map(line).collect())
}

/// Nothing is staged.
#[pl::function(Host, dynamic(NR, SIZE))]
fn not_staged(_x: pl::Tensor<f32, { [NR, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(SIZE * 4), [SIZE]);
    for r in 0..pld::world_size() {
        fetch(data, y[r], device = r);
    }
}

/// The number of ranks is a parameter, and may be less than there are.
#[pl::function(Host, dynamic(NR, SIZE))]
fn some_ranks(x: pl::Tensor<f32, { [NR, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>, ranks: usize) {
    let data = pld::window::<f32>(pld::alloc_window_buffer(SIZE * 4), [SIZE]);
    for r in 0..ranks {
        prepare(x[r], data, 1.0, device = r);
    }
    for r in 0..ranks {
        fetch(data, y[r], device = r);
    }
}
