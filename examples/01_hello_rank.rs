//! Hello, rank: every rank finds out which one it is, and of how many.
//!
//! ```text
//! cargo run --release --example 01_hello_rank -- -d 0,1
//! cargo run --release --example 01_hello_rank -- -d 4,9,2
//! ```
//! The walkthrough is in `docs/tutorial/01-hello-rank.md`.

use pl::distributed as pld;
use pl::ndarray::Array2;
use pl::{DType, World};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};
use std::process::ExitCode;

/// Writes the own rank, and the number of ranks.
#[pl::function(InCore)]
pub fn hello(y: pl::Out<pl::Tensor<i32, { [2] }>>, window: pld::DistributedTensor<i32, { [1] }>) {
    let ctx = pld::get_comm_ctx(window);
    pl::write(y, [0], pld::rank(ctx) as i32);
    pl::write(y, [1], pld::nranks(ctx) as i32);
}

pub(crate) const PROGRAM: Program =
    Program::new("01_hello_rank", "Hello, rank: every rank finds out which one it is, and of how many")
        .min_ranks(1)
        .output("y", DType::I32, "[P, 2]");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, run)
}

pub(crate) fn run(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let window = world.window::<i32>([1])?;
    let mut y = Array2::zeros((p, 2));

    // One call per rank: rank r gets row r of y.
    if let Some(stage) = session.emit() {
        return session.print_stage(stage, |_| world.compile(y.outer_iter_mut().map(|y| hello(y, &window))));
    }
    session.launch(&world, y.outer_iter_mut().map(|y| hello(y, &window)))?;

    session.output(y.view())?;
    session.print(&greetings(&world, &y))?;
    let right = array((p, 2), |(rank, which)| if which == 0 { rank as i32 } else { p as i32 })?;
    session.judge(Golden::exact("each rank's number and the number of ranks", right).check(y.view()))
}

/// What the ranks wrote, one line for each.
fn greetings(world: &World, y: &Array2<i32>) -> String {
    let lines = y.outer_iter().zip(world.devices());
    lines.map(|(y, device)| format!("device {device}: rank {} of {}\n", y[0], y[1])).collect()
}
