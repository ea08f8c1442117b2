//! What the tests share.

use crate::example::{builtin_step, hand_step};
use pl::ndarray::{Array2, Array3, ArrayView2, ArrayView3, ArrayViewMut2, Axis};
use pl::{Call, Error, LaunchOptions, Report, Window, World};
use pl_examples_cli::Mode;

/// A world of the devices 0 to P - 1.
pub fn world(platform: &str, ranks: usize) -> World {
    World::open(platform, &(0..ranks as u32).collect::<Vec<_>>()).unwrap()
}

/// What the example takes when it is not given an input.
pub fn counting(ranks: usize, size: usize) -> Array3<f32> {
    Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| (100 * r + i) as f32)
}

/// Numbers of many sizes and both signs, the same in every run.
pub fn scattered(ranks: usize, size: usize) -> Array3<f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ ((ranks * 1_000_003 + size) as u64);
    Array3::from_shape_simple_fn((ranks, 1, ranks * size), || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mantissa = (state >> 40) as f32 / (1u32 << 24) as f32 - 0.5;
        mantissa * 10f32.powi((state >> 33) as i32 % 5)
    })
}

/// The windows of a reduce-scatter.
pub struct Windows {
    pub data: Window<f32>,
    pub signal: Window<i32>,
}

impl Windows {
    pub fn new(world: &World, size: usize) -> Windows {
        let p = world.size();
        Windows { data: world.window([p, size]).unwrap(), signal: world.window([p, 1]).unwrap() }
    }
}

/// A kernel with the parameters of the example's.
pub type Step = for<'a> fn(ArrayView2<'a, f32>, ArrayViewMut2<'a, f32>, &'a Window<f32>, &'a Window<i32>) -> Call<'a>;

/// The example's kernel of a mode.
pub fn step(mode: Mode) -> Step {
    match mode {
        Mode::Hand => hand_step,
        Mode::Builtin => builtin_step,
    }
}

/// Launches a kernel on every rank, and gives y and the report.
pub fn launch(world: &World, step: Step, windows: &Windows, x: &Array3<f32>) -> Result<(Array3<f32>, Report), Error> {
    launch_with(LaunchOptions::default(), world, step, windows, x)
}

/// The same with options.
pub fn launch_with(
    options: LaunchOptions,
    world: &World,
    step: Step,
    windows: &Windows,
    x: &Array3<f32>,
) -> Result<(Array3<f32>, Report), Error> {
    let p = world.size();
    let mut y = Array3::zeros((p, 1, x.len_of(Axis(2)) / p));
    let calls = x.outer_iter().zip(y.outer_iter_mut());
    let report = world.launch_with(options, calls.map(|(x, y)| step(x, y, &windows.data, &windows.signal)))?;
    Ok((y, report))
}

/// The report of an error; the example's file goes by its own name.
pub fn report(error: &Error) -> String {
    error.to_string().replace("tests/host/../../", "")
}

/// Compares with the sums that ndarray computes in f64, within the bound of a sum in any order.
#[track_caller]
pub fn check_golden(x: &Array3<f32>, y: ArrayView3<'_, f32>) {
    let (p, _, columns) = x.dim();
    let sums = |of: fn(f64) -> f64| -> Array2<f64> {
        let sums = x.mapv(|x| of(f64::from(x))).sum_axis(Axis(0));
        sums.into_shape_with_order((p, columns / p)).unwrap()
    };
    let (golden, magnitude) = (sums(|x| x), sums(f64::abs));
    let y = y.index_axis(Axis(1), 0);
    for ((at, y), (g, m)) in y.indexed_iter().zip(golden.iter().zip(&magnitude)) {
        let (y, bound) = (f64::from(*y), p as f64 * f64::from(f32::EPSILON) * m);
        let right = if g.is_finite() { (y - g).abs() <= bound } else { y == *g || (y.is_nan() && g.is_nan()) };
        assert!(right, "P = {p}, {at:?}: got {y}, expected {g} within {bound}");
    }
}
