//! The engine: windows, launches, reports.

use crate::calls::{check_calls, check_injections, place_of, scalar_bits, signals};
use crate::check::Checks;
use crate::check::init::Init;
use crate::credits;
use crate::devices::Devices;
use crate::env::{CallWindows, Env, Mail, PerCall};
use crate::exec::Entered;
use crate::explore::{self, Explorations, Held};
use crate::frames::{Frames, Set};
use crate::lints;
use crate::machine::{Frame, Halt, Machine, Memory, Place, emptied};
use crate::order;
use crate::plan::{Plan, plan_of};
use crate::sched::{Crew, Ended, Parallel, Ranks, Schedule, Seeded, Together};
use crate::shared::Lock;
use crate::stuck;
use crate::window::Window;
use crate::windows::{Used, Windows, gone, usage};
use pl_core::bind::{Platform, Program};
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Explored, Outcome};
use pl_core::fault::{Checked, Fault, Interrupted, LintKind, RankState, Report};
use pl_core::ir::Mode;
use pl_core::runtime::{
    ArgValue, Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, Scheduler, View, ViewMut, WindowId,
};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;
use std::mem::take;
use std::num::NonZero;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// The simulated platforms.
pub const PLATFORMS: &[Platform] = &[
    Platform { name: "sim", tile_bytes: None },
    Platform { name: "a2a3sim", tile_bytes: Some(184 << 10) },
    Platform { name: "a5sim", tile_bytes: Some(240 << 10) },
];

/// A set of simulated devices.
pub struct Simulator {
    platform: &'static Platform,
    ranks: usize,
    /// How many threads may run the ranks of a launch, and those beside the calling one.
    threads: usize,
    crew: Arc<Crew>,
    windows: Windows,
    devices: Devices,
    frames: Frames,
    explorations: Explorations,
}

impl Simulator {
    /// Devices of a platform, one for each rank.
    pub fn open(platform: &str, ranks: usize) -> Result<Simulator, EngineError> {
        let Some(found) = PLATFORMS.iter().find(|p| p.name == platform) else {
            let names: Vec<_> = PLATFORMS.iter().map(|p| format!("`{}`", p.name)).collect();
            return Err(usage(
                format!("unknown platform `{platform}`"),
                format!("platforms are {}{}", names.join(", "), nearest(platform)),
            ));
        };
        if ranks == 0 || u32::try_from(ranks).is_err() {
            return Err(usage(format!("a world of {ranks} ranks"), "name at least one device"));
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Simulator {
            platform: found,
            ranks,
            threads,
            crew: Crew::of_process(),
            windows: Windows::default(),
            devices: Devices::default(),
            frames: Frames::default(),
            explorations: Explorations::default(),
        })
    }

    /// Which of `ranks` each rank of the world is, if any. Each of them is one of the world, and stands once.
    fn call_of(&self, what: &str, ranks: &[usize]) -> Result<PerCall<Option<u32>>, EngineError> {
        let mut call_of: PerCall<Option<u32>> = smallvec![None; self.ranks];
        for (at, rank) in ranks.iter().enumerate() {
            match call_of.get_mut(*rank) {
                Some(call @ None) => *call = Some(at as u32),
                Some(_) => {
                    return Err(usage(format!("{what} names rank {rank} more than once"), "name each rank once"));
                }
                None => {
                    return Err(usage(
                        format!("{what} names rank {rank}; the world has {}", self.ranks),
                        "ranks count from 0",
                    ));
                }
            }
        }
        Ok(call_of)
    }
}

/// A hint at the platform that was meant.
fn nearest(name: &str) -> String {
    let distance = |a: &str, b: &str| {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.chars().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, &y) in b.iter().enumerate() {
                let replaced = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[b.len()]
    };
    let best = PLATFORMS.iter().map(|p| (distance(name, p.name), p.name)).min();
    match best {
        Some((1..=2, best)) if name.len() > 2 => format!("; did you mean `{best}`?"),
        _ => String::new(),
    }
}

impl Engine for Simulator {
    fn platform(&self) -> &Platform {
        self.platform
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn allocate(
        &self,
        domain: Arc<[usize]>,
        dtype: DType,
        shape: &[usize],
        contents: Contents,
    ) -> Result<WindowId, EngineError> {
        self.call_of("a domain", &domain)?;
        self.windows.allocate(domain, dtype, shape, contents)
    }

    fn free(&self, window: WindowId) {
        self.windows.free(window);
    }

    fn reset(&self, window: WindowId) -> Result<(), EngineError> {
        self.windows.reset(window)
    }

    fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), EngineError> {
        self.windows.read(window, rank, out)
    }

    fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), EngineError> {
        self.windows.write(window, rank, bytes)
    }

    fn view(&self, window: WindowId, rank: usize) -> Result<Box<dyn View + '_>, EngineError> {
        self.windows.view(window, rank)
    }

    fn view_mut(&self, window: WindowId, rank: usize) -> Result<Box<dyn ViewMut + '_>, EngineError> {
        self.windows.view_mut(window, rank)
    }

    fn launch(&self, launch: Launch<'_>) -> Result<Report, EngineError> {
        let Launch { mut calls, options } = launch;
        let ranks: PerCall<usize> = calls.iter().map(|call| call.rank).collect();
        let call_of = self.call_of("a launch", &ranks)?;
        check_injections(&options.inject, &calls)?;
        let programs = Programs::of(&calls)?;
        let plans = programs.plans();
        let (mut used, number) = {
            let mut table = self.windows.lock();
            let used = check_calls(&table, &calls, &plans)?;
            table.take(&self.windows, used)?
        };
        let interrupt = options.interrupt.as_deref();
        let Some(_devices) = self.devices.take(&ranks, interrupt) else {
            let ranks = ranks.iter().map(|rank| (*rank, RankState::Queued)).collect();
            return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
        };
        let start = Instant::now();
        let signals = if options.checks { signals(&calls, &plans) } else { BTreeSet::new() };
        let crowd = Crowd { ranks: &ranks, call_of: &call_of, plans: &plans, signals: &signals };
        let start_windows = |used: &mut Used<'_>| {
            for window in used.iter_mut() {
                let checks = match (options.checks, signals.contains(&window.id)) {
                    (false, _) => Checks::None,
                    (true, false) => Checks::Accesses,
                    (true, true) => Checks::Signal,
                };
                window.start(number, &call_of, checks);
            }
        };
        // Also when a thread panics.
        used.poisoned = true;
        let result = match options.scheduler {
            Scheduler::Explored(id) => self.explorations.with(id, |exploration| {
                exploration.begin(&mut used, &mut calls, &plans, &options)?;
                start_windows(&mut used);
                let how = How { options: &options, start, exploration: Some(&mut *exploration) };
                let (report, depends) = self.run(&used, reborrowed(&mut calls), crowd, how)?;
                exploration.end(&mut used, &calls, &plans, depends)?;
                Ok(report)
            }),
            _ => {
                start_windows(&mut used);
                let how = How { options: &options, start, exploration: None };
                self.run(&used, calls, crowd, how).map(|(report, _)| report)
            }
        };
        used.poisoned = result.is_err();
        result
    }

    fn explore(&self, how: &Explore, body: &mut dyn FnMut(Scheduler) -> Outcome) -> Result<Explored, EngineError> {
        explore::explore(&self.explorations, &self.windows, how, body)
    }
}

/// The plans of the calls of a launch, each once when the calls that have it stand together.
struct Programs {
    plans: SmallVec<[Arc<Plan>; 2]>,
    /// Which of them is that of each call.
    of: PerCall<u32>,
}

impl Programs {
    fn of(calls: &[RankCall<'_>]) -> Result<Programs, EngineError> {
        let mut programs = Programs { plans: SmallVec::new(), of: PerCall::new() };
        let mut before: Option<&Program> = None;
        for &RankCall { program, .. } in calls {
            // Most launches run one program on every rank.
            if before.is_none_or(|before| !ptr::eq(before, program)) {
                programs.plans.push(plan_of(program)?);
            }
            before = Some(program);
            programs.of.push(programs.plans.len() as u32 - 1);
        }
        Ok(programs)
    }

    /// That of each call.
    fn plans(&self) -> PerCall<&Arc<Plan>> {
        self.of.iter().map(|plan| &self.plans[*plan as usize]).collect()
    }
}

/// What is known of the calls of a launch beside their arguments.
#[derive(Clone, Copy)]
struct Crowd<'a> {
    /// The rank of each.
    ranks: &'a [usize],
    /// The call of each rank of the world.
    call_of: &'a [Option<u32>],
    /// The plan of each.
    plans: &'a [&'a Arc<Plan>],
    /// The windows that are signals of their collectives, where these are checked.
    signals: &'a BTreeSet<WindowId>,
}

/// How to run calls.
struct How<'o, 'e> {
    options: &'o LaunchOptions,
    start: Instant,
    /// The exploration that they are part of.
    exploration: Option<&'o mut Held<'e>>,
}

/// The same calls, whose memory comes back when these end.
fn reborrowed<'c>(calls: &'c mut [RankCall<'_>]) -> Vec<RankCall<'c>> {
    let arg = |arg: &'c mut ArgValue<'_>| match arg {
        ArgValue::In(bytes) => ArgValue::In(bytes),
        ArgValue::Out(bytes) => ArgValue::Out(bytes),
        ArgValue::Window(window) => ArgValue::Window(*window),
        ArgValue::Scalar(value) => ArgValue::Scalar(value),
    };
    let call = |call: &'c mut RankCall<'_>| RankCall {
        rank: call.rank,
        program: call.program,
        args: call.args.iter_mut().map(arg).collect(),
    };
    calls.iter_mut().map(call).collect()
}

impl Simulator {
    /// Runs calls that are checked. Also gives whether the results can depend on the schedule.
    fn run<'a>(
        &'a self,
        windows: &'a Used<'_>,
        calls: Vec<RankCall<'a>>,
        crowd: Crowd<'a>,
        how: How<'_, '_>,
    ) -> Result<(Report, bool), EngineError> {
        let How { options, start, exploration } = how;
        let Crowd { ranks, call_of, plans, signals } = crowd;
        let faults = (options.op_budget, &*options.inject);
        // Where it matters between which ops a rank stops, it executes the plan itself.
        let unrolls = options.scheduler == Scheduler::Parallel && options.inject.is_empty();
        let mut builder = Builder::new(windows, options, calls.len());
        let mut set = self.frames.take(calls.len());
        let Set { frames, machines, mail, .. } = &mut set;
        mail.clear();
        mail.resize_with(plans.len(), Mail::default);
        let mut machines = emptied(take(machines));
        machines.reserve_exact(calls.len());
        for (at, (frame, call)) in frames.iter_mut().zip(calls).enumerate() {
            let before = machines.last_mut().map(|before: &mut Lock<Machine<'_>>| &*before.get_mut());
            let before = before.filter(|before| ptr::eq(before.plan, &**plans[at]));
            let memories = builder.arguments(call, plans[at], frame, before)?;
            let unrolled = if unrolls { plans[at].unrolled(&frame.places) } else { None };
            let number = (at, ranks.len());
            machines.push(Lock::new(Machine::new((plans[at], unrolled), ranks[at], number, memories, faults, frame)));
        }
        let Builder { of_calls, domains, bytes, together, .. } = builder;
        let groups = together.groups();
        let env = Env {
            plans,
            polls: plans.iter().any(|plan| plan.polls),
            ranks,
            calls: call_of,
            windows: of_calls,
            platform: self.platform,
            mail,
            lints: Mutex::default(),
            entered: domains.into_iter().map(|ranks| Mutex::new(Entered::new(Arc::clone(ranks)))).collect(),
        };
        let interrupt = options.interrupt.as_deref();
        let of_launch = Ranks { machines: &machines, env: &env, windows, groups: &groups, start, interrupt, bytes };
        // What is not checked is sound on one thread alone.
        let threads = if options.checks { self.threads } else { 1 };
        let (ended, threads) = match (options.scheduler, exploration) {
            (_, Some(exploration)) => exploration.run(&of_launch),
            (Scheduler::Seeded(seed), None) => Seeded(seed).run(&of_launch),
            (Scheduler::Parallel | Scheduler::Explored(_), None) => {
                Parallel { crew: &self.crew, threads }.run(&of_launch)
            }
        };
        match ended {
            Ended::Failed(halt) => return Err(failure(*halt, &unlocked(machines), &env)),
            Ended::Interrupted => {
                let mut ranks: Vec<_> = unlocked(machines).iter().map(|m| (m.rank, stuck::rank_state(m))).collect();
                ranks.sort_by_key(|(rank, _)| *rank);
                return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
            }
            Ended::Stuck(group) => {
                let fault = stuck::explain(&unlocked(machines), &env, &groups, group);
                return Err(EngineError::Fault(Box::new(fault)));
            }
            Ended::Done => {}
        }
        if let Some(fault) =
            credits::left(windows.iter().filter(|window| signals.contains(&window.id)), &mut machines, &env)
        {
            return Err(EngineError::Fault(Box::new(fault)));
        }
        let depends = lints::found(&env, LintKind::OrderDependent);
        let report = report(&mut machines, &env, options, threads, start);
        machines.iter_mut().for_each(|machine| machine.get_mut().leave());
        machines.clear();
        set.machines = emptied(machines);
        self.frames.keep(set, ranks.len());
        Ok((report, depends))
    }
}

/// The machines, when all workers have left.
fn unlocked(machines: Vec<Lock<Machine<'_>>>) -> Vec<Machine<'_>> {
    machines.into_iter().map(Lock::into_inner).collect()
}

/// The error of a launch that a rank ended.
fn failure(halt: Halt, machines: &[Machine<'_>], env: &Env<'_>) -> EngineError {
    let fault = match halt {
        Halt::Fault(fault) => fault,
        Halt::Race(race, found) => Box::new(Fault::Race(Box::new(order::explain(*race, found, machines, env)))),
        Halt::Missing(missing, found) => {
            Box::new(Fault::Uninitialised(Box::new(order::explain_missing(*missing, found, machines, env))))
        }
        Halt::Internal(message) => {
            return usage(message, "the program did not pass the verifier: link, lower and bind it before the launch");
        }
    };
    EngineError::Fault(fault)
}

/// What is known of a launch while its machines take their arguments.
struct Builder<'w, 'l> {
    windows: &'w Used<'w>,
    options: &'l LaunchOptions,
    /// The number of the next call.
    call: usize,
    /// The windows of those before.
    of_calls: CallWindows,
    /// Per window: the number of its domain, and the first call that has the window.
    found: SmallVec<[Option<(usize, usize)>; 4]>,
    /// The domains.
    domains: SmallVec<[&'w Arc<[usize]>; 1]>,
    /// Which calls have a window in common.
    together: Together,
    /// About how many bytes the calls touch.
    bytes: usize,
}

impl<'w, 'l> Builder<'w, 'l> {
    fn new(windows: &'w Used<'w>, options: &'l LaunchOptions, calls: usize) -> Builder<'w, 'l> {
        Builder {
            windows,
            options,
            call: 0,
            of_calls: CallWindows::default(),
            found: smallvec![None; windows.iter().count()],
            domains: SmallVec::new(),
            together: Together::new(calls),
            bytes: 0,
        }
    }

    /// The arguments of the next call that are memory; the frame gets the others. `before` is the machine of the call before, where that has the same plan.
    fn arguments<'a>(
        &mut self,
        call: RankCall<'a>,
        plan: &Plan,
        frame: &mut Frame,
        before: Option<&Machine<'a>>,
    ) -> Result<Vec<Memory<'a>>, EngineError>
    where
        'w: 'a,
    {
        let RankCall { rank, mut args, .. } = call;
        let mut memories = frame.start(plan, before);
        // Whether it has a window of the call before, and whether it has the same ones.
        let (mut shares, mut same) = (false, before.is_some());
        for (at, info) in plan.memories.iter().enumerate() {
            if let Some(base) = info.view_of {
                memories.push(match memories[base as usize] {
                    Memory::In(data) => Memory::In(data),
                    Memory::Window(window) => Memory::Window(window),
                    Memory::Out(..) | Memory::View(_) => Memory::View(base),
                });
                frame.places.push(frame.places[base as usize]);
                continue;
            }
            self.bytes = self.bytes.saturating_add(info.elements * info.dtype.bytes());
            let (memory, place) = match args.get_mut(info.param) {
                Some(ArgValue::In(data)) => (Memory::In(data), Place::default()),
                Some(ArgValue::Out(data)) => {
                    // Without checks nobody notes what is written.
                    let noted = info.mode == Mode::Out && self.options.checks;
                    let init = if noted { frame.init(info.elements) } else { Init::all() };
                    (Memory::Out(take(data), init), Place::default())
                }
                Some(&mut ArgValue::Window(id)) => {
                    let (window, domain) = match before.map(|before| (&before.memories[at], before.places[at])) {
                        // Most launches have the same windows on every rank.
                        Some((Memory::Window(window), place)) if window.id == id => {
                            shares = true;
                            (*window, place.domain)
                        }
                        _ => {
                            same = false;
                            self.window(id)?
                        }
                    };
                    let number = place_of(&window.domain, rank).ok_or_else(|| gone(id))?;
                    (Memory::Window(window), Place { rank: number, ranks: window.domain.len(), domain })
                }
                _ => return Err(usage(format!("`{}` of kernel `{}` has no argument", info.name, plan.kernel), "")),
            };
            memories.push(memory);
            frame.places.push(place);
        }
        for scalar in &plan.scalars {
            if let Some(arg) = args.get(scalar.param) {
                frame.registers[scalar.reg as usize] = scalar_bits(plan, scalar.ty, arg)?;
            }
        }
        if shares {
            self.together.join(self.call - 1, self.call);
        }
        if same {
            self.of_calls.repeat();
        } else {
            self.of_calls.push(args.iter().map(|arg| match arg {
                ArgValue::Window(id) => Some(*id),
                _ => None,
            }));
        }
        self.call += 1;
        Ok(memories)
    }

    /// A window of the next call, with the number of its domain.
    fn window(&mut self, id: WindowId) -> Result<(&'w Window, usize), EngineError> {
        let (at, window) = self.windows.get(id)?;
        let (domain, first) = match self.found[at] {
            Some(found) => found,
            None => {
                let found = (self.domain(&window.domain), self.call);
                *self.found[at].insert(found)
            }
        };
        if first != self.call {
            self.together.join(first, self.call);
        }
        Ok((window, domain))
    }

    /// The number of a domain.
    fn domain(&mut self, domain: &'w Arc<[usize]>) -> usize {
        self.domains.iter().position(|known| *known == domain).unwrap_or_else(|| {
            self.domains.push(domain);
            self.domains.len() - 1
        })
    }
}

/// The report of a run that went well.
fn report(
    machines: &mut [Lock<Machine<'_>>],
    env: &Env<'_>,
    options: &LaunchOptions,
    threads: usize,
    start: Instant,
) -> Report {
    let mut checked = Checked::default();
    let mut ranks = Vec::with_capacity(machines.len());
    let mut not_injected = vec![];
    machines.iter_mut().for_each(|machine| machine.get_mut().moved.tell(env.mail));
    for (machine, mail) in machines.iter_mut().zip(env.mail) {
        let machine = machine.get_mut();
        let mut cost = machine.cost;
        cost.bytes_sent += mail.served.load(Relaxed);
        cost.bytes_received += mail.pushed.load(Relaxed);
        if options.checks {
            checked.accesses += machine.accesses;
            checked.signals += cost.peer_notifies + cost.self_notifies + cost.waits;
        }
        checked.ops += machine.count.ops();
        not_injected.extend(machine.faults.not_injected(machine.count.ops(), cost.peer_notifies + cost.self_notifies));
        ranks.push(cost);
    }
    let machines = machines.iter_mut().map(|machine| &*machine.get_mut());
    let lints = if options.checks { lints::collect(machines, env, options.allow) } else { vec![] };
    Report {
        ranks,
        wall: start.elapsed(),
        scheduler: options.scheduler,
        explored: None,
        threads,
        checked,
        lints,
        not_injected,
    }
}
