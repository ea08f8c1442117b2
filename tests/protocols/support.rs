//! What the programs share: a correct barrier, memory, and how a program is run.

use expect_test::Expect;
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, Error, Explore, Window, World};

/// A program: makes its windows, launches, and compares what comes out with a golden.
pub type Program<'a> = &'a dyn Fn(&World) -> Result<(), Error>;

fn open(ranks: u32) -> World {
    World::open("sim", &(0..ranks).collect::<Vec<_>>()).unwrap()
}

fn explore(ranks: u32, how: &Explore, program: Program<'_>) -> Result<pl::Explored, Error> {
    open(ranks).explore(how, |world| Ok(program(world)?))
}

/// A program that fails in every run, in one way: by itself, too.
#[track_caller]
pub fn always(ranks: u32, kind: &str, program: Program<'_>, report: Expect) {
    let error = program(&open(ranks)).unwrap_err();
    assert_eq!(error.fault().unwrap().kind(), kind, "{error}");
    sometimes(ranks, kind, program, report);
}

/// A program that fails under some schedules: the report of the first one, made smaller.
#[track_caller]
pub fn sometimes(ranks: u32, kind: &str, program: Program<'_>, report: Expect) {
    let error = explore(ranks, &Explore::random(1000), program).unwrap_err();
    let fault = error.fault().unwrap_or_else(|| panic!("{error}"));
    assert_eq!(fault.kind(), kind, "{error}");
    report.assert_eq(&fault.to_string());
}

/// A program that is right under every schedule that is tried.
#[track_caller]
pub fn clean(ranks: u32, program: Program<'_>) {
    program(&open(ranks)).unwrap_or_else(|error| panic!("{error}"));
    for how in [Explore::random(100), Explore::pct(100), Explore::exhaustive().schedules(300)] {
        explore(ranks, &how, program).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// A kernel of most programs: a row or more in, rows out, a window for data and one for signals.
pub type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// `rows` rows for each rank: row `i` of rank r is `100 * r + 10 * i` and up.
pub fn counting(ranks: usize, rows: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, rows, 4), |(r, i, k)| (100 * r + 10 * i + k) as f32)
}

/// Launches a kernel once on all ranks, and gives its y: one row for each of `rows`.
pub fn launch(
    world: &World,
    step: Step,
    x: &Array3<f32>,
    rows: usize,
    data: &Window<f32>,
    signal: &Window<i32>,
) -> Result<Array3<f32>, Error> {
    let mut y = Array3::zeros((world.size(), rows, 4));
    world.launch(x.outer_iter().zip(y.outer_iter_mut()).map(|(x, y)| step(x, y, data, signal)))?;
    Ok(y)
}

/// The barrier number `generation` of a kernel, from 1.
#[pl::function(Inline, dynamic(NR))]
pub fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, generation: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    for peer in 0..pld::nranks(ctx) {
        if peer != my_rank {
            pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);
        }
    }
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::wait(signal, offsets = [src, 0], expected = generation, cmp = pld::WaitCmp::Ge);
        }
    }
}

/// Takes back what the peers have added in `n` barriers.
#[pl::function(Inline, dynamic(NR))]
pub fn take_back(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, n: i32) {
    let ctx = pld::get_comm_ctx(signal);
    let my_rank = pld::rank(ctx);
    for src in 0..pld::nranks(ctx) {
        if src != my_rank {
            pld::system::notify(signal, peer = my_rank, offsets = [src, 0], value = -n, op = pld::NotifyOp::AtomicAdd);
        }
    }
}
