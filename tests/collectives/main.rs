//! Every collective and every transfer against ndarray: element types, reductions, modes, numbers of ranks, sizes. A kernel of a collective calls it
//! twice in a row on the same windows, with other data, and nothing between.
//!
//! `PL_TEST=full` runs all combinations, otherwise a part of them.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

#[macro_use]
mod numbers;

mod allreduce;
mod barriers;
mod between;
mod copies;
mod costs;
mod counts;
mod inject;
mod misuse;
mod special;
mod transfers;
