//! Three ways to reduce the vectors of all ranks, so that every rank has the sum: what the programs 08, 09 and 10 run, one each, and
//! compare. The host's side is the same for all.

pub mod mesh;
pub mod ring;
pub mod two_phase;

use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, DType, Error, Stage, Window, World};
use pl_examples_cli::golden::allreduce;
use pl_examples_cli::{Done, Emit, Failure, Program, Session, array, comparison};
use pld::ReduceOp;

/// A kernel: x, y, the window for the data, and the signal.
type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// A way to do it.
pub struct Way {
    name: &'static str,
    step: Step,
    /// The shape of the signal, by the number of ranks.
    signal: fn(usize) -> [usize; 2],
}

/// Every rank reads every rank's vector.
pub const MESH: Way = Way { name: "mesh", step: mesh::mesh_step, signal: |p| [p, 1] };
/// Every rank adds up a chunk, then all fetch each other's.
pub const TWO_PHASE: Way = Way { name: "two-phase", step: two_phase::two_phase_step, signal: |p| [p, 1] };
/// A segment a round, from the left neighbour.
pub const RING: Way = Way { name: "ring", step: ring::ring_step, signal: |p| [2 * (p - 1), p] };

/// What the programs say of themselves.
pub const fn program(name: &'static str, about: &'static str) -> Program {
    Program::new(name, about)
        .compares()
        .input("x", DType::F32, "[P, 1, SIZE]", "SIZE is 64 and x[r] counts up from 100 r")
        .output("y", DType::F32, "[P, 1, SIZE]")
}

/// Runs one of them.
pub fn run(session: &Session, way: &Way) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let x = session.input(p)?.map_or_else(|| counting(p), Ok)?;
    let mut y = Array3::zeros(x.dim());
    if let Some(stage) = session.emit() {
        if stage == Emit::Compare {
            session.print(&compare(&world, &x)?)?;
            return Ok(Done::Emitted);
        }
        return session.print_stage(stage, |_mode| way.stages(&world, &x, &mut y));
    }

    // Every rank's vector, where all reach it, and the cells in which they tell each other how far they are.
    let data = world.window::<f32>([1, x.dim().2])?;
    let signal = world.window::<i32>((way.signal)(p))?;
    session.launch(&world, way.calls(&x, &mut y, &data, &signal))?;

    session.output(y.view())?;
    let done = session.judge(allreduce(x.view(), ReduceOp::Sum).check(y.view()))?;

    // What the three ways cost, on as many ranks as the pages speak of: the same table after each run.
    let four = World::open(world.platform(), &[0, 1, 2, 3])?;
    session.print(&compare(&four, &counting(4)?)?)?;
    Ok(done)
}

/// What the ranks bring without `--input`.
fn counting(ranks: usize) -> Result<Array3<f32>, Failure> {
    array((ranks, 1, 64), |(r, _, i)| (100 * r + i) as f32)
}

/// What the three ways cost each rank of a world, side by side.
fn compare(world: &World, x: &Array3<f32>) -> Result<String, Error> {
    let mut y = Array3::zeros(x.dim());
    let stages = [MESH, TWO_PHASE, RING].map(|way| Ok((way.name, way.stages(world, x, &mut y)?)));
    let stages = stages.into_iter().collect::<Result<Vec<_>, Error>>()?;
    let stages: Vec<(&str, &[Stage])> = stages.iter().map(|(name, stages)| (*name, &**stages)).collect();
    Ok(comparison(&stages))
}

impl Way {
    /// One call per rank.
    fn calls<'a>(
        &self,
        x: &'a Array3<f32>,
        y: &'a mut Array3<f32>,
        data: &'a Window<f32>,
        signal: &'a Window<i32>,
    ) -> impl Iterator<Item = Call<'a>> {
        x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| (self.step)(x, y, data, signal))
    }

    /// The kernel of each rank, compiled and not run.
    fn stages(&self, world: &World, x: &Array3<f32>, y: &mut Array3<f32>) -> Result<Vec<Stage>, Error> {
        let data = world.window::<f32>([1, x.dim().2])?;
        let signal = world.window::<i32>((self.signal)(world.size()))?;
        world.compile(self.calls(x, y, &data, &signal))
    }
}
