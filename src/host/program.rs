//! Calls of `Host` functions.

use super::call::Argument;
use pl_core::definition::Definition;
use std::fmt;

/// A call of a `Host` function: what calling its host function gives.
#[must_use = "a call does nothing until it is run"]
pub struct HostCall<'a> {
    pub(super) definition: Definition,
    pub(super) args: Vec<Argument<'a>>,
}

impl fmt::Debug for HostCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostCall").field("path", &self.definition.source.path).field("args", &self.args.len()).finish()
    }
}

/// A call of the `Host` function that `definition` defines.
pub fn host_call<'a>(definition: fn() -> Definition, args: Vec<Argument<'a>>) -> HostCall<'a> {
    HostCall { definition: definition(), args }
}
