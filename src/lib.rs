//! Distributed kernels as Rust functions: checked when they are compiled, run on simulated devices.
//!
//! A kernel is a function under [`#[pl::function]`](macro@function). What it may say is [the language](load): tiles, loads and stores, and
//! in [`distributed`] the windows that ranks share, signals, and collectives. Calling the kernel gives a [`Call`], and a [`World`] launches
//! one call per rank. The devices check every access to a window before it happens, so that a hang, a race or a read of
//! nothing is a report with the rank, the cell and the line.
//!
//! ```
//! use pl::distributed as pld;
//! use pl::ndarray::{Array3, Axis};
//!
//! /// Rank r ends with the sum over the ranks of their row r.
//! #[pl::function(InCore, dynamic(NR, SIZE))]
//! fn step(
//!     x: pl::Tensor<f32, { [NR, SIZE] }>,
//!     y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
//!     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
//!     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
//! ) {
//!     let my_rank = pld::rank(pld::get_comm_ctx(data));
//!     let rows = pl::load(x, [0, 0], [NR, SIZE]);
//!     data = pl::store(rows, [0, 0], data);
//!     data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
//!     let row = pl::load(data, [my_rank, 0], [1, SIZE]);
//!     pl::store(row, [0, 0], y);
//! }
//!
//! let world = pl::World::open("a2a3sim", &[0, 1, 2])?;
//! let (p, size) = (world.size(), 8);
//! let data = world.window::<f32>([p, size])?;
//! let signal = world.window::<i32>([p, 1])?;
//! let x = Array3::from_shape_fn((p, p, size), |(rank, row, _)| (10 * rank + row) as f32);
//! let mut y = Array3::zeros((p, 1, size));
//! let report = world.launch(x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, &data, &signal)))?;
//! assert_eq!(y.index_axis(Axis(1), 0), x.sum_axis(Axis(0)));
//! assert_eq!(report.ranks[0].bytes_received, 2 * 8 * 4);
//! # Ok::<(), pl::Error>(())
//! ```
#![forbid(unsafe_code)]

// The output of `pl::function` names this crate `::pl`, here too.
extern crate self as pl;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod collectives;
mod host;
mod lang;

pub use half;
pub use host::{
    BindProblem, Call, Card, Count, Error, Fault, LaunchOptions, Report, ScalarArgument, Scheduler, Stage, Window,
    World,
};
pub use lang::*;
pub use ndarray;
pub use pl_core::bind::BindError;
pub use pl_core::dtype::DType;
pub use pl_core::{fault, ir, text};
pub use pl_macros::function;
