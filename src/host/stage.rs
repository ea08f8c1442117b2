//! What a call becomes on its way to a run, to look at.

use super::Error;
use super::prepare::Compiled;
use pl_core::cost::Card;
use pl_core::ir::Function;
use std::sync::Arc;

/// The stages of one rank's call, as [`crate::World::compile`] gives them: what the examples' `--emit` prints.
#[derive(Debug)]
pub struct Stage {
    pub(super) compiled: Arc<Compiled>,
    pub(super) cost: Card,
}

impl Stage {
    /// The kernel as it was written, with its constants filled in and its `Inline` functions inlined.
    pub fn ir(&self) -> &Function {
        &self.compiled.linked
    }

    /// The kernel as it runs: collectives lowered, bound to the arguments' shapes.
    pub fn lowered(&self) -> &Function {
        &self.compiled.program.function
    }

    /// The values of the kernel's `dynamic` dims.
    pub fn dims(&self) -> impl Iterator<Item = (&str, i64)> {
        self.compiled.program.bindings.dims.iter().map(|(name, value)| (&**name, *value))
    }

    /// What a rank executes, as text.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn plan(&self) -> Result<String, Error> {
        Ok(pl_sim::plan_of(&self.compiled.program)?.to_string())
    }

    /// What the call costs the rank, computed from the lowered kernel.
    pub fn cost(&self) -> &Card {
        &self.cost
    }
}
