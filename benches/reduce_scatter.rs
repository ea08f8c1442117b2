//! Reduce-scatter beside a loop nest of two threads that moves the same bytes.

#[path = "support/bench.rs"]
mod bench;
mod support;

use std::process::ExitCode;
use support::cases;

fn main() -> ExitCode {
    bench::main(cases::reduce_scatter())
}
