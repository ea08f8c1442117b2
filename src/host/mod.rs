//! The host side: worlds, windows, calls and launches.
//!
//! A [`World`] is a set of devices; rank r runs on the r-th of them. [`Window`]s are memory that every rank has and every rank can reach.
//! Calling a kernel gives a [`Call`], which holds its arguments; [`World::launch`] takes one call per rank, binds and
//! checks them, runs them, and returns a [`Report`]. A subset of a world's ranks is a world again. Everything that can go wrong is an [`Error`] that prints as a report.
//!
//! This module prints nothing and does not panic.

mod agree;
mod call;
mod collective;
mod domain;
mod error;
mod explore;
mod launch;
mod prepare;
mod program;
mod stage;
mod view;
mod window;
mod world;

pub use call::{Call, ScalarArgument, arg_in, arg_out, arg_scalar, arg_window, call};
pub(crate) use error::Ranks;
pub use error::{BindProblem, Error, Failed};
pub use pl_core::cost::{Card, Count};
pub use pl_core::explore::{Explore, Explored, Found, Progress, Run, Step, Strategy};
pub use pl_core::fault::{Fault, Report};
pub use pl_core::op::AllreduceMode;
pub use pl_core::runtime::{Injection, LaunchOptions, Scheduler};
pub use prepare::Rewrite;
pub use program::{HostCall, HostLaunch, HostReport, HostStages, LaunchStages, host_call};
pub use stage::Stage;
pub use view::{RankView, RankViewMut};
pub use window::Window;
pub use world::World;
