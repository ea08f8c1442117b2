//! Kernels, as IR text, on simulated devices.

mod faults;
mod numbers;
mod protocols;
mod runs;
mod scale;
mod support;
