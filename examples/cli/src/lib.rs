//! The command line that the examples of pl share: flags, `.npy` files, goldens, exit statuses.
//!
//! An example describes itself with a [`Program`] and hands [`main`] a function from a [`Session`] to `Result<Done, Failure>`. Data and
//! `OK` go to stdout, reports and notes to stderr.
#![forbid(unsafe_code)]

mod args;
mod array;
mod card;
mod devices;
mod diff;
mod failure;
pub mod golden;
pub mod npy;
mod session;

pub use args::{Emit, Mode, Program};
pub use array::array;
pub use diff::unified;
pub use failure::Failure;
pub use session::{Done, Session, main, run};
