//! Simulated devices.
