//! Calls of `Host` functions, and what runs them: a small interpreter on the host.
//!
//! It computes scalars as devices do, allocates windows, and launches the dispatches of a loop together when the loop ends. Every failure has
//! its place in the function.

mod interpreter;
mod launch;
mod loans;
mod report;
mod scalars;
mod value;

pub use report::{HostLaunch, HostReport, HostStages, LaunchStages};

use super::call::{Argument, Call};
use super::{Error, World};
use interpreter::{Interpreter, Outcome};
use pl_core::definition::Definition;
use pl_core::runtime::LaunchOptions;
use std::fmt;

/// A call of a `Host` function: what calling its host function gives. It does nothing until [`World::run`] takes it.
#[must_use = "a call runs only when `World::run` takes it"]
pub struct HostCall<'a>(Call<'a>);

impl fmt::Debug for HostCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A call of the `Host` function that `definition` defines.
pub fn host_call<'a>(definition: fn() -> Definition, args: Vec<Argument<'a>>) -> HostCall<'a> {
    HostCall(super::call(definition, args))
}

impl World {
    /// Runs a `Host` function: its scalars and loops on the host, the dispatches of each loop as one launch on the ranks of this world, and its
    /// windows on them too, until the function ends.
    ///
    /// ```
    /// use pl::distributed as pld;
    /// use pl::ndarray::Array2;
    ///
    /// #[pl::function(InCore, dynamic(SIZE))]
    /// fn stage(x: pl::Tensor<f32, { [SIZE] }>, data: pl::InOut<pld::DistributedTensor<f32, { [SIZE] }>>) {
    ///     pl::store(pl::load(x, [0], [SIZE]), [0], data);
    /// }
    ///
    /// #[pl::function(InCore, dynamic(SIZE))]
    /// fn fetch(data: pld::DistributedTensor<f32, { [SIZE] }>, y: pl::Out<pl::Tensor<f32, { [SIZE] }>>) {
    ///     pl::store(pl::load(data, [0], [SIZE]), [0], y);
    /// }
    ///
    /// #[pl::function(Host, dynamic(NR, SIZE))]
    /// fn sums(x: pl::Tensor<f32, { [NR, SIZE] }>, y: pl::Out<pl::Tensor<f32, { [NR, SIZE] }>>) {
    ///     let buffer = pld::alloc_window_buffer(SIZE * 4);
    ///     let data = pld::window::<f32>(buffer, [SIZE]);
    ///     for r in 0..pld::world_size() {
    ///         stage(x[r], data, device = r);
    ///     }
    ///     pld::tensor::allreduce(data, op = pld::ReduceOp::Sum);
    ///     for r in 0..pld::world_size() {
    ///         fetch(data, y[r], device = r);
    ///     }
    /// }
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let x = Array2::from_shape_fn((3, 4), |(rank, i)| (10 * rank + i) as f32);
    /// let mut y = Array2::zeros((3, 4));
    /// let report = world.run(sums(x.view(), y.view_mut()))?;
    /// assert_eq!(y.row(0).to_vec(), [30.0, 33.0, 36.0, 39.0]);
    /// assert_eq!(y.row(2), y.row(0));
    /// let launches: Vec<_> = report.launches.iter().map(|launch| launch.what.as_str()).collect();
    /// assert_eq!(launches, ["stage", "pld::tensor::allreduce", "fetch"]);
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Everything that does not link or bind; [`Error::Host`] where the function cannot go on; and what a launch can fail with, as [`Error::Launch`].
    /// After an error the contents of the `Out` and `InOut` arguments are unspecified.
    pub fn run(&self, call: HostCall<'_>) -> Result<HostReport, Error> {
        self.run_with(self.options.clone(), call)
    }

    /// The same, with options for every launch. The op budget and the interrupt flag hold for the function itself, too: its statements are ops.
    ///
    /// # Errors
    /// Those of [`World::run`].
    pub fn run_with(&self, options: LaunchOptions, call: HostCall<'_>) -> Result<HostReport, Error> {
        let mut interpreter = Interpreter::new(self, call.0, options)?;
        let launches = interpreter.run(|world, options, calls| world.launch_with(options, calls))?;
        interpreter.finish();
        let launches =
            launches.into_iter().map(|Outcome { what, place, result }| HostLaunch { what, place, report: result });
        Ok(HostReport { launches: launches.collect() })
    }

    /// What a `Host` function and the launches that it makes become, without running kernels. A `Host` function does not read what they write, so the
    /// launches are those of a run.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore)]
    /// fn number(y: pl::Out<pl::Tensor<i32, { [1] }>>, value: i32) {
    ///     pl::write(y, [0], value);
    /// }
    ///
    /// #[pl::function(Host, dynamic(NR))]
    /// fn numbers(y: pl::Out<pl::Tensor<i32, { [NR, 1] }>>) {
    ///     for r in 0..pld::world_size() {
    ///         number(y[r], r as i32, device = r);
    ///     }
    /// }
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let mut y = pl::ndarray::Array2::zeros((3, 1));
    /// let stages = world.compile_host(numbers(y.view_mut()))?;
    /// assert!(pl::text::print(stages.ir()).contains("call number("));
    /// assert_eq!(stages.launches.len(), 1);
    /// assert_eq!(stages.launches[0].ranks[2].cost().result_elements.to_string(), "1");
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::run`], but for what happens on devices.
    pub fn compile_host(&self, call: HostCall<'_>) -> Result<HostStages, Error> {
        let mut interpreter = Interpreter::new(self, call.0, LaunchOptions::default())?;
        interpreter.runs = false;
        let launches = interpreter.run(|world, _, calls| world.compile(calls))?;
        let launches =
            launches.into_iter().map(|Outcome { what, place, result }| LaunchStages { what, place, ranks: result });
        Ok(HostStages { function: interpreter.into_function(), launches: launches.collect() })
    }
}
