//! What is measured, and beside what.

use super::kernels::{self, example_14};
use super::measure::{lap, seconds, time};
use super::nests::{Allgather, Allreduce, Copy, ReduceScatter, Target};
use pl::distributed::ReduceOp;
use pl::ndarray::{Array2, Array3, Axis};
use pl::{AllreduceMode, Call, LaunchOptions, Scheduler, Window, World};
use std::fmt;
use std::time::Duration;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Elements of f32 in a chunk of a collective on a platform whose tile memory has no limit.
const CHUNK: usize = MIB / 4;

/// What most references are.
const NEST: &str = "loop nest";

/// A line of the tables.
pub struct Case {
    /// What, with how many ranks and how much: `reduce_scatter/hand/P=4/16MiB`.
    pub name: String,
    /// What the other side is; nothing where there is none.
    pub reference: &'static str,
    pub goal: Goal,
    /// What times are told for: so many of these in a run.
    pub unit: (f64, &'static str),
    /// How often each side runs when it is its turn.
    pub laps: usize,
    /// The same with MPI.
    pub mpi: Option<Mpi>,
    /// Whether it takes more memory or time than a quick look should.
    pub heavy: bool,
    open: Box<dyn Fn() -> Box<dyn Contest>>,
}

/// What a case is to reach.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// At most so many times what the reference takes.
    Ratio(f64),
    /// At most so many seconds for each unit.
    Seconds(f64),
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Ratio(ratio) => write!(f, "{ratio}"),
            Goal::Seconds(goal) => f.write_str(&seconds(*goal)),
        }
    }
}

/// An operation of MPI, as the program that measures it takes it.
#[derive(Clone, Copy, Debug)]
pub struct Mpi {
    pub operation: &'static str,
    pub ranks: usize,
    /// The bytes of one rank's input.
    pub bytes: usize,
    /// How many of them are what the case does in a run.
    pub times: f64,
}

/// Two sides, ready to run. A side says what one of several laps in a row took.
pub trait Contest {
    fn ours(&mut self, laps: usize) -> Duration;

    /// `None` where there is nothing to run beside ours.
    fn reference(&mut self, _laps: usize) -> Option<Duration> {
        None
    }

    /// Of references that move many bytes: their bytes, those of a copy, and what that took.
    fn copy(&mut self, _laps: usize) -> Option<(usize, usize, Duration)> {
        None
    }
}

impl Case {
    pub fn new<C: Contest + 'static>(name: String, goal: Goal, open: impl Fn() -> C + 'static) -> Case {
        let open: Box<dyn Fn() -> Box<dyn Contest>> = Box::new(move || Box::new(open()));
        Case { name, reference: "", goal, unit: (1.0, "run"), laps: 1, mpi: None, heavy: false, open }
    }

    fn laps(self, laps: usize) -> Case {
        Case { laps, ..self }
    }

    fn heavy(self, heavy: bool) -> Case {
        Case { heavy, ..self }
    }

    pub fn against(self, reference: &'static str) -> Case {
        Case { reference, ..self }
    }

    fn beside_mpi(self, operation: &'static str, ranks: usize, bytes: usize, times: f64) -> Case {
        Case { mpi: Some(Mpi { operation, ranks, bytes, times }), ..self }
    }

    /// Allocates what it needs, and compares what both sides give.
    pub fn open(&self) -> Box<dyn Contest> {
        (self.open)()
    }
}

/// So many bytes, as names have it.
fn size_of(bytes: usize) -> String {
    if bytes.is_multiple_of(MIB) { format!("{}MiB", bytes / MIB) } else { format!("{}KiB", bytes / KIB) }
}

/// More laps the shorter they are: what runs for long needs no repetition to be measured.
fn laps_for(bytes: usize) -> usize {
    if bytes <= MIB { 5 } else { 1 }
}

fn world(ranks: usize) -> World {
    let devices: Vec<u32> = (0..ranks as u32).collect();
    World::open("sim", &devices).expect("a world")
}

fn unchecked() -> LaunchOptions {
    LaunchOptions { checks: false, ..LaunchOptions::default() }
}

/// Where a reduce-scatter begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Hand,
    Builtin,
    HandInWindow,
    BuiltinInWindow,
}

/// A reduce-scatter of `bytes` for each rank.
struct Scatter {
    mode: Mode,
    world: World,
    options: LaunchOptions,
    x: Array3<f32>,
    y: Array3<f32>,
    data: Window<f32>,
    signal: Window<i32>,
    nest: ReduceScatter,
    copy: Copy,
}

impl Scatter {
    fn new(mode: Mode, ranks: usize, bytes: usize, options: LaunchOptions) -> Scatter {
        let world = world(ranks);
        let size = bytes / 4 / ranks;
        let x = Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| ((r * 31 + i) % 1000) as f32);
        let y = Array3::zeros((ranks, 1, size));
        let data = world.window([ranks, size]).expect("a window");
        let signal = world.window([ranks, 1]).expect("a window");
        let (nest, copy) = (ReduceScatter::new(ranks, size), Copy::new(ranks, 1, ranks * size));
        let mut this = Scatter { mode, world, options, x, y, data, signal, nest, copy };
        // Whatever is measured, the first run stages: that of the others is compared.
        if mode != Mode::Hand && mode != Mode::Builtin {
            this.fill();
        }
        this.ours(1);
        this.reference(1);
        this.compare();
        this
    }

    /// Puts the data into the windows of both sides.
    fn fill(&mut self) {
        let (ranks, size) = (self.nest.ranks, self.y.len_of(Axis(2)));
        for (rank, x) in self.x.outer_iter().enumerate() {
            let rows = x.to_shape((ranks, size)).expect("rows");
            self.data.write(rank, &rows).expect("no view");
            for (row, values) in rows.outer_iter().enumerate() {
                self.nest.blocks[rank * ranks + row].write().copy_from_slice(values.as_slice().expect("a row"));
            }
        }
    }

    fn compare(&self) {
        for (rank, y) in self.y.outer_iter().enumerate() {
            let ranks = self.nest.ranks;
            if self.mode == Mode::BuiltinInWindow {
                let row = self.data.to_array(rank).expect("a window").index_axis(Axis(0), rank).to_owned();
                assert_eq!(row.as_slice(), Some(&self.nest.blocks[rank * ranks + rank].read()[..]));
            } else {
                assert_eq!(y.as_slice(), Some(&self.nest.results[rank].0[..]));
            }
        }
    }

    fn target(&self) -> Target {
        match self.mode {
            Mode::Hand | Mode::HandInWindow => Target::Result,
            _ if self.y.len_of(Axis(2)) <= CHUNK => Target::RowAfterMeeting,
            _ => Target::Row,
        }
    }

    fn once(&mut self) -> Duration {
        let Scatter { mode, world, options, x, y, data, signal, .. } = self;
        world.reset(signal).expect("no view");
        time(|| {
            let report = if *mode == Mode::BuiltinInWindow {
                world.reduce_scatter(data, ReduceOp::Sum)
            } else {
                let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| match mode {
                    Mode::Hand => example_14::hand_step(x, y, data, signal),
                    Mode::Builtin => example_14::builtin_step(x, y, data, signal),
                    _ => kernels::reduce_in_window(y, data, signal),
                });
                world.launch_with(options.clone(), calls)
            };
            report.expect("a right kernel");
        })
    }
}

impl Contest for Scatter {
    fn ours(&mut self, laps: usize) -> Duration {
        lap(laps, || self.once())
    }

    fn reference(&mut self, laps: usize) -> Option<Duration> {
        let x: Vec<&[f32]> = self.x.outer_iter().filter_map(|x| x.to_slice()).collect();
        let staged = matches!(self.mode, Mode::Hand | Mode::Builtin);
        let (target, take) = (self.target(), self.mode == Mode::Builtin);
        Some(self.nest.run(laps, staged.then_some(&x[..]), target, take))
    }

    fn copy(&mut self, laps: usize) -> Option<(usize, usize, Duration)> {
        let staged = matches!(self.mode, Mode::Hand | Mode::Builtin);
        let bytes = self.nest.bytes(staged, self.target(), self.mode == Mode::Builtin);
        (self.nest.ranks * bytes >= MIB).then(|| (bytes, self.copy.bytes(), self.copy.run(laps)))
    }
}

/// All but the large worlds.
pub fn all() -> Vec<Case> {
    [reduce_scatter(), collectives(), launches(), barriers(), checks()].into_iter().flatten().collect()
}

/// Reduce-scatter as in example 14, large and at 1 MiB, and of data that is in the window already.
pub fn reduce_scatter() -> Vec<Case> {
    let mut cases = vec![];
    let mut add = |mode: Mode, what: &str, ranks: usize, bytes: usize, ratio: f64| {
        let name = format!("reduce_scatter/{what}/P={ranks}/{}", size_of(bytes));
        let case =
            Case::new(name, Goal::Ratio(ratio), move || Scatter::new(mode, ranks, bytes, LaunchOptions::default()));
        let case = case.against(NEST).laps(laps_for(bytes)).heavy(bytes > MIB);
        let staged = matches!(mode, Mode::Hand | Mode::Builtin);
        cases.push(if staged && ranks == 4 { case.beside_mpi("reduce_scatter", ranks, bytes, 1.0) } else { case });
    };
    for (mode, what) in [(Mode::Hand, "hand"), (Mode::Builtin, "builtin")] {
        add(mode, what, 4, MIB, 1.5);
        for bytes in [16 * MIB, 64 * MIB] {
            for ranks in [2, 4, 8] {
                add(mode, what, ranks, bytes, 1.25);
            }
        }
    }
    for (mode, what) in [(Mode::HandInWindow, "in window, hand"), (Mode::BuiltinInWindow, "in window, builtin")] {
        for bytes in [16 * MIB, 64 * MIB] {
            add(mode, what, 4, bytes, 1.25);
        }
    }
    cases
}

/// Launches of so little that what counts is the launch. Those of the builtin, which has more than twice as many signals, are to be no slower than MPI in any case.
pub fn launches() -> Vec<Case> {
    const OF_MPI: f64 = 9e-6;
    let mut cases = vec![];
    for (mode, what, unchecked_goal) in [(Mode::Hand, "hand", 4e-6), (Mode::Builtin, "builtin", OF_MPI)] {
        let both = [(LaunchOptions::default(), "checked", OF_MPI), (unchecked(), "unchecked", unchecked_goal)];
        for (options, how, goal) in both {
            let name = format!("launch/{what}/{how}/P=4/4KiB");
            let open = move || Scatter::new(mode, 4, 4 * KIB, options.clone());
            let case = Case::new(name, Goal::Seconds(goal), open).against(NEST).laps(200);
            cases.push(case.beside_mpi("reduce_scatter", 4, 4 * KIB, 1.0));
        }
    }
    cases
}

/// Barriers by hand, many in a row in one launch.
struct Barriers {
    world: World,
    options: LaunchOptions,
    signal: Window<i32>,
    rounds: i32,
}

impl Barriers {
    fn new(ranks: usize, rounds: i32, options: LaunchOptions) -> Barriers {
        let world = world(ranks);
        let signal = world.window([ranks, 1]).expect("a window");
        Barriers { world, options, signal, rounds }
    }
}

impl Contest for Barriers {
    fn ours(&mut self, laps: usize) -> Duration {
        lap(laps, || {
            self.world.reset(&self.signal).expect("no view");
            let calls = (0..self.world.size()).map(|_| kernels::barriers(self.rounds, &self.signal));
            time(|| _ = self.world.launch_with(self.options.clone(), calls).expect("a right kernel"))
        })
    }
}

/// Barriers; each time is that of a notify and the wait for it.
pub fn barriers() -> Vec<Case> {
    [(4, 1000, 1.0), (8, 1000, 1.0), (64, 100, 1.0), (256, 10, 1.0), (4096, 1, 3.0)]
        .into_iter()
        .flat_map(|(ranks, rounds, times)| barrier(ranks, rounds, times))
        .collect()
}

/// `rounds` barriers of so many ranks, with checks and without. A pair may take `times` as long as at few ranks.
pub fn barrier(ranks: usize, rounds: i32, times: f64) -> Vec<Case> {
    let how = [(LaunchOptions::default(), "checked", 120e-9), (unchecked(), "unchecked", 40e-9)];
    let case = |(options, how, goal): (LaunchOptions, &str, f64)| {
        let open = move || Barriers::new(ranks, rounds, options.clone());
        let pairs = (ranks * (ranks - 1)) as f64 * f64::from(rounds);
        let case = Case::new(format!("barrier/{how}/P={ranks}"), Goal::Seconds(times * goal), open);
        let case = Case { unit: (pairs, "pair"), ..case }.heavy(ranks > 8);
        if ranks > 64 { case } else { case.beside_mpi("barrier", ranks, 0, f64::from(rounds)) }
    };
    how.map(case).into()
}

/// The host's allgather, of data in a window.
struct Gather {
    world: World,
    x: Vec<Vec<f32>>,
    input: Window<f32>,
    target: Window<f32>,
    nest: Allgather,
    copy: Copy,
}

impl Gather {
    fn new(ranks: usize, bytes: usize) -> Gather {
        let (world, size) = (world(ranks), bytes / 4);
        let x: Vec<Vec<f32>> = (0..ranks).map(|r| (0..size).map(|i| (r * 31 + i % 1000) as f32).collect()).collect();
        let input = world.window([1, size]).expect("a window");
        for (rank, x) in x.iter().enumerate() {
            let row = Array2::from_shape_vec((1, size), x.clone()).expect("a row");
            input.write(rank, &row).expect("no view");
        }
        let target = world.window([ranks, size]).expect("a window");
        let (nest, copy) = (Allgather::new(ranks, size), Copy::new(ranks, ranks, size));
        let mut this = Gather { world, x, input, target, nest, copy };
        this.ours(1);
        this.reference(1);
        for rank in 0..ranks {
            let rows = this.target.rank(rank).expect("no launch");
            for (row, block) in rows.view().outer_iter().zip(&this.nest.blocks[rank * ranks..]) {
                assert_eq!(row.as_slice(), Some(&block.read()[..]));
            }
        }
        this
    }
}

impl Contest for Gather {
    fn ours(&mut self, laps: usize) -> Duration {
        let Gather { world, input, target, .. } = self;
        lap(laps, || time(|| _ = world.allgather(input, target).expect("right windows")))
    }

    fn reference(&mut self, laps: usize) -> Option<Duration> {
        let x: Vec<&[f32]> = self.x.iter().map(|x| &x[..]).collect();
        Some(self.nest.run(laps, &x))
    }

    fn copy(&mut self, laps: usize) -> Option<(usize, usize, Duration)> {
        Some((self.nest.bytes(), self.copy.bytes(), self.copy.run(laps)))
    }
}

/// The host's allreduce, in place.
struct Reduce {
    mode: AllreduceMode,
    world: World,
    data: Window<f32>,
    nest: Allreduce,
    copy: Copy,
}

impl Reduce {
    fn new(mode: AllreduceMode, ranks: usize, bytes: usize) -> Reduce {
        let (world, size) = (world(ranks), bytes / 4);
        // Every run adds up what the one before left. Powers of two stay exact, and what is zero stays so.
        let fill = |rank: usize, i: usize| if i.is_multiple_of(1000) { rank as f32 } else { 0.0 };
        let data = world.window([size]).expect("a window");
        let nest = Allreduce::new(ranks, size, CHUNK);
        for rank in 0..ranks {
            let values: Vec<f32> = (0..size).map(|i| fill(rank, i)).collect();
            nest.blocks[rank].write().copy_from_slice(&values);
            data.write(rank, &pl::ndarray::Array1::from(values)).expect("no view");
        }
        let mut this = Reduce { mode, world, data, nest, copy: Copy::new(ranks, 1, size) };
        this.ours(1);
        this.reference(1);
        for (rank, block) in this.nest.blocks.iter().enumerate() {
            assert_eq!(this.data.rank(rank).expect("no launch").view().as_slice(), Some(&block.read()[..]));
        }
        this
    }
}

impl Contest for Reduce {
    fn ours(&mut self, laps: usize) -> Duration {
        let Reduce { mode, world, data, .. } = self;
        lap(laps, || time(|| _ = world.allreduce_with(data, ReduceOp::Sum, *mode).expect("right windows")))
    }

    fn reference(&mut self, laps: usize) -> Option<Duration> {
        Some(if self.mode == AllreduceMode::Mesh { self.nest.mesh(laps) } else { self.nest.ring(laps) })
    }

    fn copy(&mut self, laps: usize) -> Option<(usize, usize, Duration)> {
        let mesh = self.mode == AllreduceMode::Mesh;
        let bytes = if mesh { self.nest.mesh_bytes() } else { self.nest.ring_bytes() };
        Some((bytes, self.copy.bytes(), self.copy.run(laps)))
    }
}

/// Allgather and both modes of allreduce among four ranks.
pub fn collectives() -> Vec<Case> {
    let ranks = 4;
    let mut cases = vec![];
    for (bytes, ratio) in [(MIB, 1.5), (16 * MIB, 1.25), (64 * MIB, 1.25)] {
        let mut add = |what: &str, operation, case: &dyn Fn(String, Goal) -> Case| {
            let name = format!("{what}/P={ranks}/{}", size_of(bytes));
            let case = case(name, Goal::Ratio(ratio)).against(NEST).laps(laps_for(bytes)).heavy(bytes > MIB);
            cases.push(case.beside_mpi(operation, ranks, bytes, 1.0));
        };
        add("allgather", "allgather", &|name, goal| Case::new(name, goal, move || Gather::new(ranks, bytes)));
        for (mode, what) in [(AllreduceMode::Mesh, "allreduce, mesh"), (AllreduceMode::Ring, "allreduce, ring")] {
            add(what, "allreduce", &|name, goal| Case::new(name, goal, move || Reduce::new(mode, ranks, bytes)));
        }
    }
    cases
}

/// A kernel with checks beside the same one without. Both run on one thread and in the same interleaving, so that like is compared with like:
/// without checks nothing may run beside anything else.
struct Checks<K> {
    world: World,
    x: Array3<f32>,
    y: Array3<f32>,
    data: Window<f32>,
    signal: Window<i32>,
    kernel: K,
}

/// The call of one rank.
type Kernel = for<'a> fn(
    pl::ndarray::ArrayView2<'a, f32>,
    pl::ndarray::ArrayViewMut2<'a, f32>,
    &'a Window<f32>,
    &'a Window<i32>,
) -> Call<'a>;

impl Checks<Kernel> {
    /// Rows of `size` elements, of which each rank brings `rows` and its window has as many, and leaves with one.
    fn new(kernel: Kernel, ranks: usize, rows: usize, size: usize) -> Checks<Kernel> {
        let world = world(ranks);
        let x = Array3::from_shape_fn((ranks, 1, rows * size), |(r, _, i)| ((r + i) % 1000) as f32);
        let y = Array3::zeros((ranks, 1, size));
        let data = world.window([rows, size]).expect("a window");
        let signal = world.window([rows, 1]).expect("a window");
        Checks { world, x, y, data, signal, kernel }
    }

    fn run(&mut self, laps: usize, checks: bool) -> Duration {
        let Checks { world, x, y, data, signal, kernel } = self;
        lap(laps, || {
            world.reset(signal).expect("no view");
            let calls = x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| kernel(x, y, data, signal));
            let options = LaunchOptions { scheduler: Scheduler::Seeded(1), checks, ..LaunchOptions::default() };
            time(|| _ = world.launch_with(options, calls).expect("a right kernel"))
        })
    }
}

impl Contest for Checks<Kernel> {
    fn ours(&mut self, laps: usize) -> Duration {
        self.run(laps, true)
    }

    fn reference(&mut self, laps: usize) -> Option<Duration> {
        Some(self.run(laps, false))
    }
}

/// What the checks cost.
pub fn checks() -> Vec<Case> {
    let hand: Kernel = |x, y, data, signal| example_14::hand_step(x, y, data, signal);
    let builtin: Kernel = |x, y, data, signal| example_14::builtin_step(x, y, data, signal);
    let boxes: Kernel = |x, y, data, signal| kernels::pass_left::<16>(x, y, data, signal);
    let tile = 64 * KIB / 4;
    // Windows of 64 MiB, which exceed the caches, and of 1 MiB, which do not.
    let case = |what: &str, ratio: f64, laps: usize, kernel: Kernel, (ranks, rows, size): (usize, usize, usize)| {
        let open = move || Checks::new(kernel, ranks, rows, size);
        Case::new(format!("checks/{what}"), Goal::Ratio(ratio), open)
            .against("without checks")
            .laps(laps)
            .heavy(laps == 1)
    };
    vec![
        case("64KiB tiles, large/hand", 1.15, 1, hand, (32, 32, tile)),
        case("64KiB tiles, large/builtin", 1.15, 1, builtin, (32, 32, tile)),
        case("64KiB tiles, in cache/hand", 1.5, 20, hand, (4, 4, tile)),
        case("64KiB tiles, in cache/builtin", 1.5, 20, builtin, (4, 4, tile)),
        case("4KiB tiles, in cache/hand", 1.5, 20, hand, (16, 16, tile / 16)),
        case("64B boxes", 3.0, 20, boxes, (4, 1, tile)),
    ]
}
