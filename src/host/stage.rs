//! What a call becomes on its way to a run, to look at.

use super::Error;
use super::launch::Placed;
use super::prepare::Compiled;
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
    known: Vec<Known>,
    /// Computed when the first is asked for.
    cards: OnceLock<Vec<Card>>,
}

/// What is known of a call beside its program.
#[derive(Debug)]
struct Known {
    rank: usize,
    scalars: Vec<Option<i64>>,
    /// The domains of its windows.
    domains: Vec<Arc<[usize]>>,
}

impl Stage {
    /// The stages of the calls of a launch.
    pub(super) fn all(calls: &[Placed<'_>], compiled: Vec<Arc<Compiled>>) -> Vec<Stage> {
        let ranks = compiled.len();
        let known = calls
            .iter()
            .map(|Placed { rank, call }| Known { rank: *rank, scalars: call.scalars(), domains: call.domains() })
            .collect();
        let launch = Arc::new(Calls { compiled, known, cards: OnceLock::new() });
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

    /// What the rank executes, as text: the plan that all ranks share, and what it is for this one where that is known before it runs.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn plan(&self) -> Result<String, Error> {
        let known = &self.launch.known[self.rank];
        let number = known.domains.first().and_then(|domain| domain.iter().position(|&rank| rank == known.rank));
        Ok(pl_sim::plan_of(&self.compiled().program)?.of_rank(number.unwrap_or(0)).to_string())
    }

    /// What the call costs the rank, computed from the lowered kernel when it is first asked for.
    pub fn cost(&self) -> &Card {
        &self.launch.cards()[self.rank]
    }
}

impl Calls {
    fn cards(&self) -> &[Card] {
        self.cards.get_or_init(|| {
            let ranks = self.compiled.iter().zip(&self.known);
            let ranks = ranks.map(|(compiled, known)| RankProgram {
                rank: known.rank,
                program: &compiled.program,
                scalars: &known.scalars,
                domains: &known.domains,
            });
            cost::cards(&ranks.collect::<Vec<_>>())
        })
    }
}
