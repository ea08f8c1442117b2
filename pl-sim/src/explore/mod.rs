//! Exploration: one launch, or several, under many schedules; the first that fails is made smaller, and can be run again.
//!
//! | file | what |
//! |---|---|
//! | `run.rs` | a scheduler that is told who runs next |
//! | `guide.rs`, `tree.rs` | who tells it: chance, priorities, a schedule to follow; all schedules that can differ |
//! | `event.rs` | which ops may change places |
//! | `schedule.rs` | a schedule as a value and as a token |
//! | `shrink.rs` | a smaller schedule that fails alike |
//! | `restore.rs` | memory as the first schedule found it, and what it left |

mod event;
mod guide;
mod restore;
mod run;
mod schedule;
mod shrink;
mod tree;

use crate::plan::Plan;
use crate::sched::random::Random;
use crate::windows::{Used, Windows, usage};
use guide::{Chance, Follow, Priorities};
use pl_core::explore::{ExplorationId, Explore, Explored, Found, Outcome, Progress, Step, Strategy};
use pl_core::fault::Fault;
use pl_core::ir::{ConstValue, Lit};
use pl_core::runtime::{ArgValue, EngineError, LaunchOptions, RankCall, Scheduler, WindowId};
use restore::Left;
use run::{Guide, Guided};
use schedule::{Hash, OfLaunch, Print, Schedule};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use tree::Tree;

/// The explorations of an engine that are under way.
#[derive(Default)]
pub(crate) struct Explorations(Mutex<Table>);

#[derive(Default)]
struct Table {
    last: u64,
    running: BTreeMap<ExplorationId, Arc<Mutex<State>>>,
}

/// Who chooses.
enum Chooser {
    Chance(Chance),
    Priorities(Priorities),
    Tree(Tree),
    Follow(Follow),
}

impl Chooser {
    fn guide(&mut self) -> &mut dyn Guide {
        match self {
            Chooser::Chance(guide) => guide,
            Chooser::Priorities(guide) => guide,
            Chooser::Tree(guide) => guide,
            Chooser::Follow(guide) => guide,
        }
    }
}

/// An exploration that is under way.
struct State {
    found: restore::Found,
    /// Windows from this one on are of the body's making.
    first_of_body: WindowId,
    /// The launches of the first schedule.
    launched: Vec<Launched>,
    /// Whether the launch that runs is the one that the first schedule made in its place.
    same: bool,
    chooser: Chooser,
    /// What has run of this schedule.
    recorded: Schedule,
    /// Memory for what will be recorded.
    spare: Vec<OfLaunch>,
    /// Whether a launch of this run failed.
    failed: bool,
    /// Why the exploration cannot go on.
    trouble: Option<EngineError>,
}

/// A launch of the first schedule.
struct Launched {
    calls: Vec<LaunchedCall>,
    options: LaunchOptions,
    print: Print,
    /// What it left, if it went well.
    left: Option<Left>,
}

struct LaunchedCall {
    rank: usize,
    plan: Arc<Plan>,
    scalars: Vec<ConstValue>,
}

impl Launched {
    fn new(calls: &[RankCall<'_>], plans: &[Arc<Plan>], options: &LaunchOptions) -> Launched {
        let print = print(calls, plans, options);
        let call = |(call, plan): (&RankCall<'_>, &Arc<Plan>)| LaunchedCall {
            rank: call.rank,
            plan: Arc::clone(plan),
            scalars: scalars(call).cloned().collect(),
        };
        Launched { calls: calls.iter().zip(plans).map(call).collect(), options: options.clone(), print, left: None }
    }

    /// Whether this is what is launched now, so that it has the same print; what is equal may be so without being the same.
    fn is(&self, calls: &[RankCall<'_>], plans: &[Arc<Plan>], options: &LaunchOptions) -> bool {
        self.calls.len() == calls.len()
            && self.options.same_effects(options)
            && self.calls.iter().zip(calls).zip(plans).all(|((first, call), plan)| {
                first.rank == call.rank && Arc::ptr_eq(&first.plan, plan) && same(&first.scalars, call)
            })
    }
}

/// Whether these are the scalar arguments of a call, bit by bit.
fn same(first: &[ConstValue], call: &RankCall<'_>) -> bool {
    let mut now = scalars(call);
    let same = |first: &ConstValue| match (first, now.next()) {
        (ConstValue::Scalar(Lit::Float(a), ty), Some(ConstValue::Scalar(Lit::Float(b), other))) => {
            a.to_bits() == b.to_bits() && ty == other
        }
        (first, now) => now == Some(first),
    };
    first.iter().all(same) && now.next().is_none()
}

/// The scalar arguments of a call.
fn scalars<'c>(call: &'c RankCall<'_>) -> impl Iterator<Item = &'c ConstValue> {
    call.args.iter().filter_map(|arg| match arg {
        ArgValue::Scalar(value) => Some(*value),
        _ => None,
    })
}

/// Records who runs.
struct Recorder<'r> {
    guide: &'r mut dyn Guide,
    launch: &'r mut OfLaunch,
}

impl Guide for Recorder<'_> {
    fn choose(&mut self, ready: &[u32], last: Option<u32>) -> u32 {
        let call = self.guide.choose(ready, last);
        self.launch.push(call);
        call
    }

    fn wants_event(&self) -> bool {
        self.guide.wants_event()
    }

    fn executed(&mut self, event: Option<event::Event>) {
        self.guide.executed(event);
    }
}

/// An exploration, held by one of its launches.
pub(crate) struct Held<'e>(MutexGuard<'e, State>);

impl Explorations {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: ExplorationId) -> Option<Arc<Mutex<State>>> {
        self.lock().running.get(&id).cloned()
    }

    /// Runs a launch of an exploration: `launch` is handed the exploration.
    pub(crate) fn with<R>(
        &self,
        id: ExplorationId,
        launch: impl FnOnce(&mut Held<'_>) -> Result<R, EngineError>,
    ) -> Result<R, EngineError> {
        let state = self.get(id).ok_or_else(|| {
            usage(
                "a launch of an exploration that has ended",
                "launch on the world itself: the handle is the body's alone",
            )
        })?;
        let held = match state.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(usage(
                    "two launches of one exploration at the same time",
                    "launch one after the other, or several worlds in one launch: `World::launch_together`",
                ));
            }
        };
        let mut held = Held(held);
        let result = launch(&mut held);
        // One whose result differs has run to its end.
        let differs =
            |error: &EngineError| matches!(error, EngineError::Fault(fault) if matches!(**fault, Fault::Differs(_)));
        held.0.failed |= result.as_ref().is_err_and(|error| !differs(error));
        result
    }
}

impl Held<'_> {
    /// Prepares memory for a launch, and checks that it is the one that a token was made for.
    pub(crate) fn begin(
        &mut self,
        used: &mut Used<'_>,
        calls: &mut [RankCall<'_>],
        plans: &[Arc<Plan>],
        options: &LaunchOptions,
    ) -> Result<(), EngineError> {
        let state = &mut *self.0;
        if !options.checks {
            let error = usage(
                "an exploration of a launch without checks",
                "leave the checks on: without them no race is found",
            );
            state.trouble = Some(error.clone());
            return Err(error);
        }
        let launch = state.recorded.launches.len();
        if state.launched.len() == launch {
            state.launched.push(Launched::new(calls, plans, options));
        }
        let first = &state.launched[launch];
        let print = if first.is(calls, plans, options) { first.print } else { print(calls, plans, options) };
        state.same = first.print == print;
        state.found.windows(used, state.first_of_body);
        state.found.arguments(launch, calls);
        let spare = state.spare.pop().unwrap_or_default();
        state.recorded.launches.push(OfLaunch { print, ..spare });
        match &mut state.chooser {
            Chooser::Tree(tree) => tree.start(launch),
            Chooser::Follow(follow) => {
                if let Some(problem) = follow.start(launch, &print) {
                    let error = usage(
                        format!("the token does not fit: {problem}"),
                        "explore again: a new failure comes with a new token",
                    );
                    state.trouble = Some(error.clone());
                    return Err(error);
                }
            }
            Chooser::Chance(_) | Chooser::Priorities(_) => {}
        }
        Ok(())
    }

    /// Runs the ranks.
    pub(crate) fn run(&mut self, ranks: &crate::sched::Ranks<'_, '_>) -> (crate::sched::Ended, usize) {
        use crate::sched::Schedule as _;
        let State { chooser, recorded, .. } = &mut *self.0;
        match recorded.launches.last_mut() {
            Some(launch) => {
                let mut recorder = Recorder { guide: chooser.guide(), launch };
                Guided(RefCell::new(&mut recorder)).run(ranks)
            }
            None => Guided(RefCell::new(chooser.guide())).run(ranks),
        }
    }

    /// Compares what a launch left, which went well, with what it left after the first schedule.
    pub(crate) fn end(
        &mut self,
        used: &mut Used<'_>,
        calls: &[RankCall<'_>],
        plans: &[Arc<Plan>],
        depends: bool,
    ) -> Result<(), EngineError> {
        let state = &mut *self.0;
        let launch = state.recorded.launches.len() - 1;
        let Some(first) = state.launched.get_mut(launch).filter(|_| state.same) else { return Ok(()) };
        match &first.left {
            Some(left) => match left.differs(used, calls, depends) {
                Some(fault) => Err(EngineError::Fault(Box::new(fault))),
                None => Ok(()),
            },
            None => {
                first.left = Some(Left::new(used, calls, plans, depends));
                Ok(())
            }
        }
    }
}

/// What of a launch its schedule depends on.
fn print(calls: &[RankCall<'_>], plans: &[Arc<Plan>], options: &LaunchOptions) -> Print {
    let (mut arguments, mut all) = (Hash::default(), Hash::default());
    for (call, plan) in calls.iter().zip(plans) {
        arguments.write(&(call.rank as u64).to_le_bytes());
        for info in &plan.memories {
            info.shape.iter().for_each(|extent| arguments.write(&(*extent as u64).to_le_bytes()));
            arguments.write(&[0xff]);
        }
        for value in scalars(call) {
            // A hash takes any text.
            let _ = write!(arguments, "{value:?}");
        }
        all.write(&plan.hash().to_le_bytes());
    }
    let options = Hash::of(&options.effects());
    Print { calls: calls.len() as u32, arguments: arguments.value(), options, plans: all.value() }
}

/// A hash of what prints.
pub(crate) fn hash(text: &impl std::fmt::Display) -> u32 {
    let mut hash = Hash::default();
    // A hash takes any text.
    let _ = write!(hash, "{text}");
    hash.value()
}

/// What came of one run of the body.
struct Ran {
    outcome: Outcome,
    schedule: Schedule,
    chooser: Chooser,
    /// Whether a launch failed, whatever the body made of it.
    failed: bool,
}

/// Runs the body of an exploration.
struct Explorer<'e> {
    windows: &'e Windows,
    id: ExplorationId,
    state: Arc<Mutex<State>>,
    body: &'e mut dyn FnMut(Scheduler) -> Outcome,
    progress: &'e dyn Fn(Progress),
    /// Schedules that ran, and how many will.
    schedules: u64,
    of: Option<u64>,
}

/// Ends an exploration.
struct Registered<'e>(&'e Explorations, ExplorationId);

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.0.lock().running.remove(&self.1);
    }
}

fn other_each_time() -> EngineError {
    usage(
        "the body of an exploration does not do the same each time that it runs",
        "let it launch the same calls on the same data, whatever ran before",
    )
}

fn schedule_of(token: &str) -> Result<Schedule, EngineError> {
    Schedule::from_token(token).map_err(|problem| {
        usage(format!("`{token}` is no token: {problem}"), "copy the whole token from the report of a failure")
    })
}

/// Whether a text is a token, of whatever launch.
///
/// # Errors
/// What is wrong with it.
pub fn check_token(token: &str) -> Result<(), EngineError> {
    schedule_of(token).map(|_| ())
}

/// Explores: see [`pl_core::runtime::Engine::explore`].
pub(crate) fn explore(
    explorations: &Explorations,
    windows: &Windows,
    how: &Explore,
    body: &mut dyn FnMut(Scheduler) -> Outcome,
) -> Result<Explored, EngineError> {
    if how.schedules == 0 {
        return Err(usage("an exploration of no schedules", "run at least one"));
    }
    let replayed = match &how.strategy {
        Strategy::Replay(token) => Some(schedule_of(token)?),
        _ => None,
    };
    let state = Arc::new(Mutex::new(State {
        found: restore::Found::default(),
        first_of_body: windows.lock().next(),
        launched: vec![],
        same: false,
        chooser: Chooser::Follow(Follow::new(Schedule::default())),
        recorded: Schedule::default(),
        spare: vec![],
        failed: false,
        trouble: None,
    }));
    let id = {
        let mut table = explorations.lock();
        table.last += 1;
        let id = ExplorationId(table.last);
        table.running.insert(id, state.clone());
        id
    };
    let _registered = Registered(explorations, id);
    let progress = |progress: Progress| {
        if let Some(f) = &how.progress {
            f(progress);
        }
    };
    let of = (how.strategy != Strategy::Exhaustive).then_some(how.schedules);
    let mut explorer = Explorer { windows, id, state, body, progress: &progress, schedules: 0, of };
    let explored = match replayed {
        Some(schedule) => explorer.replay(how, schedule),
        None => explorer.search(how),
    };
    explorer.report(Step::Ended);
    if !matches!(&explored, Ok(Explored { found: None, .. })) {
        // What a failure left is of no use; from here it can be replayed.
        explorer.lock().found.restore(windows)?;
    }
    explored
}

impl Explorer<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the body once.
    fn run(&mut self, chooser: Chooser) -> Result<Ran, EngineError> {
        {
            let mut state = self.lock();
            state.found.restore(self.windows)?;
            (state.chooser, state.recorded, state.failed) = (chooser, Schedule::default(), false);
        }
        let outcome = (self.body)(Scheduler::Explored(self.id));
        let mut state = self.lock();
        if let Some(trouble) = state.trouble.take() {
            return Err(trouble);
        }
        let chooser = std::mem::replace(&mut state.chooser, Chooser::Follow(Follow::new(Schedule::default())));
        Ok(Ran { outcome, schedule: std::mem::take(&mut state.recorded), chooser, failed: state.failed })
    }

    /// Takes back the memory of a schedule that nobody needs.
    fn forget(&self, schedule: Schedule) {
        self.lock().spare.extend(schedule.launches.into_iter().map(|mut launch| {
            launch.segments.clear();
            launch
        }));
    }

    fn report(&self, step: Step) {
        (self.progress)(Progress { schedules: self.schedules, of: self.of, step });
    }

    fn search(&mut self, how: &Explore) -> Result<Explored, EngineError> {
        let mut explored = Explored {
            strategy: how.strategy.clone(),
            seed: how.seed,
            schedules: 0,
            redundant: 0,
            complete: false,
            found: None,
        };
        let mut seeds = Random::new(how.seed);
        let mut steps = 0;
        let mut tree = Tree::default();
        // What the first schedule launched, and whether a launch failed and the body went on: then not all of it was seen.
        let mut first: Option<Vec<Print>> = None;
        let mut gave_up = false;
        while explored.schedules < how.schedules {
            let random = Random::new(seeds.next());
            let chooser = match &how.strategy {
                Strategy::Exhaustive => {
                    tree.begin();
                    Chooser::Tree(std::mem::take(&mut tree))
                }
                Strategy::Pct if steps > 0 => Chooser::Priorities(Priorities::new(random, steps)),
                _ => Chooser::Chance(Chance::new(random)),
            };
            let ran = self.run(chooser)?;
            self.schedules += 1;
            explored.schedules += 1;
            steps = steps.max(ran.schedule.steps());
            self.report(Step::Running);
            match ran.outcome {
                Outcome::Right => {}
                Outcome::Fails(_) => {
                    explored.found = Some(self.smaller(ran.schedule, &ran.outcome)?);
                    return Ok(explored);
                }
                Outcome::Ends => return Ok(explored),
            }
            gave_up |= ran.failed;
            let launched = || ran.schedule.launches.iter().map(|launch| launch.print);
            let same = first.get_or_insert_with(|| launched().collect()).iter().copied().eq(launched());
            if ran.schedule.launches.is_empty() {
                return Err(usage(
                    "the body of an exploration launched nothing",
                    "launch with the world that it is given: the launches of another handle are not explored",
                ));
            }
            if !same {
                return Err(other_each_time());
            }
            self.forget(ran.schedule);
            if let Chooser::Tree(mut walked) = ran.chooser {
                if walked.too_long {
                    return Err(usage(
                        format!(
                            "a schedule of more than {} ops that other ranks can see is too long to be explored exhaustively",
                            Tree::MOST
                        ),
                        "explore it with `random` or `pct`, or a smaller program: fewer ranks, rounds or chunks",
                    ));
                }
                if walked.strayed {
                    return Err(other_each_time());
                }
                explored.redundant += u64::from(walked.is_redundant());
                let ended = !walked.advance();
                tree = walked;
                if ended {
                    explored.complete = !gave_up;
                    break;
                }
            }
        }
        Ok(explored)
    }

    fn replay(&mut self, how: &Explore, schedule: Schedule) -> Result<Explored, EngineError> {
        let launches = schedule.launches.len();
        let token = schedule.token();
        let switches = schedule.switches();
        let ran = self.run(Chooser::Follow(Follow::new(schedule)))?;
        let strayed = match &ran.chooser {
            Chooser::Follow(follow) => follow.strayed.map(|s| (s.step, s.call)),
            _ => None,
        };
        let problem = match strayed {
            Some((step, call)) => {
                format!(
                    "at its step {step} it asks for call {call}, which cannot go on there: the input differs, or the kernel"
                )
            }
            None if ran.outcome == Outcome::Right && ran.schedule.launches.len() < launches => {
                format!("it was made with {launches} launches, and there were {}", ran.schedule.launches.len())
            }
            None => String::new(),
        };
        if !problem.is_empty() {
            return Err(usage(
                format!("the token does not fit: {problem}"),
                "explore again: a new failure comes with a new token",
            ));
        }
        let fails = matches!(ran.outcome, Outcome::Fails(_));
        let found = fails.then_some(Found { token, switches, switches_before: switches, repeatable: true });
        Ok(Explored {
            strategy: how.strategy.clone(),
            seed: how.seed,
            schedules: 1,
            redundant: 0,
            complete: false,
            found,
        })
    }
}
