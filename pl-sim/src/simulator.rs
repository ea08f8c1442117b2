//! The engine: windows, launches, reports.

use crate::calls::{check_injections, scalar_bits};
use crate::check::Checks;
use crate::check::init::Init;
use crate::credits;
use crate::devices::Devices;
use crate::env::{Env, Mail};
use crate::exec::Entered;
use crate::explore::{self, Explorations, Held};
use crate::frames::{Frames, Set};
use crate::lineup::{Lineup, calls_of};
use crate::lints;
use crate::machine::{Frame, Halt, Machine, Memory, emptied};
use crate::order;
use crate::sched::{Crew, Ended, Parallel, Ranks, Schedule, Seeded};
use crate::shared::Lock;
use crate::stuck;
use crate::windows::{Used, Windows, usage};
use pl_core::bind::Platform;
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Explored, Outcome};
use pl_core::fault::{Checked, Fault, Interrupted, LintKind, RankState, Report};
use pl_core::ir::Mode;
use pl_core::runtime::{
    ArgValue, Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, Scheduler, View, ViewMut, WindowId,
};
use std::mem::take;
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
        calls_of("a domain", self.ranks, &domain)?;
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
        check_injections(&options.inject, &calls)?;
        let (lineup, (mut used, number)) = {
            let mut table = self.windows.lock();
            let lineup = table.lineup(self.ranks, &calls)?;
            let taken = table.take(&self.windows, &lineup)?;
            (lineup, taken)
        };
        let interrupt = options.interrupt.as_deref();
        let Some(_devices) = self.devices.take(&lineup.ranks, interrupt) else {
            let ranks = lineup.ranks.iter().map(|rank| (*rank, RankState::Queued)).collect();
            return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
        };
        let start = Instant::now();
        let start_windows = |used: &mut Used<'_>| {
            for (window, in_use) in used.iter_mut().zip(&lineup.windows) {
                let checks = match (options.checks, in_use.is_signal) {
                    (false, _) => Checks::None,
                    (true, false) => Checks::Accesses,
                    (true, true) => Checks::Signal,
                };
                window.start(number, &lineup.call_of, checks);
            }
        };
        // Also when a thread panics.
        used.poisoned = true;
        let result = match options.scheduler {
            Scheduler::Explored(id) => self.explorations.with(id, |exploration| {
                exploration.begin(&mut used, &mut calls, &lineup.plans, &options)?;
                start_windows(&mut used);
                let how = How { options: &options, start, exploration: Some(&mut *exploration) };
                let (report, depends) = self.run(&used, reborrowed(&mut calls), &lineup, how)?;
                exploration.end(&mut used, &calls, &lineup.plans, depends)?;
                Ok(report)
            }),
            _ => {
                start_windows(&mut used);
                let how = How { options: &options, start, exploration: None };
                self.run(&used, calls, &lineup, how).map(|(report, _)| report)
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
        lineup: &'a Lineup,
        how: How<'_, '_>,
    ) -> Result<(Report, bool), EngineError> {
        let How { options, start, exploration } = how;
        let Lineup { ranks, plans, .. } = lineup;
        let faults = (options.op_budget, &*options.inject);
        // Where it matters between which ops a rank stops, it executes the plan itself.
        let unrolls = options.scheduler == Scheduler::Parallel && options.inject.is_empty();
        let mut set = self.frames.take(calls.len());
        let Set { frames, machines, mail, .. } = &mut set;
        mail.clear();
        mail.resize_with(calls.len(), Mail::default);
        let mut machines = emptied(take(machines));
        machines.reserve_exact(calls.len());
        for (at, (frame, call)) in frames.iter_mut().zip(calls).enumerate() {
            let (plan, places) = (&*plans[at], lineup.places(at));
            let memories = memories(call, (at, lineup), windows, frame, options)?;
            let unrolled = if unrolls { plan.unrolled(places) } else { None };
            let number = (at, ranks.len());
            let machine = Machine::new((plan, unrolled), ranks[at], number, (memories, places), faults, frame);
            machines.push(Lock::new(machine));
        }
        let env = Env {
            plans,
            polls: lineup.polls,
            ranks,
            calls: &lineup.call_of,
            lineup,
            platform: self.platform,
            mail,
            lints: Mutex::default(),
            entered: lineup.domains.iter().map(|ranks| Mutex::new(Entered::new(Arc::clone(ranks)))).collect(),
        };
        let interrupt = options.interrupt.as_deref();
        let (groups, bytes) = (&lineup.groups, lineup.bytes);
        let of_launch = Ranks { machines: &machines, env: &env, windows, groups, start, interrupt, bytes };
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
                let fault = stuck::explain(&unlocked(machines), &env, groups, group);
                return Err(EngineError::Fault(Box::new(fault)));
            }
            Ended::Done => {}
        }
        if options.checks {
            let of_launch = windows.iter().zip(&lineup.windows);
            let signals = of_launch.filter(|(_, in_use)| in_use.is_signal).map(|(window, _)| window);
            if let Some(fault) = credits::left(signals, &mut machines, &env) {
                return Err(EngineError::Fault(Box::new(fault)));
            }
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

/// The arguments of a call that are memory; the frame gets the others.
fn memories<'a>(
    call: RankCall<'a>,
    (at, lineup): (usize, &Lineup),
    windows: &'a Used<'_>,
    frame: &mut Frame,
    options: &LaunchOptions,
) -> Result<Vec<Memory<'a>>, EngineError> {
    let (plan, mut args) = (&*lineup.plans[at], call.args);
    let mut memories = frame.start(plan);
    for info in &plan.memories {
        let memory = match (info.view_of, args.get_mut(info.param)) {
            (Some(base), _) => match memories[base as usize] {
                Memory::In(data) => Memory::In(data),
                Memory::Window(window) => Memory::Window(window),
                Memory::Out(..) | Memory::View(_) => Memory::View(base),
            },
            (None, Some(ArgValue::In(data))) => Memory::In(data),
            (None, Some(ArgValue::Out(data))) => {
                // Without checks nobody notes what is written.
                let noted = info.mode == Mode::Out && options.checks;
                let init = if noted { frame.init(info.elements) } else { Init::all() };
                Memory::Out(take(data), init)
            }
            (None, Some(ArgValue::Window(_))) if let Some(number) = lineup.number(at, info.param) => {
                Memory::Window(windows.get(number))
            }
            _ => return Err(usage(format!("`{}` of kernel `{}` has no argument", info.name, plan.kernel), "")),
        };
        memories.push(memory);
    }
    for scalar in &plan.scalars {
        if let Some(arg) = args.get(scalar.param) {
            frame.registers[scalar.reg as usize] = scalar_bits(plan, scalar.ty, arg)?;
        }
    }
    Ok(memories)
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
