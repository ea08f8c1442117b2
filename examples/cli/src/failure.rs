//! Why an example does not end well, and with which exit status.

use pl::{BindError, Error, Fault};
use std::fmt;

/// Why an example does not end well. Prints as the report that the user sees.
#[derive(Debug)]
pub enum Failure {
    /// The result differs from the golden.
    Golden(String),
    /// The command line or a file is not what it should be.
    Usage(String),
    /// The library refused or stopped the run.
    Run(Error),
}

impl Failure {
    /// The exit status: 1 golden, 2 usage or input, 3 deadlock or another check, 130 interrupted.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Golden(_) => 1,
            Failure::Usage(_) | Failure::Run(Error::Usage { .. }) => 2,
            Failure::Run(error) if matches!(error.fault(), Some(Fault::Interrupted { .. })) => 130,
            Failure::Run(_) => 3,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Run(error)
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Golden(text) | Failure::Usage(text) => f.write_str(text),
            Failure::Run(error) => error.fmt(f),
        }
    }
}
