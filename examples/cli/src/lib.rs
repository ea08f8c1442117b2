//! The command line that the examples of pl share: flags, `.npy` files, goldens, exit statuses.
//!
//! An example is a kernel and thirty lines. It describes itself with a [`Program`] and hands [`main`] a function from a [`Session`] to
//! `Result<Done, Failure>`:
//!
//! ```no_run
//! use pl::DType;
//! use pl::distributed as pld;
//! use pl::ndarray::{Array3, Axis};
//! use pl_examples_cli::golden::Golden;
//! use pl_examples_cli::{Done, Failure, Program, Session, array};
//! use std::process::ExitCode;
//!
//! /// Every rank leaves with the row of its right neighbour.
//! #[pl::function(InCore, dynamic(SIZE))]
//! pub fn from_right(
//!     y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
//!     data: pld::DistributedTensor<f32, { [1, SIZE] }>,
//! ) {
//!     let ctx = pld::get_comm_ctx(data);
//!     let right = (pld::rank(ctx) + 1) % pld::nranks(ctx);
//!     pl::store(pld::tile::remote_load(data, peer = right, offsets = [0, 0], shape = [1, SIZE]), [0, 0], y);
//! }
//!
//! const PROGRAM: Program = Program::new("00_neighbour", "Every rank reads from its neighbour")
//!     .input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
//!     .output("y", DType::F32, "[P, 1, SIZE]");
//!
//! fn main() -> ExitCode {
//!     pl_examples_cli::main(PROGRAM, run)
//! }
//!
//! fn run(session: &Session) -> Result<Done, Failure> {
//!     let world = session.world()?;
//!     let p = world.size();
//!     let x = session.input(p)?.map_or_else(|| array((p, 1, 64), |(r, _, i)| (100 * r + i) as f32), Ok)?;
//!     let mut y = Array3::zeros(x.dim());
//!     let data = world.window_from(&x)?;
//!
//!     if let Some(stage) = session.emit() {
//!         return session.print_stage(stage, |_mode| world.compile(y.outer_iter_mut().map(|y| from_right(y, &data))));
//!     }
//!     session.launch(&world, y.outer_iter_mut().map(|y| from_right(y, &data)))?;
//!
//!     session.output(y.view())?;
//!     let right = array(x.dim(), |(r, row, i)| x[[(r + 1) % p, row, i]])?;
//!     session.judge(Golden::exact("the neighbour's row", right).check(y.view()))
//! }
//! ```
//!
//! # What the parts do
//! - [`Program`] is built from a name and a line. All programs have `-p`, `-d`, `--seed`, `--explore`,
//!   `--replay`, `--color`, `--emit` and `--help`;
//!   [`modes`](Program::modes) adds `--mode hand|builtin` and `--emit diff`, [`input`](Program::input) and [`output`](Program::output) add the
//!   files, [`choice`](Program::choice) flags of the program's own, [`compares`](Program::compares) `--emit compare`, and
//!   [`min_ranks`](Program::min_ranks) says that a program does with one rank.
//! - [`Session::world`] opens the world, [`Session::input`] reads an array of `f32` or `i32` and checks it against the shape that the program
//!   promises (axes are products of `P`, numbers, and free names), [`array`](fn@array) makes one.
//! - [`Session::print_stage`] answers `--emit` for any launch that [`pl::World::compile`] can take; its closure gets the mode whose kernel is wanted.
//!   [`comparison`] is the table of `--emit compare`: bytes, steps and barriers of several ways to do the same, from the cost cards.
//! - [`Session::launch`] runs the calls of one launch; call it as often as the program launches. [`Session::run`] runs a `Host` function, and
//!   [`Session::launch_by`] is for anything else that runs.
//! - [`golden::Golden`] says what is right: [`exact`](golden::Golden::exact) for copies, permutations and counts,
//!   [`reduce`](golden::Golden::reduce) for Sum, Prod, Max and Min over ranks, with [`on_every_rank`](golden::Golden::on_every_rank) where all
//!   have the same bits, [`mistake`](golden::Golden::mistake) for what a typical slip would give. [`Session::judge`] ends the run with its verdict.
//!
//! Data and `OK` go to stdout, reports and notes to stderr. The exit status is in [`Failure::status`].
//!
//! # What tests a program
//! A file in `examples/` is tested as it is, with nothing to register: `tests/host/programs.rs` runs it at P = 2, 3, 4 and 8, in its modes, with
//! each `--emit`, with files that fit and files that do not. Which flags it has, and what its arrays are, it reads from `--help`. Launched with one seed
//! or another, a program prints the same and gives the same bits.
//!
//! `tests/mutants` changes one thing after the other in its kernels, and each time a check or the golden must see it: add it to `EXAMPLES` in `programs.rs`.
//! `PL_TEST=full PL_BLESS=1 cargo test --test mutants` then tells which mutants nothing saw, and writes the tables of `docs/checks.md`.
//!
//! Its page goes by the same number in `docs/tutorial/`, and needs a line in `src/doctests.rs`. `tests/docs` checks every block of the page, and that
//! each edge case shows a symptom that a run prints. Kernels that go wrong are in `tests/docs/programs/`, one module for a page: add yours to
//! `PAGES` in its `mod.rs`, and write `<!-- output of: program NAME -->` before a block. `PL_BLESS=1 cargo test --test docs` fills the block.
#![forbid(unsafe_code)]

mod args;
mod array;
mod card;
mod devices;
mod diff;
mod explore;
mod failure;
pub mod golden;
pub mod npy;
mod number;
mod session;
mod shape;

pub use args::{Emit, Mode, Program};
pub use array::array;
pub use card::comparison;
pub use diff::unified;
pub use failure::Failure;
pub use number::Number;
pub use session::{Done, Rehearsal, Session, main, rehearse, run};
