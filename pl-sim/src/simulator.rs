//! The engine: windows, launches, reports.

use crate::calls::{check_calls, check_injections, place_of, scalar_bits, signals};
use crate::check::Checks;
use crate::check::init::Init;
use crate::credits;
use crate::devices::Devices;
use crate::exec::Entered;
use crate::explore::{self, Explorations, Held};
use crate::frames::Frames;
use crate::lints;
use crate::machine::{CallWindows, Env, Frame, Halt, Machine, Mail, Memory, Place};
use crate::order;
use crate::plan::{Plan, plan_of};
use crate::sched::{Crew, Ended, Parallel, Ranks, Schedule, Seeded, Together};
use crate::shared::Lock;
use crate::stuck;
use crate::windows::{Used, Windows, gone, usage};
use pl_core::bind::Platform;
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Explored, Outcome};
use pl_core::fault::{Checked, Fault, Interrupted, LintKind, RankState, Report};
use pl_core::ir::Mode;
use pl_core::runtime::{
    ArgValue, Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, Scheduler, View, ViewMut, WindowId,
};
use std::num::NonZero;
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
    fn call_of(&self, what: &str, ranks: impl IntoIterator<Item = usize>) -> Result<Vec<Option<u32>>, EngineError> {
        let mut call_of = vec![None; self.ranks];
        for (at, rank) in ranks.into_iter().enumerate() {
            match call_of.get_mut(rank) {
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
        self.call_of("a domain", domain.iter().copied())?;
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
        let call_of = self.call_of("a launch", calls.iter().map(|call| call.rank))?;
        check_injections(&options.inject, &calls)?;
        let mut plans: Vec<Arc<Plan>> = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            // Most launches run one program on every rank.
            let same = at > 0 && Arc::ptr_eq(&call.program, &calls[at - 1].program);
            plans.push(if same { Arc::clone(&plans[at - 1]) } else { plan_of(&call.program)? });
        }
        let (mut used, number) = {
            let mut table = self.windows.lock();
            let used = check_calls(&table, &calls, &plans)?;
            table.take(&self.windows, used)?
        };
        let interrupt = options.interrupt.as_deref();
        let Some(_devices) = self.devices.take(calls.iter().map(|call| call.rank).collect(), interrupt) else {
            let ranks = calls.iter().map(|call| (call.rank, RankState::Queued)).collect();
            return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
        };
        let start = Instant::now();
        let signals = signals(&calls, &plans);
        let start_windows = |used: &mut Used<'_>, call_of: &[Option<u32>]| {
            for window in used.iter_mut() {
                let checks = match (options.checks, signals.contains(&window.id)) {
                    (false, _) => Checks::None,
                    (true, false) => Checks::Accesses,
                    (true, true) => Checks::Signal,
                };
                window.start(number, call_of, checks);
            }
        };
        // Also when a thread panics.
        used.poisoned = true;
        let result = match options.scheduler {
            Scheduler::Explored(id) => self.explorations.with(id, |exploration| {
                exploration.begin(&mut used, &mut calls, &plans, &options)?;
                start_windows(&mut used, &call_of);
                let how = How { options: &options, start, exploration: Some(&mut *exploration) };
                let (report, depends) = self.run(&used, reborrowed(&mut calls), &plans, call_of, how)?;
                exploration.end(&mut used, &calls, &plans, depends)?;
                Ok(report)
            }),
            _ => {
                start_windows(&mut used, &call_of);
                let how = How { options: &options, start, exploration: None };
                self.run(&used, calls, &plans, call_of, how).map(|(report, _)| report)
            }
        };
        used.poisoned = result.is_err();
        result
    }

    fn explore(&self, how: &Explore, body: &mut dyn FnMut(Scheduler) -> Outcome) -> Result<Explored, EngineError> {
        explore::explore(&self.explorations, &self.windows, how, body)
    }
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
        ArgValue::Scalar(value) => ArgValue::Scalar(value.clone()),
    };
    let call = |call: &'c mut RankCall<'_>| RankCall {
        rank: call.rank,
        program: Arc::clone(&call.program),
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
        plans: &'a [Arc<Plan>],
        call_of: Vec<Option<u32>>,
        how: How<'_, '_>,
    ) -> Result<(Report, bool), EngineError> {
        let How { options, start, exploration } = how;
        let count = calls.len();
        let ranks: Vec<usize> = calls.iter().map(|call| call.rank).collect();
        let mut of_calls = CallWindows::with_capacity(count, calls.iter().map(|call| call.args.len()).sum());
        for call in &calls {
            of_calls.push(call.args.iter().map(|arg| match arg {
                ArgValue::Window(id) => Some(*id),
                _ => None,
            }));
        }
        let mut builder = Builder::new(windows, options, count);
        let mut machines = Vec::with_capacity(count);
        let mut frames = self.frames.lock();
        for (call, plan) in calls.into_iter().zip(plans) {
            machines.push(Lock::new(builder.machine(call, plan, frames.take())?));
        }
        drop(frames);
        let Builder { domains, bytes, together, .. } = builder;
        let groups = together.groups();
        let env = Env {
            plans: plans.iter().map(|plan| &**plan).collect(),
            ranks,
            calls: call_of,
            windows: of_calls,
            platform: self.platform,
            mail: plans.iter().map(|plan| Mail::new(plan)).collect(),
            lints: Mutex::default(),
            entered: domains.into_iter().map(|ranks| Mutex::new(Entered::new(Arc::clone(ranks)))).collect(),
        };
        let interrupt = options.interrupt.as_deref();
        let ranks = Ranks { machines: &machines, env: &env, windows, groups: groups.clone(), interrupt, bytes };
        // What is not checked is sound on one thread alone.
        let threads = if options.checks { self.threads } else { 1 };
        let (ended, threads) = match (options.scheduler, exploration) {
            (_, Some(exploration)) => exploration.run(&ranks),
            (Scheduler::Seeded(seed), None) => Seeded(seed).run(&ranks),
            (Scheduler::Parallel | Scheduler::Explored(_), None) => Parallel { crew: &self.crew, threads }.run(&ranks),
        };
        let machines: Vec<Machine<'_>> = machines.into_iter().map(Lock::into_inner).collect();
        match ended {
            Ended::Failed(halt) => return Err(failure(*halt, &machines, &env)),
            Ended::Interrupted => {
                let mut ranks: Vec<_> = machines.iter().map(|m| (m.rank, stuck::rank_state(m))).collect();
                ranks.sort_by_key(|(rank, _)| *rank);
                return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
            }
            Ended::Stuck(group) => {
                return Err(EngineError::Fault(Box::new(stuck::explain(&machines, &env, &groups, group))));
            }
            Ended::Done => {}
        }
        if let Some(fault) = credits::left(windows.iter(), &machines, &env) {
            return Err(EngineError::Fault(Box::new(fault)));
        }
        let depends = lints::found(&env, LintKind::OrderDependent);
        let report = report(&machines, &env, options, threads, start);
        self.frames.keep(machines);
        Ok((report, depends))
    }
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

/// What is known of a launch while its machines are built.
struct Builder<'w, 'l> {
    windows: &'w Used<'w>,
    options: &'l LaunchOptions,
    calls: usize,
    /// The call whose machine is next.
    call: usize,
    /// Per window: the number of its domain, and the first call that has the window.
    found: Vec<Option<(usize, usize)>>,
    /// The domains.
    domains: Vec<&'w Arc<[usize]>>,
    /// Which calls have a window in common.
    together: Together,
    /// About how many bytes the calls touch.
    bytes: usize,
}

impl<'w, 'l> Builder<'w, 'l> {
    fn new(windows: &'w Used<'w>, options: &'l LaunchOptions, calls: usize) -> Builder<'w, 'l> {
        let found = vec![None; windows.iter().count()];
        Builder { windows, options, calls, call: 0, found, domains: vec![], together: Together::new(calls), bytes: 0 }
    }

    /// The machine of the next call, at the start of its kernel.
    fn machine<'a>(&mut self, call: RankCall<'a>, plan: &'a Plan, mut frame: Frame) -> Result<Machine<'a>, EngineError>
    where
        'w: 'a,
    {
        let RankCall { rank, mut args, .. } = call;
        let mut memories: Vec<Memory<'a>> = Vec::with_capacity(plan.memories.len());
        frame.places.clear();
        for info in &plan.memories {
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
            let taken = args.get_mut(info.param).map(|arg| std::mem::replace(arg, ArgValue::In(&[])));
            let (memory, place) = match taken {
                Some(ArgValue::In(data)) => (Memory::In(data), Place::default()),
                Some(ArgValue::Out(data)) => {
                    // Without checks nobody notes what is written.
                    let noted = info.mode == Mode::Out && self.options.checks;
                    let init = if noted { frame.init(info.elements) } else { Init::all() };
                    (Memory::Out(data, init), Place::default())
                }
                Some(ArgValue::Window(id)) => self.window(id, rank)?,
                _ => return Err(usage(format!("`{}` of kernel `{}` has no argument", info.name, plan.kernel), "")),
            };
            memories.push(memory);
            frame.places.push(place);
        }
        let number = (self.call, self.calls);
        self.call += 1;
        let mut machine =
            Machine::new(plan, rank, number, memories.into(), (self.options.op_budget, &self.options.inject), frame);
        // Where it matters between which ops a rank stops, it executes the plan itself.
        if self.options.scheduler == Scheduler::Parallel && self.options.inject.is_empty() {
            machine.unrolled = plan.unrolled(&machine.places);
        }
        for scalar in &plan.scalars {
            if let Some(arg) = args.get(scalar.param) {
                machine.set(scalar.reg, scalar_bits(plan, scalar.ty, arg)?);
            }
        }
        Ok(machine)
    }

    /// A window of the next call, with the place of its rank.
    fn window<'a>(&mut self, id: WindowId, rank: usize) -> Result<(Memory<'a>, Place), EngineError>
    where
        'w: 'a,
    {
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
        let number = place_of(&window.domain, rank).ok_or_else(|| gone(id))?;
        Ok((Memory::Window(window), Place { rank: number, ranks: window.domain.len(), domain }))
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
fn report(machines: &[Machine<'_>], env: &Env<'_>, options: &LaunchOptions, threads: usize, start: Instant) -> Report {
    let mut checked = Checked::default();
    let mut ranks = Vec::with_capacity(machines.len());
    let mut not_injected = vec![];
    for (machine, mail) in machines.iter().zip(&env.mail) {
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
