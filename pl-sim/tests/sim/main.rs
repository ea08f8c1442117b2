//! Kernels, as IR text, on simulated devices.

mod brute;
mod checks;
mod collective;
mod concurrency;
#[path = "../../../pl-core/tests/support/mod.rs"]
mod core_support;
mod domains;
mod explore;
mod faults;
mod inject;
mod lineup;
mod lints;
mod numbers;
mod protocols;
mod random;
mod runs;
mod scale;
mod series;
mod signals;
mod support;
mod tiles;
mod transfers;
mod unrolled;
mod unwritten;
mod views;
