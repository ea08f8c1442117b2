//! AllReduce as a ring: a segment a round, from the left neighbour.
//!
//! ```text
//! cargo run --release --example 10_allreduce_ring -- -p a2a3sim -d 0,1
//! cargo run --release --example 10_allreduce_ring -- -p a2a3sim -d 0,1,2,3
//! cargo run --release --example 10_allreduce_ring -- -d 0,1,2,3 --emit compare
//! ```
//! The kernel is in `examples/allreduce/ring.rs`, the walkthrough in `docs/tutorial/10-allreduce-ring.md`.

mod allreduce;

use allreduce::{RING, program, run};
use pl_examples_cli::Program;
use std::process::ExitCode;

const PROGRAM: Program =
    program("10_allreduce_ring", "AllReduce as a ring: a segment a round, from the left neighbour");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, |session| run(session, &RING))
}
