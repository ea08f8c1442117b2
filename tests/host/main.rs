//! The whole way: kernels, the host side, and the examples' command line, through the public API.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod arguments;
mod bench_compare;
mod cli;
mod cli_files;
mod collectives_host;
mod concurrency;
mod domains;
#[expect(dead_code, reason = "the example's own command line")]
#[path = "../../examples/14_reduce_scatter.rs"]
mod example;
mod explore;
mod faults;
mod library;
mod lints;
mod ops;
mod process;
mod program;
mod programs;
mod reduce_scatter;
mod reference;
mod scalars;
mod support;
mod tutorial;
mod windows;
mod world;
