//! Exploration of launches: many schedules, evidence or proof, tokens that replay a failure.

use super::world::Shared;
use super::{Error, World};
use pl_core::explore::{ExplorationId, Explore, Explored, Outcome, Run, Strategy};
use pl_core::fault::{Fault, Lint, Report};
use pl_core::runtime::{LaunchOptions, Scheduler};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a handle of a world does with its launches.
#[derive(Clone, Debug)]
pub(super) enum Exploring {
    /// Each of them is explored by itself. The counter is of those that were made.
    Each(Explore, Arc<AtomicUsize>),
    /// They are part of an exploration.
    Within(ExplorationId),
}

impl World {
    /// Runs `body` under many schedules, and checks each. The launches that it makes with the handle of the world that it is given take another
    /// interleaving each time; one that fails ends the exploration, is made smaller, and comes with a token that [replays](Explore::replay) exactly that
    /// run. So does an error of its own, or a panic: `body` can compare results with a golden, under every schedule.
    ///
    /// Windows, and the memory of `Out` and `InOut` arguments, are before each schedule as the first launch that used them found them. After a failure the windows are so again,
    /// and need no reset; else they hold what the last schedule left. `body` does the same each time. The launches of other handles are not explored, and an
    /// exhaustive exploration is never complete when `body` goes on after a launch that failed.
    ///
    /// ```
    /// use pl::distributed as pld;
    /// use pl::{Explore, World};
    ///
    /// #[pl::function(InCore)]
    /// fn flags(x: i32, data: pl::InOut<pld::DistributedTensor<i32, { [1] }>>, signal: pl::InOut<pld::DistributedTensor<i32, { [2] }>>) {
    ///     let me = pld::rank(pld::get_comm_ctx(data));
    ///     if me == 0 {
    ///         pl::write(data, [0], x);
    ///         pld::system::notify(signal, peer = 1, offsets = [0], value = 1, op = pld::NotifyOp::Set);
    ///         if x > 1 {
    ///             // Too late: rank 1 may have read.
    ///             pl::write(data, [0], 1);
    ///         }
    ///     } else {
    ///         pld::system::wait(signal, offsets = [0], expected = 1, cmp = pld::WaitCmp::Ge);
    ///         let t = pld::tile::remote_load(data, peer = 0, offsets = [0], shape = [1]);
    ///         pl::store(t, [0], data);
    ///     }
    /// }
    ///
    /// let world = World::open("sim", &[0, 1])?;
    /// let (data, signal) = (world.window::<i32>([1])?, world.window::<i32>([2])?);
    /// let run = |how: &Explore, x: i32| {
    ///     world.explore(how, |world| {
    ///         world.launch((0..2).map(|_| flags(x, &data, &signal)))?;
    ///         if data.to_array(1)?[[0]] == x { Ok(()) } else { Err("rank 1 has another value".into()) }
    ///     })
    /// };
    /// let proof = run(&Explore::exhaustive(), 1)?;
    /// assert!(proof.complete);
    ///
    /// let error = run(&Explore::random(1000), 2).unwrap_err();
    /// assert_eq!(error.fault().map(|fault| fault.kind()), Some("race"));
    /// let pl::Run::Explored(explored) = error.run().unwrap() else { unreachable!() };
    /// let token = &explored.found.as_ref().unwrap().token;
    /// assert_eq!(run(&Explore::replay(token), 2).unwrap_err().fault(), error.fault());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first failure: an [`Error::Fault`], or [`Error::Explored`] where `body` gave an error of its own. A token that does not fit (it says what has
    /// changed), a `body` that launches nothing, or not the same each time, launches without checks, and whatever else a launch can be refused for.
    pub fn explore(
        &self,
        how: &Explore,
        mut body: impl FnMut(&World) -> Result<(), Box<dyn std::error::Error>>,
    ) -> Result<Explored, Error> {
        if self.exploring.is_some() {
            return Err(Error::usage("an exploration inside of another one", "explore on the world itself"));
        }
        let mut failures = Failures::default();
        let explored = self.shared.engine.explore(how, &mut |scheduler| {
            let Scheduler::Explored(id) = scheduler else { return Outcome::Ends };
            let world = self.doing(Exploring::Within(id));
            let ended = catch_unwind(AssertUnwindSafe(|| body(&world)));
            let failure = match ended {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(match error.downcast::<Error>() {
                    Ok(error) => *error,
                    Err(error) => wrong(error.to_string()),
                }),
                Err(panic) => Some(wrong(message(&*panic))),
            };
            failures.note(failure)
        })?;
        match failures.take() {
            None => Ok(explored),
            Some(Error::Explored { message, .. }) => {
                Err(Error::Explored { message, run: Box::new(Run::Explored(explored)) })
            }
            Some(error) => Err(error.found_by(&Run::Explored(explored))),
        }
    }

    /// The same world, each launch of which is explored by itself: it runs under all these schedules, each must leave the same results (in `Out` and `InOut`
    /// arguments, and in windows that nobody notifies), and the last one's stay. [`Report::explored`] says what ran, [`Report::lints`] has what any of them showed. `Host` functions, collectives and the subsets that are made of it are included.
    ///
    /// ```
    /// use pl::{Explore, World};
    ///
    /// let world = World::open("sim", &[0, 1, 2])?;
    /// let signal = world.window::<i32>([3])?;
    /// let report = world.exploring(Explore::exhaustive()).barrier(&signal)?;
    /// assert!(report.explored.is_some_and(|explored| explored.complete));
    /// # Ok::<(), pl::Error>(())
    /// ```
    pub fn exploring(&self, how: Explore) -> World {
        self.doing(Exploring::Each(how, Arc::default()))
    }
}

/// An error of a body's own.
fn wrong(message: String) -> Error {
    Error::Explored { message, run: Box::new(Run::Parallel) }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.map_or_else(|| "the body panicked".into(), |text| format!("the body panicked: {text}"))
}

/// What an error means for the exploration.
fn outcome(error: &Error) -> Outcome {
    match error {
        Error::Explored { message, .. } => Outcome::Fails(message.clone()),
        error => match error.fault() {
            Some(Fault::Interrupted(_)) | None => Outcome::Ends,
            Some(fault) => Outcome::Fails(fault.signature()),
        },
    }
}

/// The failures of an exploration's body: the first, and that of the last schedule, which is the smallest.
#[derive(Default)]
struct Failures {
    first: Option<Error>,
    last: Option<Error>,
}

impl Failures {
    /// What became of a schedule.
    fn note(&mut self, failure: Option<Error>) -> Outcome {
        let outcome = failure.as_ref().map_or(Outcome::Right, outcome);
        if let (None, Some(failure)) = (&self.first, &failure) {
            self.first = Some(failure.clone());
        }
        self.last = failure;
        outcome
    }

    /// The failure to report: the first one where it did not come again, or the search for a smaller one was interrupted.
    fn take(self) -> Option<Error> {
        let again = |error: &Error| outcome(error) != Outcome::Ends;
        match (self.first, self.last) {
            (Some(first), Some(last)) if again(&last) || !again(&first) => Some(last),
            (first, _) => first,
        }
    }
}

impl Exploring {
    /// Launches; `once` does it with the scheduler in its options.
    pub(super) fn launch(
        &self,
        shared: &Shared,
        options: LaunchOptions,
        once: &mut dyn FnMut(LaunchOptions) -> Result<Report, Error>,
    ) -> Result<Report, Error> {
        let with = |scheduler| LaunchOptions { scheduler, ..options.clone() };
        let (how, launches) = match self {
            Exploring::Within(id) => return once(with(Scheduler::Explored(*id))),
            Exploring::Each(how, launches) => (how, launches),
        };
        let number = launches.fetch_add(1, Ordering::Relaxed) + 1;
        let how = match of_launch(how, number)? {
            Some(how) => how,
            // Its token is of another launch.
            None => {
                let scheduler = Scheduler::Seeded(0);
                return once(with(scheduler)).map_err(|error| error.found_by(&Run::of(scheduler)));
            }
        };
        let (mut failures, mut report) = (Failures::default(), None);
        let mut lints: Vec<Lint> = vec![];
        let mut explored = shared.engine.explore(&how, &mut |scheduler| match once(with(scheduler)) {
            Ok(mut right) => {
                // What one schedule shows is told, whichever comes last.
                let known = |lint: &Lint| lints.iter().any(|l| l.kind() == lint.kind() && l.site == lint.site);
                let new: Vec<Lint> = right.lints.drain(..).filter(|lint| !known(lint)).collect();
                lints.extend(new);
                report = Some(right);
                failures.note(None)
            }
            Err(error) => failures.note(Some(error)),
        })?;
        if let Some(found) = explored.found.as_mut().filter(|_| number > 1) {
            found.token = format!("{number}:{}", found.token);
        }
        match (failures.take(), report) {
            (Some(error), _) => Err(error.found_by(&Run::Explored(explored))),
            (None, Some(report)) => Ok(Report { explored: Some(explored), lints, ..report }),
            (None, None) => Err(Error::usage("an exploration without a schedule", "let it run at least one")),
        }
    }
}

/// How to explore a launch, the first being number 1; `None` where a token is of another one: `2:pl1.…`.
fn of_launch(how: &Explore, number: usize) -> Result<Option<Explore>, Error> {
    let Strategy::Replay(token) = &how.strategy else { return Ok(Some(how.clone())) };
    let (of, token) = match token.trim().split_once(':') {
        None => (1, token.as_str()),
        Some((of, rest)) => match of.parse() {
            Ok(of) => (of, rest),
            Err(_) => {
                return Err(Error::usage(
                    format!("`{token}` is no token: `{of}` is not the number of a launch"),
                    "copy the whole token from the report of a failure",
                ));
            }
        },
    };
    pl_sim::check_token(token)?;
    let strategy = Strategy::Replay(token.to_owned());
    Ok((of == number).then(|| Explore { strategy, ..how.clone() }))
}
