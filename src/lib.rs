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
//!
//! # Worlds, windows, launches
//! A [`World`] is P ranks, one per device: `World::open("a2a3sim", &[4, 9])` is rank 0 on device 4 and rank 1 on device 9. A device runs the
//! call of its rank, op by op, and has three kinds of memory:
//!
//! - **Tensors** are lent by the host for a launch: `ndarray` views, of which a rank sees only its own. `In` tensors and `InOut` tensors hold data from
//!   the start, `Out` tensors hold what the kernel stores.
//! - **Windows** are symmetric: [`World::window`] makes an array of one shape on every rank, and a kernel reaches that of any rank by naming
//!   the peer. A window outlives launches. One of `i32` serves as a *signal*: its cells are notified and waited for.
//! - **Tiles** are values in on-chip memory, on which a kernel computes. Platform `sim` has as much of it as you like, `a2a3sim` 184 KiB, `a5sim` 240 KiB.
//!
//! [`World::launch`] takes one call per rank, and they need not be of the same kernel. It binds the `dynamic` names from the arguments' shapes
//! (`NR * SIZE = 32` and `NR = 4` give `SIZE = 8`), checks that all arguments agree, replaces collectives by what they stand for, checks the result
//! once more, and runs it. It gives a [`Report`] of what each rank moved; [`World::compile`] stops before the run and gives the
//! [`Stage`]s to look at, with the costs in advance.
//!
//! [`World::subset`] makes a world of some ranks, a *domain* with windows, rank numbers and collectives of its own, on the same devices. A kernel may use windows
//! of several domains, and [`World::launch_together`] runs disjoint ones in one launch.
//!
//! # Host functions, and collectives from the host
//! A whole step can be one function: `#[pl::function(Host)]` allocates windows, dispatches kernels in loops over the ranks, and calls collectives between.
//! [`World::run`] runs it: each loop that dispatches is one launch, and reports say which line made it. `Orchestration` functions, which
//! call kernels one after the other on one device, are launched and dispatched like kernels.
//!
//! Programs that launch by themselves have the collectives as methods: [`World::allreduce`], [`World::broadcast`] and their siblings, on windows, and on
//! subsets as well.
//!
//! # The memory model
//! Within a rank, ops happen in the order of the program. Between ranks **only signals order**: what a rank did before a
//! [`notify`](distributed::system::notify) happens before what another does after a [`wait`](distributed::system::wait) that passed because of it, and so on from
//! rank to rank. A wait that passed has acquired what was before the notifies because of which it passed: the last `Set` of its cell and the adds since, up to the
//! first one that satisfied it. What was notified later counts only for a later wait, even where the wait came so late that it found it there. The start and the end of a launch
//! order everything.
//!
//! - A **race** is two accesses by different ranks to the same element of a window, at least one of them a write, that nothing orders. It is an error even
//!   when the values come out right, and it is found before the second access happens. Notifies, waits and [`read`]s of a signal's
//!   cells do not race with each other; `read` acquires nothing.
//! - **Initialised** is what a kernel or the host has written. [`World::window`] gives storage whose zeros are not data: to load them is an
//!   error, to notify and wait for them is not. [`World::zeros`] and [`World::window_from`] make data.
//! - A **deadlock** is reported as soon as no rank can run and not all are done, a **livelock** when all that still run re-read cells that nobody changes. An endless
//!   loop ends by [`LaunchOptions::op_budget`]. There are no time-outs.
//!
//! # One launch is one interleaving
//! A report is about something that happened, in an interleaving that exists: it is a mistake to mend, also when the values would have come out right.
//! A clean run says that *this* interleaving broke no rule, and proves nothing of the others: which notify let a wait pass, or what a `read` saw, may
//! differ in the next run, and with it what is ordered and which branch a rank takes. To look at others, explore: [`World::explore`] runs a closure that
//! launches under many schedules, at random, by random priorities, or all that can differ, and [`World::exploring`] does it with each launch of a program; the
//! examples take `--explore`. What fails is made smaller and comes with a token that replays it. When an exhaustive exploration has come to its end, the
//! program has no such mistake with this number of ranks and this input; everything else is evidence. Each report says by which schedules it was found.
//!
//! A single schedule is repeated by a seed: `LaunchOptions { scheduler: Scheduler::Seeded(n), ..Default::default() }`, as [`World::launch_with`] shows.
//! [`LaunchOptions::inject`] lets ranks stop or lag, and notifies get lost or come twice.
//!
//! Kernels without races give bit-identical results under every scheduler, with exceptions: they `read` a cell while others notify it, or several
//! ranks add to one float element with `atomic = Add` and nothing orders them, so that the sum is rounded in another order. The report names such
//! places. A cell that several ranks `Set` in no order keeps the last value, whichever that is. After a launch that failed, the windows it used are poisoned until [`World::reset`].
//!
//! # When a mistake is reported
//! At the earliest of four moments, all mistakes of one moment together:
//!
//! 1. **The macro**, at your tokens: syntax, ops and their arguments, element types, ranks and shapes as far as names and literals show them.
//! 2. **rustc**, at your tokens: types, borrowed names, constants. Kernels with generics are fully checked by `cargo build`, not by `cargo check`.
//! 3. **Bind**, in [`World::launch`], before any rank runs: extents, the number of ranks, tile memory, windows that must differ, windows of a
//!    collective that must be the same on all ranks. Also what rustc cannot evaluate of a generic argument: which element types an op takes, literals of
//!    `T`, the extents of generic callees, recursion through several `Inline` functions. See [`BindProblem`].
//! 4. **The run**: values. A [`Fault`] holds each side of what went wrong, with rank, op, box and line.
//!
//! Both are an [`Error`], which prints as a report, also when `main` returns it. Nothing panics, and no library prints.
//!
//! # Limits
//! - A tensor, window or tile has at most 6 axes. A window has less than 2^32 elements per rank.
//! - Blocks and expressions of a kernel are nested at most 128 deep; the bodies of functions that it calls count where they are called.
//! - A rank executes at most 10^9 ops in a launch, unless [`LaunchOptions::op_budget`] says otherwise.
//! - A [`World`] may be used from several threads. A device runs one launch at a time; another waits until that has ended.
#![forbid(unsafe_code)]

// The output of `pl::function` names this crate `::pl`, here too.
extern crate self as pl;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod collectives;
#[cfg(doctest)]
mod doctests;
mod host;
mod lang;
pub mod report;

pub use half;
pub use host::{
    AllreduceMode, BindProblem, Call, Card, Count, Error, Explore, Explored, Failed, Fault, Found, HostCall,
    HostLaunch, HostReport, HostStages, Injection, LaunchOptions, LaunchStages, Progress, RankView, RankViewMut,
    Report, Run, ScalarArgument, Scheduler, Stage, Step, Strategy, Window, World,
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
/// It begins with the level of the function:
///
/// - `InCore`: a kernel. It runs on one device, computes on tiles, and talks to other ranks through windows.
/// - `Inline`: a function that kernels call.
/// - `Orchestration`: a sequence of kernels on one device, with scalars, loops and branches around them. It is launched like a kernel.
/// - `Host`: a program for all devices of a world. It makes windows, dispatches kernels and `Orchestration` functions with `device = r`, and calls
///   collectives of the whole world.
///
/// `dynamic(NR, SIZE)` declares the names of extents that a launch binds from its arguments' shapes.
///
/// `allow(set_overwrote, stale_wait)` keeps lints of a run that went well out of its [`Report`]: those at a line of this function, or of what it calls, the
/// bodies of collectives among it. A function that is called brings its own `allow(…)`, for its own lines; of a `Host` function it holds for all that it
/// launches. The lints are the kinds of [`LintKind`](fault::LintKind), each with its definition. Faults cannot be allowed.
///
/// # The signature
/// Parameters are [`pl::Tensor<f32, { [1, SIZE] }>`](Tensor) and [`pld::DistributedTensor`](distributed::DistributedTensor), read only, or written
/// inside of [`pl::Out`] and [`pl::InOut`]; scalars: an element type, `usize`, `bool`; and, of `Inline` functions, [`pl::Tile`].
/// Types are written by these paths. A shape is made of literals, constants, const generics, the declared names, and `+ - * / %`.
///
/// A function but an `Inline` one returns nothing, or what it has rebound: `-> pl::Tensor<…>` of `pl::store(tile, offsets, y)`. It may be generic: `T: pl::Element`,
/// `const N: usize`. What depends on a generic argument is checked by `cargo build`, not by `cargo check`.
///
/// # The body
/// - `let`, `let mut`, shadowing, assignments; `for i in a..b` and [`pl::range`], `while`, `if` / `else`, also as values.
/// - Ops: [`pl::load`] and all the others, by their path. Arguments may be named: `pl::load(x, offsets = [0, 0], shape = [1, SIZE])`.
/// - Scalars with `+ - * / %`, comparisons, `&& || !`, [`pl::min`], [`pl::max`], `as`. Indices are `usize`. Tiles with `+ - * /`.
/// - Constants, written in capitals; `T::ZERO`, `T::ONE`, [`pl::lit::<T>(1.5)`](lit).
/// - Calls of `Inline` functions, with positional arguments, and generic ones written out: `stage::<f32, 4>(…)`. The result's type is not known
///   to the caller's macro: `let t: pl::Tile<f32, { [1, SIZE] }> = …` says it where it matters. A function of your own is not named as an op is.
/// - In an `Orchestration` function, calls of kernels, whose results rebind: `y = step(x, y, data)`. Of the ops it has [`pl::read`], and asks for
///   ranks ([`pld::rank`](distributed::rank)).
/// - In a `Host` function, `x[r]`, the [`part`] of a tensor that one rank gets, and dispatches: `step(x[r], y[r], data, device = r)`. Of the ops it has
///   [`pld::world_size`](distributed::world_size), [`pld::alloc_window_buffer`](distributed::alloc_window_buffer),
///   [`pld::window`](distributed::window), and the collectives; [`pld::tensor::allreduce`](distributed::tensor::allreduce) takes no signal there.
///
/// All errors of a function are reported at once. rustc type-checks the body too, and its lints are its own.
///
/// # What it makes
/// A kernel becomes a function of the same name for the host: a tensor is an `ndarray` view, a window a [`&Window`](Window), a scalar itself,
/// and calling it gives a [`Call`]; of a `Host` function, a [`HostCall`]. Of the same name is a type, that carries the IR: `stage::ir()`,
/// `ring::ir::<f32, 4>()`, a [`Kernel`]. So a kernel and a module beside it cannot have one name.
pub use pl_macros::function;
