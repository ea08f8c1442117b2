//! Small launches, and barriers.

#[path = "support/bench.rs"]
mod bench;
mod support;

use std::process::ExitCode;
use support::cases;

fn main() -> ExitCode {
    bench::main(cases::launches().into_iter().chain(cases::barriers()).collect())
}
