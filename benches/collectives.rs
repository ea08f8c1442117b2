//! Allgather and allreduce beside loop nests of two threads that move the same bytes.

#[path = "support/bench.rs"]
mod bench;
mod support;

use std::process::ExitCode;
use support::cases;

fn main() -> ExitCode {
    bench::main(cases::collectives())
}
