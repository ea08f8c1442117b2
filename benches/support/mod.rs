//! What the benchmarks share, and `examples/bench_compare` with them.
#![allow(dead_code, reason = "every benchmark uses a part")]

pub mod cases;
pub mod figures;
pub mod kernels;
pub mod measure;
pub mod nests;
pub mod pair;
pub mod worlds;
