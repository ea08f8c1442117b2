//! AllReduce in two phases: every rank adds up one chunk, then all fetch each other's.
//!
//! ```text
//! cargo run --release --example 09_allreduce_two_phase -- -p a2a3sim -d 0,1
//! cargo run --release --example 09_allreduce_two_phase -- -p a2a3sim -d 0,1,2,3
//! cargo run --release --example 09_allreduce_two_phase -- -d 0,1,2,3 --emit compare
//! ```
//! The kernel is in `examples/allreduce/two_phase.rs`, the walkthrough in `docs/tutorial/09-allreduce-two-phase.md`.

mod allreduce;

use allreduce::{TWO_PHASE, program, run};
use pl_examples_cli::Program;
use std::process::ExitCode;

const PROGRAM: Program = program(
    "09_allreduce_two_phase",
    "AllReduce in two phases: every rank adds up one chunk, then all fetch each other's",
);

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, |session| run(session, &TWO_PHASE))
}
