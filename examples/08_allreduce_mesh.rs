//! AllReduce as a mesh: every rank reads the vectors of all ranks and adds them up.
//!
//! ```text
//! cargo run --release --example 08_allreduce_mesh -- -p a2a3sim -d 0,1
//! cargo run --release --example 08_allreduce_mesh -- -p a2a3sim -d 0,1,2,3
//! cargo run --release --example 08_allreduce_mesh -- -d 0,1,2,3 --emit compare
//! ```
//! The kernel is in `examples/allreduce/mesh.rs`, the walkthrough in `docs/tutorial/08-allreduce-mesh.md`.

mod allreduce;

use allreduce::{MESH, program, run};
use pl_examples_cli::Program;
use std::process::ExitCode;

const PROGRAM: Program =
    program("08_allreduce_mesh", "AllReduce as a mesh: every rank reads the vectors of all ranks and adds them up");

fn main() -> ExitCode {
    pl_examples_cli::main(PROGRAM, |session| run(session, &MESH))
}
