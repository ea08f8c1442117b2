//! The one error of the host side. It prints as a complete report, with `{}` and with `{:?}`.

use pl_core::bind::BindError;
use pl_core::diag::Located;
use pl_core::explain::Explanation;
use pl_core::explore::{Found, Run, Strategy};
use pl_core::fault::Fault;
use pl_core::ir::Place;
use pl_core::runtime::{EngineError, Injection};
use std::fmt;
use std::ops::Range;

/// What went wrong. Both `{}` and `{:?}` print the complete report, so that an error that `main` returns can be read.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The host asked for something that cannot be: a device list, a window, the number of calls, …
    Usage {
        /// What was found and what was expected.
        message: String,
        /// How to mend it.
        help: String,
    },
    /// Calls that cannot be bound, everything that is wrong with them at once.
    Bind {
        /// What is wrong, each problem once.
        problems: Vec<BindProblem>,
    },
    /// A window that a failed launch used, and that was not reset since.
    Poisoned {
        /// Which window of which call.
        message: String,
        /// How to mend it.
        help: String,
    },
    /// A window that somebody else uses now: a running launch, or a view of it.
    InUse {
        /// Which window, and who uses it.
        message: String,
        /// How to mend it.
        help: String,
    },
    /// A check stopped the run.
    Fault(Box<Failed>),
    /// The body of an exploration gave an error of its own, or panicked, under some schedule: its result is wrong there.
    Explored {
        /// What it said.
        message: String,
        /// The exploration.
        run: Box<Run>,
    },
    /// A `Host` function cannot go on: what is wrong, and where.
    Host(Box<Located>),
    /// A launch that a `Host` function made failed.
    Launch {
        /// The function, and where it launched: ``"`steps` at src/main.rs:12:5"``.
        by: String,
        /// What happened.
        error: Box<Error>,
    },
    /// A collective that the host called, as [`World::allreduce`](crate::World::allreduce), failed in its launch.
    Called {
        /// The call.
        at: Place,
        /// What happened.
        error: Box<Error>,
    },
}

/// One thing that is wrong with the calls of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindProblem {
    /// What is wrong, and where.
    pub located: Located,
    /// The ranks whose calls have this problem, in order, as ranks of the world that was opened.
    pub ranks: Vec<usize>,
    /// The number of calls of the launch.
    pub calls: usize,
}

impl Error {
    /// The most problems that a report prints.
    pub(crate) const SHOWN: usize = 20;

    /// A word for what went wrong, the same in every release: of a fault its [kind](Fault::kind), and else `usage`, `bind`, `poisoned`, `in-use`,
    /// `explored` or `host`.
    pub fn kind(&self) -> &'static str {
        match self.cause() {
            Error::Usage { .. } => "usage",
            Error::Bind { .. } => "bind",
            Error::Poisoned { .. } => "poisoned",
            Error::InUse { .. } => "in-use",
            Error::Fault(failed) => failed.fault.kind(),
            Error::Explored { .. } => "explored",
            Error::Host(_) | Error::Launch { .. } | Error::Called { .. } => "host",
        }
    }

    /// What went wrong in the launch that a `Host` function or a collective made.
    pub(crate) fn cause(&self) -> &Error {
        match self {
            Error::Launch { error, .. } | Error::Called { error, .. } => error.cause(),
            error => error,
        }
    }

    /// The fault that stopped a run, also in a launch that a `Host` function or a collective made.
    pub fn fault(&self) -> Option<&Fault> {
        match self.cause() {
            Error::Fault(failed) => Some(&failed.fault),
            _ => None,
        }
    }

    /// What there is to say of it: of calls that cannot be bound one explanation for each problem, of everything else one.
    pub fn explain(&self) -> Vec<Explanation> {
        match self {
            Error::Usage { message, help } | Error::Poisoned { message, help } | Error::InUse { message, help } => {
                vec![Explanation::error(message).help(help)]
            }
            Error::Bind { problems } => problems.iter().map(BindProblem::explain).collect(),
            Error::Fault(failed) => vec![failed.explain()],
            Error::Explored { message, run } => vec![explain_run(Explanation::error(message), run)],
            Error::Host(located) => vec![located.explain()],
            Error::Launch { by, error } => error.explain_with(&format!("launched by {by}")),
            Error::Called { at, error } => error.explain_with(&format!("called at {at}")),
        }
    }

    fn explain_with(&self, note: &str) -> Vec<Explanation> {
        self.explain().into_iter().map(|explanation| explanation.note(note)).collect()
    }

    /// In which run a fault was found.
    pub fn run(&self) -> Option<&Run> {
        match self.cause() {
            Error::Fault(failed) => Some(&failed.run),
            Error::Explored { run, .. } => Some(run),
            _ => None,
        }
    }

    /// Says what was let go wrong in the launch that failed.
    pub(super) fn with_injected(mut self, injected: Vec<Injection>) -> Error {
        if let Error::Fault(failed) = &mut self {
            failed.injected = injected;
        }
        self
    }

    /// Says in which run a fault was found.
    pub(super) fn found_by(mut self, run: &Run) -> Error {
        match &mut self {
            Error::Fault(failed) => failed.run = run.clone(),
            Error::Launch { error, .. } | Error::Called { error, .. } => {
                let inner = std::mem::replace(&mut **error, Error::usage("", ""));
                **error = inner.found_by(run);
            }
            _ => {}
        }
        self
    }

    /// An error of the host's own making.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::Usage { message: message.into(), help: help.into() }
    }

    /// An engine's error about the window that `name` describes.
    pub(super) fn of_window(error: EngineError, name: &str) -> Error {
        match error {
            EngineError::InUse { user, .. } => {
                Error::InUse { message: format!("the window {name} is in use: {user}"), help: user.help().into() }
            }
            error => error.into(),
        }
    }
}

/// A fault, and the run in which it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The fault.
    pub fault: Fault,
    /// The run: of an exploration, with the token that replays it.
    pub run: Run,
    /// What the launch let go wrong on purpose.
    pub injected: Vec<Injection>,
}

impl Failed {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        let mut explanation = self.fault.explain();
        if !self.injected.is_empty() {
            let injected: Vec<String> = self.injected.iter().map(|injection| format!("`{injection}`")).collect();
            explanation =
                explanation.note(format!("note: the launch let this go wrong on purpose: {}", injected.join(", ")));
        }
        match &self.fault {
            Fault::Interrupted(_) => explanation,
            _ => explain_run(explanation, &self.run),
        }
    }
}

impl std::ops::Deref for Failed {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.fault
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.explain())
    }
}

/// Adds by which schedules something was found, and how to see it again.
fn explain_run(explanation: Explanation, run: &Run) -> Explanation {
    match run {
        Run::Parallel => explanation.note(
            "note: found in one schedule, as worker threads made it; `World::explore`, or `--explore random`, looks at many and gives a token that replays it",
        ),
        Run::Seeded(seed) => explanation.note(format!("note: found in the schedule of seed {seed}, which repeats it")),
        Run::Explored(explored) => {
            let explanation = explanation.note(format!("note: {explored}"));
            match &explored.found {
                Some(Found { token, .. }) if !matches!(explored.strategy, Strategy::Replay(_)) => {
                    explanation.note(format!("note: replay it: `--replay {token}`, or `Explore::replay` with this token"))
                }
                _ => explanation,
            }
        }
    }
}

/// What is wrong with a function by itself, before there are calls of it.
impl From<BindError> for Error {
    fn from(error: BindError) -> Error {
        let problem = |located| BindProblem { located, ranks: vec![], calls: 0 };
        Error::Bind { problems: error.0.into_iter().map(problem).collect() }
    }
}

/// An engine's error that has nothing to do with a call.
impl From<EngineError> for Error {
    fn from(error: EngineError) -> Error {
        match error {
            EngineError::Fault(fault) => {
                Error::Fault(Box::new(Failed { fault: *fault, run: Run::Parallel, injected: vec![] }))
            }
            EngineError::Window { window, problem } => Error::usage(format!("window {}: {problem}", window.0), ""),
            EngineError::Poisoned(window) => Error::Poisoned {
                message: format!("window {} was used by a launch that failed", window.0),
                help: "reset it before it is used again: `world.reset(&window)`".into(),
            },
            EngineError::InUse { window, ref user } => {
                Error::InUse { message: format!("window {} is in use: {user}", window.0), help: user.help().into() }
            }
            EngineError::Usage { message, help } => Error::usage(message, help),
        }
    }
}

impl std::error::Error for Error {}

/// Problems one after the other. Whoever prints an error writes `error: ` in front; so the first problem goes without it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanations = self.explain();
        for (i, explanation) in explanations.iter().take(Error::SHOWN).enumerate() {
            match i {
                0 => explanation.fmt(f)?,
                _ => write!(f, "\n\nerror: {explanation}")?,
            }
        }
        match explanations.len().saturating_sub(Error::SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n\n… and {more} more"),
        }
    }
}

/// The same as `{}`: `main` prints the error that it returns with `{:?}`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl BindProblem {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        let explanation = self.located.explain();
        if self.ranks.len() == self.calls {
            return explanation;
        }
        explanation.note(format!("in the call of {}", Ranks(&self.ranks)))
    }
}

impl fmt::Display for BindProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.explain())
    }
}

/// `1 rank`, `4 ranks`
pub(super) fn count(ranks: usize) -> String {
    format!("{ranks} {}", if ranks == 1 { "rank" } else { "ranks" })
}

/// Which ranks there are, for a help line.
pub(super) fn there_are(ranks: usize) -> String {
    match ranks {
        1 => "the only rank is 0".into(),
        ranks => format!("ranks are 0 to {}", ranks - 1),
    }
}

/// Ranks as a reader wants them: `rank 3`, `ranks 0 to 6, 9`.
pub(crate) struct Ranks<'a>(pub(crate) &'a [usize]);

impl fmt::Display for Ranks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<Range<usize>> = vec![];
        for &rank in self.0 {
            match ranges.last_mut() {
                Some(range) if range.end == rank => range.end += 1,
                _ => ranges.push(rank..rank + 1),
            }
        }
        f.write_str(if self.0.len() == 1 { "rank " } else { "ranks " })?;
        for (i, range) in ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            match range.len() {
                1 => write!(f, "{comma}{}", range.start)?,
                2 => write!(f, "{comma}{}, {}", range.start, range.end - 1)?,
                _ => write!(f, "{comma}{} to {}", range.start, range.end - 1)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pl_core::diag::Diagnostic;
    use pl_core::ir::Loc;

    fn problem(message: &str, help: &str, ranks: &[usize]) -> BindProblem {
        let located = Located {
            kernel: "k".into(),
            level: pl_core::ir::FunctionKind::InCore,
            place: None,
            diagnostic: Diagnostic::new(Loc::NONE, message, help),
            related: vec![],
        };
        BindProblem { located, ranks: ranks.to_vec(), calls: 4 }
    }

    #[test]
    fn ranks() {
        let text = |ranks: &[usize]| Ranks(ranks).to_string();
        assert_eq!(text(&[3]), "rank 3");
        assert_eq!(text(&[0, 1]), "ranks 0, 1");
        assert_eq!(text(&[0, 1, 2, 3, 4, 5, 6, 9]), "ranks 0 to 6, 9");
        assert_eq!(text(&[0, 2, 3, 4]), "ranks 0, 2 to 4");
    }

    #[test]
    fn debug_is_the_report() {
        let error =
            Error::Bind { problems: vec![problem("one", "mend", &[0, 1, 2, 3]), problem("two", "so", &[1, 2])] };
        let report = "one\n  --> kernel `k`\n  = help: mend\n\nerror: two\n  --> kernel `k`\n  = in the call of ranks 1, 2\n  = help: so";
        assert_eq!(format!("{error}"), report);
        assert_eq!(format!("{error:?}"), report);
        let usage = Error::usage("message", "help");
        assert_eq!(format!("{usage:?}"), "message\n  = help: help");
    }

    #[test]
    fn long_reports_are_cut() {
        let problems = (0..25).map(|i| problem(&format!("number {i}"), "", &[0])).collect();
        assert!(Error::Bind { problems }.to_string().ends_with("… and 5 more"));
    }
}
