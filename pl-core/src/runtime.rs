//! The traits and values between the facade and an engine. An engine (the simulator, later MPI or a GPU) is one crate that implements
//! [`Engine`].

use crate::bind::{Platform, Program};
use crate::dtype::DType;
use crate::explore::{ExplorationId, Explore, Explored, Outcome};
use crate::fault::{Fault, Lints, Report};
use crate::ir::{ConstValue, Name};
use std::fmt;
use std::str::FromStr;
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

/// One rank's memory of a window, lent to the host to read: its bytes in C order. No launch uses the window meanwhile.
pub trait View: Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];
}

/// One rank's memory of a window, lent to the host to change. Nobody else uses the window meanwhile.
pub trait ViewMut: View {
    /// The bytes, to change.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// A set of devices that runs programs on symmetric windows.
///
/// It may be used from many threads. A window that a running launch uses is not for others: to launch with it, to look at it, to change or to reset it
/// is [`EngineError::InUse`]. Launches without common windows that share devices run one after the other, others at the same time.
pub trait Engine: Send + Sync {
    /// The platform.
    fn platform(&self) -> &Platform;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Allocates a window of `shape` on each of these ranks, its domain: the first of them is rank 0 of the domain, and so on.
    fn allocate(
        &self,
        domain: Arc<[usize]>,
        dtype: DType,
        shape: &[usize],
        contents: Contents,
    ) -> Result<WindowId, EngineError>;

    /// Frees a window; one that is in use, as soon as it no longer is.
    fn free(&self, window: WindowId);

    /// Makes a window as new: zeros that are not data, not poisoned.
    fn reset(&self, window: WindowId) -> Result<(), EngineError>;

    /// Copies one rank's window memory out, whatever it holds. The rank is one of the window's domain, here and below.
    fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), EngineError>;

    /// Replaces one rank's window memory; the contents are data.
    fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), EngineError>;

    /// Lends one rank's window memory, whatever it holds.
    fn view(&self, window: WindowId, rank: usize) -> Result<Box<dyn View + '_>, EngineError>;

    /// The same, to change; the contents are data.
    fn view_mut(&self, window: WindowId, rank: usize) -> Result<Box<dyn ViewMut + '_>, EngineError>;

    /// Runs one call on each rank that has one; the others take no part. A failed launch poisons the windows it used.
    fn launch(&self, launch: Launch<'_>) -> Result<Report, EngineError>;

    /// Runs `body` once for each schedule, with the scheduler that its launches are to have. Before each time the windows that it launched with, and the memory
    /// of its `Out` and `InOut` arguments, hold again what they held when it first did. The first
    /// schedule that fails ends the exploration, is made smaller, and is what `body` ran last; the windows then hold what they held before the
    /// exploration, and else what the last schedule left.
    ///
    /// # Errors
    /// A token that does not fit, a `body` that launches nothing or not the same each time, a window that is in use.
    fn explore(&self, how: &Explore, body: &mut dyn FnMut(Scheduler) -> Outcome) -> Result<Explored, EngineError>;
}

/// One launch.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The calls, of different ranks. The report has their costs in this order.
    pub calls: Vec<RankCall<'a>>,
    /// How to run it.
    pub options: LaunchOptions,
}

/// One rank's call.
#[derive(Debug)]
pub struct RankCall<'a> {
    /// The rank.
    pub rank: usize,
    /// The program.
    pub program: &'a Program,
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
    Scalar(&'a ConstValue),
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
    /// What goes wrong in the run on purpose.
    pub inject: Vec<Injection>,
    /// Whether accesses are checked. Without checks one thread runs all ranks, races, reads of what nothing wrote and leftover credits go
    /// unseen, and there are no lints; bounds, collectives, deadlocks and livelocks are checked in any case. What was written then counts as data.
    pub checks: bool,
    /// The lints that are not reported.
    pub allow: Lints,
}

impl LaunchOptions {
    /// The op budget of a rank when none is set.
    pub const DEFAULT_OP_BUDGET: u64 = 1_000_000_000;

    /// What of the options changes what a schedule does, as text: a replay needs the same.
    pub fn effects(&self) -> String {
        let inject: String = self.inject.iter().map(|injection| format!(", {injection}")).collect();
        format!("budget {}, checks {}{inject}", self.op_budget, self.checks)
    }

    /// Whether what changes a schedule is the same in both.
    pub fn same_effects(&self, other: &LaunchOptions) -> bool {
        (self.op_budget, self.checks, &self.inject) == (other.op_budget, other.checks, &other.inject)
    }
}

impl Default for LaunchOptions {
    fn default() -> Self {
        LaunchOptions {
            scheduler: Scheduler::Parallel,
            op_budget: LaunchOptions::DEFAULT_OP_BUDGET,
            interrupt: None,
            inject: vec![],
            checks: true,
            allow: Lints::NONE,
        }
    }
}

/// Which scheduler runs the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduler {
    /// As many worker threads as there are cores, for a launch that is worth it. A small one runs on the calling thread alone, and in the same interleaving
    /// each time: to run it often shows nothing new, an exploration does.
    #[default]
    Parallel,
    /// One thread; the same seed gives the same interleaving.
    Seeded(u64),
    /// One thread; the exploration chooses the interleaving.
    Explored(ExplorationId),
}

/// Something that goes wrong in a run on purpose, so that a test sees what becomes of it: the right result, or a report.
///
/// Ranks are named as the world that was opened numbers them. Ops and notifies of a rank count from 1: ops as the op budget counts them, so that an iteration
/// of a loop has a number, too. What names a number that its rank does not reach is in [`Report::not_injected`].
///
/// As text it is what the examples take as `--inject`: `stop:1@5`, `delay:1@5`, `lose:0@2`, `double:0@2`.
///
/// ```
/// use pl_core::runtime::Injection;
///
/// let stop: Injection = "stop:1@5".parse()?;
/// assert_eq!(stop, Injection::Stop { rank: 1, op: 5 });
/// assert_eq!(stop.to_string(), "stop:1@5");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Injection {
    /// The rank stops before that op, for good. The run ends with [`Fault::Stopped`] when no other rank can run, unless another check ends it before.
    Stop {
        /// The rank.
        rank: usize,
        /// The op.
        op: u64,
    },
    /// The rank is put aside before that op until no other rank of the launch can run.
    Delay {
        /// The rank.
        rank: usize,
        /// The op.
        op: u64,
    },
    /// That notify of the rank does not reach its cell. `pld::tensor::put_with_signal` counts as a notify; its data arrives.
    Lose {
        /// The rank that notifies.
        rank: usize,
        /// The notify.
        notify: u64,
    },
    /// That notify of the rank reaches its cell twice.
    Double {
        /// The rank that notifies.
        rank: usize,
        /// The notify.
        notify: u64,
    },
}

impl Injection {
    /// What it is called, its rank and its number.
    const fn parts(&self) -> (&'static str, usize, u64) {
        match *self {
            Injection::Stop { rank, op } => ("stop", rank, op),
            Injection::Delay { rank, op } => ("delay", rank, op),
            Injection::Lose { rank, notify } => ("lose", rank, notify),
            Injection::Double { rank, notify } => ("double", rank, notify),
        }
    }

    /// The rank that it befalls.
    pub const fn rank(&self) -> usize {
        self.parts().1
    }

    /// The number of the op or notify.
    pub const fn number(&self) -> u64 {
        self.parts().2
    }
}

/// `stop:1@5`
impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, rank, number) = self.parts();
        write!(f, "{what}:{rank}@{number}")
    }
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Injection, String> {
        let read = || {
            let (what, at) = text.split_once(':')?;
            let (rank, number) = at.split_once('@')?;
            let (rank, number) = (rank.parse().ok()?, number.parse().ok()?);
            match what {
                "stop" => Some(Injection::Stop { rank, op: number }),
                "delay" => Some(Injection::Delay { rank, op: number }),
                "lose" => Some(Injection::Lose { rank, notify: number }),
                "double" => Some(Injection::Double { rank, notify: number }),
                _ => None,
            }
        };
        read().ok_or_else(|| {
            format!(
                "`{text}` is no fault to inject, expected `stop:RANK@OP`, `delay:RANK@OP`, `lose:RANK@NOTIFY` or `double:RANK@NOTIFY`"
            )
        })
    }
}

/// Who uses a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowUser {
    /// A running launch.
    Launch {
        /// What a kernel of the launch calls the window.
        memory: Name,
        /// That kernel.
        kernel: Name,
    },
    /// A view of one rank's memory.
    View {
        /// The rank, in the window's domain.
        rank: usize,
    },
}

impl WindowUser {
    /// How to mend that somebody uses the window.
    pub const fn help(&self) -> &'static str {
        match self {
            WindowUser::Launch { .. } => "use it after that launch has returned, or use another window",
            WindowUser::View { .. } => "drop the view first",
        }
    }
}

/// Who has it: `a launch that runs now has it as …`
impl fmt::Display for WindowUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WindowUser::Launch { memory, kernel } => {
                write!(f, "a launch that runs now has it as `{memory}` of `{kernel}`")
            }
            WindowUser::View { rank } => write!(f, "there is a view of its memory of rank {rank}"),
        }
    }
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
    /// A window that somebody else uses now.
    InUse {
        /// The window.
        window: WindowId,
        /// Who uses it.
        user: WindowUser,
    },
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
            EngineError::InUse { window, user } => {
                write!(f, "error: window {} is in use: {user}\n  = help: {}", window.0, user.help())
            }
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
