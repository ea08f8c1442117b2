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
/// Makes a function a function of the kernel language.
///
/// ```
/// use pl::distributed as pld;
///
/// #[pl::function(InCore, dynamic(NR, SIZE))]
/// fn stage(
///     x: pl::Tensor<f32, { [1, NR * SIZE] }>,
///     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
/// ) {
///     for row in 0..pld::nranks(pld::get_comm_ctx(data)) {
///         data = pl::store(pl::load(x, [0, row * SIZE], [1, SIZE]), [row, 0], data);
///     }
/// }
/// ```
///
/// # The attribute
/// `InCore` is a kernel: it runs on one device, and the host launches it. `Inline` is a function that kernels call. `dynamic(NR, SIZE)` declares
/// the names of extents that a launch binds from its arguments' shapes.
///
/// # The signature
/// Parameters are [`pl::Tensor<f32, { [1, SIZE] }>`](Tensor) and [`pld::DistributedTensor`](distributed::DistributedTensor), read only, or written
/// inside of [`pl::Out`] and [`pl::InOut`]; scalars: an element type, `usize`, `bool`; and, of `Inline` functions, [`pl::Tile`].
/// Types are written by these paths. A shape is made of literals, constants, const generics, the declared names, and `+ - * / %`.
///
/// A kernel returns nothing, or what it has rebound: `-> pl::Tensor<…>` of `pl::store(tile, offsets, y)`. It may be generic: `T: pl::Element`,
/// `const N: usize`. What depends on a generic argument is checked by `cargo build`, not by `cargo check`.
///
/// # The body
/// - `let`, `let mut`, shadowing, assignments; `for i in a..b` and [`pl::range`], `while`, `if` / `else`, also as values.
/// - Ops: [`pl::load`] and all the others, by their path. Arguments may be named: `pl::load(x, offsets = [0, 0], shape = [1, SIZE])`.
/// - Scalars with `+ - * / %`, comparisons, `&& || !`, [`pl::min`], [`pl::max`], `as`. Indices are `usize`. Tiles with `+ - * /`.
/// - Constants, written in capitals; `T::ZERO`, `T::ONE`, [`pl::lit::<T>(1.5)`](lit).
/// - Calls of `Inline` functions, with positional arguments, and generic ones written out: `stage::<f32, 4>(…)`. The result's type is not known
///   to the caller's macro: `let t: pl::Tile<f32, { [1, SIZE] }> = …` says it where it matters. A function of your own is not named as an op is.
///
/// All errors of a function are reported at once. rustc type-checks the body too, and its lints are its own.
///
/// # What it makes
/// A kernel becomes a function of the same name for the host: a tensor is an `ndarray` view, a window a [`&Window`](Window), a scalar itself,
/// and calling it gives a [`Call`]. Of the same name is a type, that carries the IR: `stage::ir()`, `ring::ir::<f32, 4>()`, a [`Kernel`]. So a
/// kernel and a module beside it cannot have one name.
pub use pl_macros::function;
