//! The engine: windows, launches, reports.

use crate::check::init::Init;
use crate::machine::{Env, Halt, Machine, Mail, Memory, State};
use crate::plan::scalar::ScalarTy;
use crate::plan::{MemoryInfo, Plan, plan_of};
use crate::sched::{Ended, Parallel, Ranks, Schedule, Seeded};
use crate::stuck;
use crate::window::Window;
use pl_core::bind::Platform;
use pl_core::dtype::DType;
use pl_core::fault::{Checked, Fault, Interrupted, Report};
use pl_core::ir::{ConstValue, Mode};
use pl_core::runtime::{ArgValue, Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, Scheduler, WindowId};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// How many threads may run ranks.
    threads: usize,
    state: Mutex<Windows>,
}

/// The windows that exist.
#[derive(Default)]
struct Windows {
    windows: BTreeMap<WindowId, Window>,
    /// The id of the last window.
    last: u64,
    /// The number of the last launch.
    launch: u32,
}

fn usage(message: impl Into<String>, help: impl Into<String>) -> EngineError {
    EngineError::Usage { message: message.into(), help: help.into() }
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
        Ok(Simulator { platform: found, ranks, threads, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Windows> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Windows {
    fn get_mut(&mut self, window: WindowId) -> Result<&mut Window, EngineError> {
        self.windows.get_mut(&window).ok_or_else(|| gone(window))
    }
}

fn gone(window: WindowId) -> EngineError {
    EngineError::Window { window, problem: "it does not exist in this world, or was freed".into() }
}

impl Engine for Simulator {
    fn platform(&self) -> &Platform {
        self.platform
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn allocate(&self, dtype: DType, shape: &[usize], contents: Contents) -> Result<WindowId, EngineError> {
        let elements = shape.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent));
        if elements.is_none_or(|n| u32::try_from(n).is_err()) {
            return Err(usage(
                format!("a window of shape {shape:?} has too many elements"),
                format!("a window has less than {} elements per rank", 1_u64 << 32),
            ));
        }
        let mut state = self.lock();
        state.last += 1;
        let id = WindowId(state.last);
        let window =
            Window::new(id, self.ranks, dtype, shape, contents).ok_or_else(|| no_memory(dtype, shape, self.ranks))?;
        state.windows.insert(id, window);
        Ok(id)
    }

    fn free(&self, window: WindowId) {
        self.lock().windows.remove(&window);
    }

    fn reset(&self, window: WindowId) -> Result<(), EngineError> {
        let mut state = self.lock();
        let old = state.get_mut(window)?;
        let (dtype, shape) = (old.dtype, &old.shape);
        let new = Window::new(window, self.ranks, dtype, shape, Contents::Uninitialised);
        *old = new.ok_or_else(|| no_memory(dtype, shape, self.ranks))?;
        Ok(())
    }

    fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), EngineError> {
        let mut state = self.lock();
        let bytes = host_memory(state.get_mut(window)?, rank, out.len())?.bytes_mut();
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), EngineError> {
        let mut state = self.lock();
        let memory = host_memory(state.get_mut(window)?, rank, bytes.len())?;
        memory.bytes_mut().copy_from_slice(bytes);
        memory.set_data();
        Ok(())
    }

    fn launch(&self, launch: Launch<'_>) -> Result<Report, EngineError> {
        let start = Instant::now();
        let Launch { calls, options } = launch;
        if calls.len() != self.ranks {
            return Err(usage(
                format!("{} calls for a world of {} ranks", calls.len(), self.ranks),
                "a launch takes one call for each rank, in rank order",
            ));
        }
        let state = &mut *self.lock();
        let mut plans: Vec<Arc<Plan>> = Vec::with_capacity(calls.len());
        for (rank, call) in calls.iter().enumerate() {
            // Most launches run one program on every rank.
            let same = rank > 0 && Arc::ptr_eq(&call.program, &calls[rank - 1].program);
            plans.push(if same { Arc::clone(&plans[rank - 1]) } else { plan_of(&call.program)? });
        }
        let used = state.prepare(&calls, &plans, self.ranks)?;
        let result = self.run(state, calls, &plans, &options, start);
        if result.is_err() {
            for window in used {
                state.get_mut(window)?.poisoned = true;
            }
        }
        result
    }
}

fn no_memory(dtype: DType, shape: &[usize], ranks: usize) -> EngineError {
    usage(
        format!("no memory for a window of `{dtype}` {shape:?} on {ranks} ranks"),
        "smaller windows or fewer ranks need less",
    )
}

fn host_memory(window: &mut Window, rank: usize, bytes: usize) -> Result<&mut crate::check::Memory, EngineError> {
    let (id, expected) = (window.id, window.elements * window.dtype.bytes());
    let Some(memory) = window.memory_mut(rank) else {
        return Err(EngineError::Window { window: id, problem: format!("it has no rank {rank}") });
    };
    if bytes != expected {
        return Err(EngineError::Window {
            window: id,
            problem: format!("it has {expected} bytes per rank, not {bytes}"),
        });
    }
    Ok(memory)
}

impl Windows {
    /// Checks the calls against the plans, and makes the windows that they use ready. Gives these windows.
    fn prepare(
        &mut self,
        calls: &[RankCall<'_>],
        plans: &[Arc<Plan>],
        ranks: usize,
    ) -> Result<BTreeSet<WindowId>, EngineError> {
        let mut used = BTreeSet::new();
        for (call, plan) in calls.iter().zip(plans) {
            if let Some(world) = plan.world.filter(|world| *world != ranks) {
                return Err(usage(
                    format!("kernel `{}` was bound for {world} ranks; the world has {ranks}", plan.kernel),
                    "bind it for this world",
                ));
            }
            if call.args.len() != plan.params {
                return Err(usage(
                    format!("kernel `{}` takes {} arguments, not {}", plan.kernel, plan.params, call.args.len()),
                    "give one argument per parameter",
                ));
            }
            for info in &plan.memories {
                if let Some(window) = self.check_memory(plan, info, &call.args[info.param])? {
                    used.insert(window);
                }
            }
            for scalar in &plan.scalars {
                scalar_bits(plan, scalar.ty, &call.args[scalar.param])?;
            }
        }
        self.launch = self.launch.wrapping_add(1);
        for &id in &used {
            let launch = self.launch;
            self.get_mut(id)?.start(launch);
        }
        Ok(used)
    }

    /// Checks one argument that is memory.
    fn check_memory(
        &self,
        plan: &Plan,
        info: &MemoryInfo,
        arg: &ArgValue<'_>,
    ) -> Result<Option<WindowId>, EngineError> {
        let expected = info.elements * info.dtype.bytes();
        let bytes = match arg {
            ArgValue::Window(id) if info.window => {
                let window = self.windows.get(id).ok_or_else(|| gone(*id))?;
                if window.poisoned {
                    return Err(EngineError::Poisoned(*id));
                }
                if (window.dtype, &window.shape) != (info.dtype, &info.shape) {
                    let problem = format!(
                        "it is `{}` {:?}; `{}` of kernel `{}` is `{}` {:?}",
                        window.dtype, window.shape, info.name, plan.kernel, info.dtype, info.shape
                    );
                    return Err(EngineError::Window { window: *id, problem });
                }
                return Ok(Some(*id));
            }
            ArgValue::In(bytes) if !info.window && info.mode == Mode::In => bytes.len(),
            ArgValue::Out(bytes) if !info.window && info.mode != Mode::In => bytes.len(),
            _ => {
                let wanted = match (info.window, info.mode) {
                    (true, _) => "a window",
                    (false, Mode::In) => "a tensor to read",
                    (false, _) => "a tensor to write",
                };
                return Err(usage(format!("`{}` of kernel `{}` takes {wanted}", info.name, plan.kernel), ""));
            }
        };
        if bytes != expected {
            return Err(usage(
                format!("`{}` of kernel `{}` has {expected} bytes, not {bytes}", info.name, plan.kernel),
                "the array must have the shape that the kernel was bound with",
            ));
        }
        Ok(None)
    }
}

/// The register that holds a scalar argument.
fn scalar_bits(plan: &Plan, ty: ScalarTy, arg: &ArgValue<'_>) -> Result<u64, EngineError> {
    let bits = match arg {
        ArgValue::Scalar(ConstValue::Scalar(lit, _)) => ty.literal(*lit),
        _ => None,
    };
    bits.ok_or_else(|| {
        usage(format!("a scalar argument of kernel `{}` is no `{}`: {arg:?}", plan.kernel, ty.name()), "")
    })
}

impl Simulator {
    /// Runs calls that are checked.
    fn run<'a>(
        &'a self,
        state: &'a Windows,
        calls: Vec<RankCall<'a>>,
        plans: &'a [Arc<Plan>],
        options: &LaunchOptions,
        start: Instant,
    ) -> Result<Report, EngineError> {
        let mut machines = Vec::with_capacity(calls.len());
        let mut bytes = 0_usize;
        for (rank, (call, plan)) in calls.into_iter().zip(plans).enumerate() {
            let machine = state.machine(call, plan, rank, self.ranks, &mut bytes)?;
            machines.push(Mutex::new(machine));
        }
        let env = Env {
            plans: plans.iter().map(|plan| &**plan).collect(),
            platform: self.platform,
            budget: options.op_budget,
            mail: (0..self.ranks).map(|_| Mail::default()).collect(),
            order_dependent: Mutex::default(),
        };
        let interrupt = options.interrupt.as_deref();
        let ranks = Ranks { machines: &machines, env: &env, interrupt, bytes };
        let (ended, threads) = match options.scheduler {
            Scheduler::Parallel => Parallel(self.threads).run(&ranks),
            Scheduler::Seeded(seed) => Seeded(seed).run(&ranks),
        };
        let machines: Vec<Machine<'_>> =
            machines.into_iter().map(|m| m.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        match ended {
            Ended::Failed(Halt::Fault(fault)) => return Err(EngineError::Fault(fault)),
            Ended::Failed(Halt::Internal(message)) => {
                return Err(usage(
                    message,
                    "the program did not pass the verifier: link, lower and bind it before the launch",
                ));
            }
            Ended::Interrupted => {
                let ranks = machines.iter().map(stuck::rank_state).collect();
                return Err(EngineError::Fault(Box::new(Fault::Interrupted(Interrupted { ranks }))));
            }
            Ended::Quiet if machines.iter().any(|m| m.state != State::Done) => {
                return Err(EngineError::Fault(Box::new(stuck::explain(&machines))));
            }
            Ended::Quiet => {}
        }
        let order_dependent = env.order_dependent.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(report(&machines, &env.mail, order_dependent, options.scheduler, threads, start))
    }
}

impl Windows {
    fn machine<'a>(
        &'a self,
        call: RankCall<'a>,
        plan: &'a Plan,
        rank: usize,
        ranks: usize,
        bytes: &mut usize,
    ) -> Result<Machine<'a>, EngineError> {
        let mut args: Vec<Option<ArgValue<'a>>> = call.args.into_iter().map(Some).collect();
        let mut memories = Vec::with_capacity(plan.memories.len());
        for info in &plan.memories {
            *bytes = bytes.saturating_add(info.elements * info.dtype.bytes());
            memories.push(match args[info.param].take() {
                Some(ArgValue::In(data)) => Memory::In(data),
                Some(ArgValue::Out(data)) if info.mode == Mode::Out => Memory::Out(data, Init::none(info.elements)),
                Some(ArgValue::Out(data)) => Memory::Out(data, Init::all()),
                Some(ArgValue::Window(id)) => Memory::Window(self.windows.get(&id).ok_or_else(|| gone(id))?),
                _ => return Err(usage(format!("`{}` of kernel `{}` has no argument", info.name, plan.kernel), "")),
            });
        }
        let mut machine = Machine::new(plan, rank, ranks, memories);
        for scalar in &plan.scalars {
            if let Some(arg) = &args[scalar.param] {
                machine.set(scalar.reg, scalar_bits(plan, scalar.ty, arg)?);
            }
        }
        Ok(machine)
    }
}

/// The report of a run that went well.
fn report(
    machines: &[Machine<'_>],
    mail: &[Mail],
    order_dependent: BTreeSet<pl_core::fault::Site>,
    scheduler: Scheduler,
    threads: usize,
    start: Instant,
) -> Report {
    let mut checked = Checked::default();
    let mut ranks = Vec::with_capacity(machines.len());
    for (machine, mail) in machines.iter().zip(mail) {
        let mut cost = machine.cost;
        cost.bytes_sent += mail.served.load(std::sync::atomic::Ordering::Relaxed);
        checked.accesses += machine.accesses;
        checked.signals += cost.peer_notifies + cost.self_notifies + cost.waits;
        checked.ops += machine.ops;
        ranks.push(cost);
    }
    Report {
        ranks,
        wall: start.elapsed(),
        scheduler,
        threads,
        checked,
        order_dependent: order_dependent.into_iter().collect(),
    }
}
