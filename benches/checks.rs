//! What the checks cost: kernels with checks and without, alternately.

#[path = "support/bench.rs"]
mod bench;
mod support;

use std::process::ExitCode;
use support::cases;

fn main() -> ExitCode {
    bench::main(cases::checks())
}
