//! Why an example does not end well, and with which exit status.

use pl::report::Explanation;
use pl::{BindError, Error, Fault};
use std::fmt;

/// Why an example does not end well. Prints as the report that the user sees, without the source.
#[derive(Debug)]
pub enum Failure {
    /// The result differs from the golden.
    Golden(Box<Explanation>),
    /// The command line or a file is not what it should be.
    Usage(Box<Explanation>),
    /// The library refused or stopped the run.
    Run(Error),
}

impl Failure {
    /// The exit status: 1 golden, 2 usage or input, 3 deadlock or another check, 130 interrupted.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Golden(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Run(error) if is_usage(error) => 2,
            Failure::Run(error) if matches!(error.fault(), Some(Fault::Interrupted { .. })) => 130,
            Failure::Run(_) => 3,
        }
    }

    /// What there is to say of it.
    pub fn explain(&self) -> Vec<Explanation> {
        match self {
            Failure::Golden(explanation) | Failure::Usage(explanation) => vec![(**explanation).clone()],
            Failure::Run(error) => error.explain(),
        }
    }

    /// A mistake in what the user gave, and how to mend it where that can be said.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Usage(Box::new(Explanation::error(message).help(help)))
    }
}

/// Whether the host asked for something that cannot be, also in a launch of a `Host` function.
fn is_usage(error: &Error) -> bool {
    match error {
        Error::Usage { .. } => true,
        Error::Launch { error, .. } | Error::Called { error, .. } => is_usage(error),
        _ => false,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Run(error)
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Failure {
        Failure::Run(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Golden(explanation) | Failure::Usage(explanation) => explanation.fmt(f),
            Failure::Run(error) => error.fmt(f),
        }
    }
}
