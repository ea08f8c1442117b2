//! What a call becomes on its way to a run, to look at.

use super::prepare::Compiled;
use pl_core::bind::Program;
use pl_core::cost::{self, Card};
use pl_core::ir::Function;
use std::sync::Arc;

/// The stages of one call, as [`crate::World::compile`] gives them: what the examples' `--emit` prints.
#[derive(Debug)]
pub struct Stages {
    linked: Function,
    program: Arc<Program>,
}

impl Stages {
    pub(super) fn new(compiled: Compiled) -> Stages {
        Stages { linked: compiled.linked, program: Arc::new(compiled.program) }
    }

    /// The kernel as it was written, with its constants filled in and its `Inline` functions inlined.
    pub fn ir(&self) -> &Function {
        &self.linked
    }

    /// The kernel as it runs: collectives lowered, bound to the arguments' shapes.
    pub fn lowered(&self) -> &Function {
        &self.program.function
    }

    /// What a rank executes, as text.
    pub fn plan(&self) -> String {
        pl_sim::show_plan(&self.program)
    }

    /// What the call costs one rank.
    pub fn cost(&self) -> Card {
        cost::card(&self.program)
    }
}
