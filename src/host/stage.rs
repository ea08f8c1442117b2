//! What a call becomes on its way to a run, to look at.

use super::prepare::Compiled;
use super::{Call, Error};
use pl_core::cost::{self, Card, RankProgram};
use pl_core::ir::Function;
use std::sync::{Arc, OnceLock};

/// The stages of one rank's call, as [`crate::World::compile`] gives them: what the examples' `--emit` prints.
#[derive(Debug)]
pub struct Stage {
    launch: Arc<Calls>,
    rank: usize,
}

/// The calls of a launch: what one rank costs depends on what the others load from it.
#[derive(Debug)]
struct Calls {
    compiled: Vec<Arc<Compiled>>,
    /// The scalar arguments of each.
    scalars: Vec<Vec<Option<i64>>>,
    /// Computed when the first is asked for.
    cards: OnceLock<Vec<Card>>,
}

impl Stage {
    /// The stages of the calls of a launch.
    pub(super) fn all(calls: &[Call<'_>], compiled: Vec<Arc<Compiled>>) -> Vec<Stage> {
        let ranks = compiled.len();
        let scalars = calls.iter().map(Call::scalars).collect();
        let launch = Arc::new(Calls { compiled, scalars, cards: OnceLock::new() });
        (0..ranks).map(|rank| Stage { launch: launch.clone(), rank }).collect()
    }

    fn compiled(&self) -> &Compiled {
        &self.launch.compiled[self.rank]
    }

    /// The kernel as it was written, with its constants filled in and its `Inline` functions inlined.
    pub fn ir(&self) -> &Function {
        &self.compiled().linked
    }

    /// The kernel as it runs: collectives lowered, bound to the arguments' shapes.
    pub fn lowered(&self) -> &Function {
        &self.compiled().program.function
    }

    /// The values of the kernel's `dynamic` dims.
    pub fn dims(&self) -> impl Iterator<Item = (&str, i64)> {
        self.compiled().program.bindings.dims.iter().map(|(name, value)| (&**name, *value))
    }

    /// What a rank executes, as text.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn plan(&self) -> Result<String, Error> {
        Ok(pl_sim::plan_of(&self.compiled().program)?.to_string())
    }

    /// What the call costs the rank, computed from the lowered kernel when it is first asked for.
    pub fn cost(&self) -> &Card {
        &self.launch.cards()[self.rank]
    }
}

impl Calls {
    fn cards(&self) -> &[Card] {
        self.cards.get_or_init(|| {
            let world: Arc<[usize]> = (0..self.compiled.len()).collect();
            let ranks = self.compiled.iter().zip(&self.scalars).enumerate();
            let ranks = ranks.map(|(rank, (compiled, scalars))| {
                let program = &*compiled.program;
                let domains = &std::slice::from_ref(&world)[..program.bindings.domains.len()];
                RankProgram { rank, program, scalars, domains }
            });
            cost::cards(&ranks.collect::<Vec<_>>())
        })
    }
}
