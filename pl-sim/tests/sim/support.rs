//! From the text of a kernel to a launch.

use pl_core::bind::{ArgShape, Program, WindowArg, bind, program};
use pl_core::cost::{Card, RankProgram, cards};
use pl_core::dtype::DType;
use pl_core::explore::{Explore, Explored, Outcome};
use pl_core::fault::{Fault, RankCost, Report};
use pl_core::ir::{ConstValue, Lit, ScalarType};
use pl_core::pass::Library;
use pl_core::runtime::{ArgValue, Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, Scheduler, WindowId};
use pl_core::text;
use pl_sim::Simulator;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// An argument of one rank, owned.
#[derive(Clone, Debug)]
pub enum Arg {
    In(Vec<usize>, Vec<u8>),
    Out(Vec<usize>, Vec<u8>),
    Window(Vec<usize>, WindowId),
    Scalar(Lit, ScalarType),
}

/// An `In` tensor.
pub fn input<T: bytemuck::NoUninit>(shape: &[usize], data: &[T]) -> Arg {
    Arg::In(shape.to_vec(), bytemuck::cast_slice(data).to_vec())
}

/// An `Out` or `InOut` tensor of zeros.
pub fn output(dtype: DType, shape: &[usize]) -> Arg {
    Arg::Out(shape.to_vec(), vec![0; shape.iter().product::<usize>() * dtype.bytes()])
}

/// An index.
pub fn index(value: i128) -> Arg {
    Arg::Scalar(Lit::Int(value), ScalarType::Index)
}

/// What a run left in the `Out` tensors of each rank, and its report.
pub struct Ran {
    pub report: Report,
    pub outputs: Vec<Vec<Vec<u8>>>,
}

impl Ran {
    /// The elements of an `Out` tensor of a rank, by its position among them.
    pub fn out<T: bytemuck::AnyBitPattern>(&self, rank: usize, position: usize) -> Vec<T> {
        let bytes = &self.outputs[rank][position];
        bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }
}

/// Simulated devices, and how launches on them run.
pub struct World {
    pub sim: Simulator,
    pub options: LaunchOptions,
    domains: Mutex<BTreeMap<WindowId, Arc<[usize]>>>,
}

impl World {
    pub fn new(ranks: usize) -> World {
        World::on("sim", ranks)
    }

    pub fn on(platform: &str, ranks: usize) -> World {
        let sim = Simulator::open(platform, ranks).expect("a platform");
        World { sim, options: LaunchOptions::default(), domains: Mutex::default() }
    }

    pub fn seeded(mut self, seed: u64) -> World {
        self.options.scheduler = Scheduler::Seeded(seed);
        self
    }

    pub fn window(&self, dtype: DType, shape: &[usize]) -> Arg {
        self.allocate(self.all(), dtype, shape, Contents::Uninitialised)
    }

    /// A window of some ranks.
    pub fn window_of(&self, ranks: &[usize], dtype: DType, shape: &[usize]) -> Arg {
        self.allocate(ranks.into(), dtype, shape, Contents::Uninitialised)
    }

    fn allocate(&self, domain: Arc<[usize]>, dtype: DType, shape: &[usize], contents: Contents) -> Arg {
        let id = self.sim.allocate(domain.clone(), dtype, shape, contents).expect("a window");
        self.domains.lock().expect("no panic").insert(id, domain);
        Arg::Window(shape.to_vec(), id)
    }

    /// The domain of all ranks.
    pub fn all(&self) -> Arc<[usize]> {
        (0..self.sim.ranks()).collect()
    }

    pub fn zeros(&self, dtype: DType, shape: &[usize]) -> Arg {
        self.allocate(self.all(), dtype, shape, Contents::Zeros)
    }

    /// Binds the kernel to the shapes of arguments.
    pub fn program(&self, kernel: &str, args: &[Arg]) -> Arc<Program> {
        let function = text::parse(&format!("pl 1\n{kernel}")).unwrap_or_else(|e| panic!("{e:?}\n{kernel}"));
        let domains = self.domains.lock().expect("no panic");
        let mut numbers: Vec<&Arc<[usize]>> = vec![];
        let shapes: Vec<ArgShape> = args
            .iter()
            .map(|arg| match arg {
                Arg::In(shape, _) | Arg::Out(shape, _) => ArgShape::Memory { shape: shape.clone(), window: None },
                Arg::Window(shape, id) => {
                    let domain = &domains[id];
                    let number = numbers.iter().position(|d| *d == domain).unwrap_or_else(|| {
                        numbers.push(domain);
                        numbers.len() - 1
                    });
                    let window = WindowArg { window: id.0, domain: number as u64, ranks: domain.len() };
                    ArgShape::Memory { shape: shape.clone(), window: Some(window) }
                }
                Arg::Scalar(..) => ArgShape::Scalar,
            })
            .collect();
        let bindings = bind(&function, &shapes).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
        let program = program(&function, &bindings, self.sim.platform(), &Library::new([]));
        Arc::new(program.unwrap_or_else(|e| panic!("{e}\n{kernel}")))
    }

    /// Runs one kernel on every rank.
    pub fn run(&self, kernel: &str, args: impl Fn(usize) -> Vec<Arg>) -> Result<Ran, EngineError> {
        let program = self.program(kernel, &args(0));
        self.launch((0..self.sim.ranks()).map(|rank| (Arc::clone(&program), args(rank))).collect())
    }

    /// Runs a kernel that goes well.
    #[track_caller]
    pub fn ok(&self, kernel: &str, args: impl Fn(usize) -> Vec<Arg>) -> Ran {
        self.run(kernel, args).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs a kernel that a check stops.
    #[track_caller]
    pub fn fault(&self, kernel: &str, args: impl Fn(usize) -> Vec<Arg>) -> Fault {
        match self.run(kernel, args) {
            Err(EngineError::Fault(fault)) => *fault,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("no check stopped it"),
        }
    }

    /// Runs one call per rank. A run that goes well costs what the cards say, as far as they do.
    pub fn launch(&self, calls: Vec<(Arc<Program>, Vec<Arg>)>) -> Result<Ran, EngineError> {
        let known: Vec<_> = calls.iter().map(|(program, args)| (Arc::clone(program), integers(args))).collect();
        let calls = calls.into_iter().enumerate().map(|(rank, (program, args))| (rank, program, args));
        let ran = self.launch_on(calls.collect())?;
        let of_all = |program: &Program| program.bindings.domains.iter().all(|ranks| *ranks == known.len());
        if known.len() <= 16 && known.iter().all(|(program, _)| of_all(program)) {
            let domains: Vec<_> =
                known.iter().flat_map(|(program, _)| &program.bindings.domains).map(|_| self.all()).collect();
            let ranks = known.iter().enumerate().map(|(rank, (program, scalars))| {
                let domains = &domains[..program.bindings.domains.len()];
                RankProgram { rank, program, scalars, domains }
            });
            for (card, cost) in cards(&ranks.collect::<Vec<_>>()).iter().zip(&ran.report.ranks) {
                assert!(covers(card, cost), "the card: {card:#?}\nthe run: {cost:#?}");
            }
        }
        Ok(ran)
    }

    /// Runs a kernel on some ranks.
    pub fn run_on(&self, ranks: &[usize], kernel: &str, args: impl Fn(usize) -> Vec<Arg>) -> Result<Ran, EngineError> {
        let calls = ranks.iter().map(|rank| {
            let args = args(*rank);
            (*rank, self.program(kernel, &args), args)
        });
        self.launch_on(calls.collect())
    }

    /// The same with other options than the world's.
    pub fn run_with(
        &self,
        options: LaunchOptions,
        ranks: &[usize],
        kernel: &str,
        args: impl Fn(usize) -> Vec<Arg>,
    ) -> Result<Ran, EngineError> {
        let calls = ranks.iter().map(|rank| (*rank, self.program(kernel, &args(*rank)), args(*rank)));
        self.launch_with(options, calls.collect())
    }

    /// Runs calls on the ranks that are named.
    pub fn launch_on(&self, calls: Vec<(usize, Arc<Program>, Vec<Arg>)>) -> Result<Ran, EngineError> {
        self.launch_with(self.options.clone(), calls)
    }

    /// Runs a launch under several schedules; `check` looks at what each of them gives.
    pub fn explored(
        &self,
        how: &Explore,
        calls: impl Fn() -> Vec<(Arc<Program>, Vec<Arg>)>,
        mut check: impl FnMut(Result<Ran, EngineError>),
    ) -> Explored {
        let mut body = |scheduler| {
            let calls = calls().into_iter().enumerate().map(|(rank, (program, args))| (rank, program, args));
            check(self.launch_with(LaunchOptions { scheduler, ..self.options.clone() }, calls.collect()));
            Outcome::Right
        };
        self.sim.explore(how, &mut body).unwrap_or_else(|e| panic!("{e}"))
    }

    pub fn launch_with(
        &self,
        options: LaunchOptions,
        mut calls: Vec<(usize, Arc<Program>, Vec<Arg>)>,
    ) -> Result<Ran, EngineError> {
        let scalar = |arg: &Arg| match arg {
            Arg::Scalar(lit, ty) => Some(ConstValue::Scalar(*lit, ty.clone())),
            _ => None,
        };
        let scalars: Vec<ConstValue> = calls.iter().flat_map(|(.., args)| args.iter().filter_map(scalar)).collect();
        let mut scalars = scalars.iter();
        let borrowed = calls
            .iter_mut()
            .map(|(rank, program, args)| {
                let args = args
                    .iter_mut()
                    .map(|arg| match arg {
                        Arg::In(_, bytes) => ArgValue::In(bytes),
                        Arg::Out(_, bytes) => ArgValue::Out(bytes),
                        Arg::Window(_, id) => ArgValue::Window(*id),
                        Arg::Scalar(..) => ArgValue::Scalar(scalars.next().expect("one for each")),
                    })
                    .collect();
                RankCall { rank: *rank, program, args }
            })
            .collect();
        let report = self.sim.launch(Launch { calls: borrowed, options })?;
        let outputs = calls
            .into_iter()
            .map(|(_, _, args)| {
                let outs = args.into_iter().filter_map(|arg| match arg {
                    Arg::Out(_, bytes) => Some(bytes),
                    _ => None,
                });
                outs.collect()
            })
            .collect();
        Ok(Ran { report, outputs })
    }
}

/// The integers among the arguments.
fn integers(args: &[Arg]) -> Vec<Option<i64>> {
    let integer = |arg: &Arg| match arg {
        Arg::Scalar(Lit::Int(value), _) => i64::try_from(*value).ok(),
        _ => None,
    };
    args.iter().map(integer).collect()
}

/// Whether each count of a run lies in the range that the card gives it.
fn covers(card: &Card, cost: &RankCost) -> bool {
    let counts = [
        (card.bytes_received, cost.bytes_received),
        (card.bytes_sent, cost.bytes_sent),
        (card.remote_loads, cost.remote_loads),
        (card.remote_stores, cost.remote_stores),
        (card.peer_notifies, cost.peer_notifies),
        (card.self_notifies, cost.self_notifies),
        (card.waits, cost.waits),
        (card.result_elements, cost.result_elements),
    ];
    counts.iter().all(|(range, count)| range.low <= *count && range.high.is_none_or(|high| *count <= high))
}

/// The id of a window argument.
pub fn id(arg: &Arg) -> WindowId {
    match arg {
        Arg::Window(_, id) => *id,
        _ => panic!("no window"),
    }
}

/// A generator of test data.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
    }
}
