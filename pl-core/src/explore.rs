//! Exploration: what to run under which interleavings, and what came of it.
//!
//! A *schedule* is one interleaving: which rank executes its next op that others can see, over and over. Ops that others cannot see happen right after
//! the one before, so that a schedule says all that timing can decide.

use crate::runtime::Scheduler;
use core::fmt;
use std::sync::Arc;

/// How to choose schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// At each choice any rank that can run, and now and then one that runs on for a while.
    Random,
    /// Probabilistic concurrency testing (Burckhardt et al. 2010): ranks have random priorities, which change at a few random moments. Finds what needs
    /// a certain order of a few ops in a long run with a known probability.
    Pct,
    /// All schedules that can differ in what they do: partial-order reduction (source sets and sleep sets, Abdulla et al. 2014) leaves out those that only
    /// reorder what is independent. When it ends without a failure, there is none for this program, number of ranks and input.
    Exhaustive,
    /// The one schedule of this token.
    Replay(String),
}

impl Strategy {
    /// Its name, as `--explore` takes it.
    pub const fn name(&self) -> &'static str {
        match self {
            Strategy::Random => "random",
            Strategy::Pct => "pct",
            Strategy::Exhaustive => "exhaustive",
            Strategy::Replay(_) => "replay",
        }
    }
}

/// What to explore: how schedules are chosen, and how many.
///
/// ```
/// use pl_core::explore::{Explore, Strategy};
///
/// let how = Explore::random(1000).seed(7);
/// assert_eq!((how.strategy, how.schedules, how.seed), (Strategy::Random, 1000, 7));
/// assert_eq!(Explore::exhaustive().schedules(100).schedules, 100);
/// ```
#[derive(Clone)]
pub struct Explore {
    /// How they are chosen.
    pub strategy: Strategy,
    /// The most schedules that run; [`Strategy::Exhaustive`] may need fewer, and says whether these were all.
    pub schedules: u64,
    /// Of [`Strategy::Random`] and [`Strategy::Pct`]: the same seed gives the same schedules.
    pub seed: u64,
    /// Called after each schedule, and at the end.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Schedules that ran.
    pub schedules: u64,
    /// The most that will; `None` where that is not known: of an exhaustive exploration.
    pub of: Option<u64>,
    /// What it does now.
    pub step: Step,
}

/// What an exploration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It runs schedules.
    Running,
    /// It makes a failure smaller that it has found.
    Shrinking,
    /// It has ended.
    Ended,
}

impl Explore {
    /// The most schedules of an exhaustive exploration unless another number is set.
    pub const MOST: u64 = 1_000_000;

    const fn new(strategy: Strategy, schedules: u64) -> Explore {
        Explore { strategy, schedules, seed: 0, progress: None }
    }

    /// So many random schedules.
    pub const fn random(schedules: u64) -> Explore {
        Explore::new(Strategy::Random, schedules)
    }

    /// So many schedules of probabilistic concurrency testing.
    pub const fn pct(schedules: u64) -> Explore {
        Explore::new(Strategy::Pct, schedules)
    }

    /// All schedules that can differ, up to [`Explore::MOST`].
    pub const fn exhaustive() -> Explore {
        Explore::new(Strategy::Exhaustive, Explore::MOST)
    }

    /// The schedule of a token that an earlier failure gave.
    pub fn replay(token: impl Into<String>) -> Explore {
        Explore::new(Strategy::Replay(token.into()), 1)
    }

    /// The same, with another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Explore {
        Explore { seed, ..self }
    }

    /// The same, with another limit on the number of schedules.
    #[must_use]
    pub fn schedules(self, schedules: u64) -> Explore {
        Explore { schedules, ..self }
    }

    /// The same, and `progress` is called after each schedule.
    #[must_use]
    pub fn progress(self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Explore {
        Explore { progress: Some(Arc::new(progress)), ..self }
    }
}

impl fmt::Debug for Explore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explore")
            .field("strategy", &self.strategy)
            .field("schedules", &self.schedules)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// What came of one schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Right,
    /// It fails, in a way that this text tells from others: of a fault, [`Fault::signature`](crate::fault::Fault::signature).
    Fails(String),
    /// Nothing more is to run: it was interrupted, or could not be launched at all.
    Ends,
}

/// What came of an exploration. `Display` says what it is evidence of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// How schedules were chosen.
    pub strategy: Strategy,
    /// The seed.
    pub seed: u64,
    /// How many schedules ran, those not counted that made a failure smaller.
    pub schedules: u64,
    /// How many of them an exhaustive exploration ran although they differ in nothing from others.
    pub redundant: u64,
    /// Whether these were all schedules that can differ: an exhaustive exploration that came to its end.
    pub complete: bool,
    /// The first schedule that failed; none ran after it.
    pub found: Option<Found>,
}

/// A schedule that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Replays it: [`Explore::replay`], `--replay`.
    pub token: String,
    /// How often it changes from one rank to another.
    pub switches: usize,
    /// How often the schedule did that was found first, before it was made smaller.
    pub switches_before: usize,
    /// Whether it failed again in the same way when it was run again. Where not, something outside of the launches differs from run to run.
    pub repeatable: bool,
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explored { seed, schedules, redundant, .. } = self;
        let plural = if *schedules == 1 { "" } else { "s" };
        match (&self.strategy, &self.found) {
            (Strategy::Replay(_), _) => return f.write_str("replayed one schedule"),
            (Strategy::Exhaustive, _) => write!(f, "explored {schedules} schedule{plural} exhaustively")?,
            (strategy, _) => write!(f, "explored {schedules} {} schedule{plural}, seed {seed}", strategy.name())?,
        }
        match &self.found {
            Some(found) => {
                write!(f, ": the last one fails")?;
                if found.switches_before > found.switches {
                    let (from, to) = (found.switches_before, found.switches);
                    let plural = if to == 1 { "" } else { "es" };
                    write!(f, ", made smaller from {from} to {to} switch{plural} between ranks")?;
                }
                if !found.repeatable {
                    f.write_str("; run again it does not: something outside of the launches differs from run to run")?;
                }
                Ok(())
            }
            None if self.complete => {
                if *redundant > 0 {
                    write!(f, " ({redundant} of them redundant)")?;
                }
                f.write_str(", complete: the others of this program, number of ranks and input only reorder what is independent; none fails")
            }
            None if self.strategy == Strategy::Exhaustive => {
                f.write_str(", not complete: none of them fails, which is evidence and no proof")
            }
            None => f.write_str(": none of them fails, which is evidence and no proof"),
        }
    }
}

/// By which interleavings a launch was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// One, as worker threads made it.
    Parallel,
    /// One, drawn with this seed.
    Seeded(u64),
    /// Those of an exploration.
    Explored(Explored),
}

impl Run {
    /// The run of a scheduler that makes one schedule.
    pub const fn of(scheduler: Scheduler) -> Run {
        match scheduler {
            Scheduler::Seeded(seed) => Run::Seeded(seed),
            Scheduler::Parallel | Scheduler::Explored(_) => Run::Parallel,
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Run::Parallel => f.write_str("ran one schedule, as worker threads made it"),
            Run::Seeded(seed) => write!(f, "ran one schedule, that of seed {seed}"),
            Run::Explored(explored) => explored.fmt(f),
        }
    }
}

/// The number of an exploration that is under way, unique in its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExplorationId(pub u64);
