//! The traits and values between the facade and an engine. An engine (the simulator, later MPI or a GPU) is one crate that implements
//! [`Engine`].

use crate::bind::{Platform, Program};
use crate::dtype::DType;
use crate::fault::{Fault, Report};
use crate::ir::ConstValue;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The id of a window, unique in its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(pub u64);

/// What a new window holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros that are not data: loading them is an uninitialised read.
    Uninitialised,
    /// Zeros that are data.
    Zeros,
}

/// A set of devices that runs programs on symmetric windows.
pub trait Engine: Send + Sync {
    /// The platform.
    fn platform(&self) -> &Platform;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Allocates a window of `shape` on every rank.
    fn allocate(&self, dtype: DType, shape: &[usize], contents: Contents) -> Result<WindowId, EngineError>;

    /// Frees a window.
    fn free(&self, window: WindowId);

    /// Makes a window as new: zeros that are not data, not poisoned.
    fn reset(&self, window: WindowId) -> Result<(), EngineError>;

    /// Copies one rank's window memory out, whatever it holds.
    fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), EngineError>;

    /// Replaces one rank's window memory; the contents are data.
    fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), EngineError>;

    /// Runs one call per rank. A failed launch poisons the windows it used.
    fn launch(&self, launch: Launch<'_>) -> Result<Report, EngineError>;
}

/// One launch.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The call of each rank, in rank order; exactly [`Engine::ranks`] of them.
    pub calls: Vec<RankCall<'a>>,
    /// How to run it.
    pub options: LaunchOptions,
}

/// One rank's call.
#[derive(Debug)]
pub struct RankCall<'a> {
    /// The program.
    pub program: Arc<Program>,
    /// One argument per parameter of the program's function.
    pub args: Vec<ArgValue<'a>>,
}

/// An argument: memory lent by the host as its bytes in C order, a window, or a scalar.
#[derive(Debug)]
pub enum ArgValue<'a> {
    /// An `In` tensor.
    In(&'a [u8]),
    /// An `Out` or `InOut` tensor.
    Out(&'a mut [u8]),
    /// A window.
    Window(WindowId),
    /// A scalar.
    Scalar(ConstValue),
}

/// How to run a launch.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// The most ops that one rank may execute before the run ends as an endless loop. An iteration of a loop counts as one, too.
    pub op_budget: u64,
    /// When it becomes true, the run ends with [`Fault::Interrupted`].
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl LaunchOptions {
    /// The op budget of a rank when none is set.
    pub const DEFAULT_OP_BUDGET: u64 = 1_000_000_000;
}

impl Default for LaunchOptions {
    fn default() -> Self {
        LaunchOptions { scheduler: Scheduler::Parallel, op_budget: LaunchOptions::DEFAULT_OP_BUDGET, interrupt: None }
    }
}

/// Which scheduler runs the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// Worker threads.
    #[default]
    Parallel,
    /// One thread; the same seed gives the same interleaving.
    Seeded(u64),
}

/// What an engine can answer instead of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineError {
    /// The run failed.
    Fault(Box<Fault>),
    /// A window that does not exist (any more), or does not fit the call.
    Window {
        /// The window.
        window: WindowId,
        /// What is wrong with it.
        problem: String,
    },
    /// A window that a failed launch used and that was not reset since.
    Poisoned(WindowId),
    /// Anything else that the caller did wrong: what, and how to mend it.
    Usage {
        /// What was found and what was expected.
        message: String,
        /// How to mend it.
        help: String,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Fault(fault) => fault.fmt(f),
            EngineError::Window { window, problem } => write!(f, "error: window {}: {problem}", window.0),
            EngineError::Poisoned(window) => write!(
                f,
                "error: window {} was in use by a launch that failed: its contents are not known\n  = help: `world.reset(&window)` \
                 makes it as new",
                window.0
            ),
            EngineError::Usage { message, help } if help.is_empty() => write!(f, "error: {message}"),
            EngineError::Usage { message, help } => write!(f, "error: {message}\n  = help: {help}"),
        }
    }
}

impl std::error::Error for EngineError {}
