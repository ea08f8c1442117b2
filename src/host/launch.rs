//! Launches: the calls of a world, or of several, on their way to the engine.

use super::explore::Exploring;
use super::prepare::Prepared;
use super::world::Shared;
use super::{Call, Error, Stage, World, domain};
use pl_core::explore::Run;
use pl_core::fault::Report;
use pl_core::runtime::{EngineError, Launch, LaunchOptions, RankCall};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A call and the rank that runs it, as a rank of the world that was opened.
#[derive(Debug)]
pub(super) struct Placed<'a> {
    pub(super) rank: usize,
    pub(super) call: Call<'a>,
}

impl World {
    /// Runs one call per rank: the first on rank 0, and so on. Ranks may run different kernels. The windows of a call may be of any domain that has the
    /// rank: this world, a [subset](World::subset) of it, or one that it is a subset of. Ranks outside of this world take no part.
    ///
    /// All calls are bound and checked before any of them runs. A collective works on one window of all ranks of its domain: where ranks call the same
    /// kernel, they pass the same window for a parameter that a collective of the kernel uses.
    ///
    /// After the launch the elements of an `Out` or `InOut` argument that no kernel wrote hold what the host had there. The kernel itself cannot read those
    /// of an `Out` argument.
    ///
    /// # Errors
    /// A wrong number of calls, windows of another world, everything that does not bind, a window that [is in use](Error::InUse), and the check that
    /// stopped the run. After an [`Error::Fault`] the contents of the `Out` and `InOut` arguments are unspecified, and the windows that were used must be
    /// [reset](World::reset) before they are used again.
    pub fn launch<'a>(&self, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Report, Error> {
        self.launch_with(self.options.clone(), calls)
    }

    /// The same, with a scheduler, an op budget or an interrupt flag of your own.
    ///
    /// One launch is one interleaving; several seeds look at several.
    ///
    /// ```
    /// use pl::distributed as pld;
    /// use pl::{LaunchOptions, Scheduler};
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    ///     pld::tensor::barrier(signal);
    /// }
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let signal = world.window::<i32>([3])?;
    /// for seed in 0..16 {
    ///     let options = LaunchOptions { scheduler: Scheduler::Seeded(seed), ..Default::default() };
    ///     world.launch_with(options, (0..3).map(|_| meet(&signal)))?;
    /// }
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::launch`].
    pub fn launch_with<'a>(
        &self,
        options: LaunchOptions,
        calls: impl IntoIterator<Item = Call<'a>>,
    ) -> Result<Report, Error> {
        run(&self.shared, self.exploring.as_ref(), options, self.place(calls)?)
    }

    /// Runs the calls of several worlds in one launch. They are [subsets](World::subset) of one world without a common rank, or one world alone. The
    /// report has the costs of the first world's ranks, then those of the second, and so on.
    ///
    /// ```
    /// use pl::World;
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    ///     pld::tensor::barrier(signal);
    /// }
    ///
    /// let world = World::open("sim", &[0, 1, 2, 3, 4])?;
    /// let (even, odd) = (world.subset(&[0, 2, 4])?, world.subset(&[1, 3])?);
    /// let (a, b) = (even.window::<i32>([3])?, odd.window::<i32>([2])?);
    /// let report = World::launch_together([(&even, vec![meet(&a), meet(&a), meet(&a)]), (&odd, vec![meet(&b), meet(&b)])])?;
    /// assert_eq!(report.ranks.iter().map(|rank| rank.waits).collect::<Vec<_>>(), [2, 2, 2, 1, 1]);
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// No world, worlds that were opened apart, a rank in two of them, and those of [`World::launch`].
    pub fn launch_together<'w, 'a, C>(launches: impl IntoIterator<Item = (&'w World, C)>) -> Result<Report, Error>
    where
        C: IntoIterator<Item = Call<'a>>,
    {
        World::launch_all(None, launches)
    }

    /// The same, with options as [`World::launch_with`] takes them.
    ///
    /// # Errors
    /// Those of [`World::launch_together`].
    pub fn launch_together_with<'w, 'a, C>(
        options: LaunchOptions,
        launches: impl IntoIterator<Item = (&'w World, C)>,
    ) -> Result<Report, Error>
    where
        C: IntoIterator<Item = Call<'a>>,
    {
        World::launch_all(Some(options), launches)
    }

    /// Without options, those of the first world.
    fn launch_all<'w, 'a, C>(
        options: Option<LaunchOptions>,
        launches: impl IntoIterator<Item = (&'w World, C)>,
    ) -> Result<Report, Error>
    where
        C: IntoIterator<Item = Call<'a>>,
    {
        let mut first: Option<&World> = None;
        let mut placed = vec![];
        let mut taken = BTreeSet::new();
        for (world, calls) in launches {
            if !Arc::ptr_eq(&first.get_or_insert(world).shared, &world.shared) {
                return Err(Error::usage(
                    "a launch together of worlds that were opened apart",
                    "open one world, and launch on subsets of it: `world.subset(&[0, 1])`",
                ));
            }
            if let Some(rank) = world.ranks.iter().find(|rank| !taken.insert(**rank)) {
                return Err(Error::usage(
                    format!("two of the worlds that are launched together have rank {rank}"),
                    "a rank runs one call per launch: make subsets that have no rank in common, or launch one after the other",
                ));
            }
            placed.extend(world.place(calls)?);
        }
        match first {
            Some(first) => {
                let options = options.unwrap_or_else(|| first.options.clone());
                run(&first.shared, first.exploring.as_ref(), options, placed)
            }
            None => Err(Error::usage("a launch together of no world", "name at least one, with its calls")),
        }
    }

    /// What the calls of a launch become, rank by rank, without running them.
    ///
    /// # Errors
    /// Those of [`World::launch`], but for what happens in a run.
    pub fn compile<'a>(&self, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Vec<Stage>, Error> {
        let calls = self.place(calls)?;
        let compiled = prepare(&self.shared, &calls)?;
        Ok(Stage::all(&calls, compiled.iter().cloned().collect()))
    }

    /// One call for each rank.
    fn place<'a>(&self, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Vec<Placed<'a>>, Error> {
        let mut calls = calls.into_iter();
        let place = |(rank, call): (&usize, Call<'a>)| Placed { rank: *rank, call };
        let mut placed = Vec::with_capacity(self.size());
        placed.extend(self.ranks.iter().zip(&mut calls).map(place));
        let found = placed.len() + calls.count();
        if found != self.size() {
            let calls = if found == 1 { "call" } else { "calls" };
            return Err(Error::usage(
                format!("{found} {calls} for {}", self.describe()),
                "a launch takes one call per rank, the first for rank 0",
            ));
        }
        Ok(placed)
    }
}

/// Checks the calls of a launch and binds them.
fn prepare(shared: &Arc<Shared>, calls: &[Placed<'_>]) -> Result<Prepared, Error> {
    let problems = domain::check(shared, calls)?;
    shared.programs.of(calls, shared.engine.platform(), problems).map_err(|problems| Error::Bind { problems })
}

fn run(
    shared: &Arc<Shared>,
    exploring: Option<&Exploring>,
    options: LaunchOptions,
    mut calls: Vec<Placed<'_>>,
) -> Result<Report, Error> {
    let compiled = prepare(shared, &calls)?;
    let mut once = |options: LaunchOptions| {
        let rank_calls = calls.iter_mut().zip(compiled.iter()).map(|(placed, compiled)| RankCall {
            rank: placed.rank,
            program: &compiled.program,
            args: placed.call.values(),
        });
        let injected = options.inject.clone();
        let launch = Launch { calls: rank_calls.collect(), options };
        shared.engine.launch(launch).map_err(|e| explain(e, &calls).with_injected(injected))
    };
    let report = match exploring {
        None => {
            let run = Run::of(options.scheduler);
            once(options).map_err(|error| error.found_by(&run))?
        }
        Some(exploring) => exploring.launch(shared, options, &mut once)?,
    };
    calls.iter_mut().for_each(|placed| placed.call.finish());
    Ok(report)
}

/// An engine's error in the words of the calls that it was given.
fn explain(error: EngineError, calls: &[Placed<'_>]) -> Error {
    let (EngineError::Poisoned(window) | EngineError::InUse { window, .. }) = error else { return error.into() };
    let used = calls.iter().find_map(|Placed { call, .. }| {
        let (position, ..) = call.windows().find(|(_, id, _)| *id == window)?;
        Some(call.argument(position))
    });
    let name = used.unwrap_or_default();
    match error {
        EngineError::Poisoned(_) => Error::Poisoned {
            message: format!("the window {name} was used by a launch that failed: what it holds cannot be relied on"),
            help: "reset it before it is used again: `world.reset(&window)`, or `world.reset_all()`".into(),
        },
        error => Error::of_window(error, &name),
    }
}
