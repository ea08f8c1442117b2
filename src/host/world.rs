//! Worlds: devices, their windows, and launches on them.

use super::prepare::{Compiled, Programs};
use super::{Call, Error, Stage, Window};
use crate::Element;
use ndarray::{ArrayBase, Axis, Data, Dimension};
use pl_core::fault::Report;
use pl_core::runtime::{Contents, Engine, EngineError, Launch, LaunchOptions, RankCall, WindowId};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A set of devices on which kernels run: rank r is the r-th device.
///
/// ```
/// let world = pl::World::open("a2a3sim", &[4, 9])?;
/// assert_eq!(world.size(), 2);
/// # Ok::<(), pl::Error>(())
/// ```
pub struct World {
    shared: Arc<Shared>,
    devices: Vec<u32>,
}

/// What a world and its windows have in common: a window keeps its engine alive.
pub(super) struct Shared {
    engine: Arc<dyn Engine>,
    programs: Programs,
    live: Mutex<BTreeSet<WindowId>>,
}

impl World {
    /// Opens the devices with these ids of a platform: `sim`, `a2a3sim` or `a5sim`. Ids are names: they need not start at 0 nor be
    /// contiguous, but each stands once.
    ///
    /// # Errors
    /// An empty list, a repeated id, an unknown platform.
    pub fn open(platform: &str, device_ids: &[u32]) -> Result<World, Error> {
        if device_ids.is_empty() {
            return Err(Error::usage(
                "the device list is empty",
                "a world has at least one device; name it by its id: `&[0, 1]`",
            ));
        }
        let mut seen = BTreeSet::new();
        if let Some(repeated) = device_ids.iter().find(|id| !seen.insert(**id)) {
            return Err(Error::usage(
                format!("device {repeated} stands in the device list more than once"),
                "each rank runs on a device of its own; name every device once",
            ));
        }
        let engine = pl_sim::Simulator::open(platform, device_ids.len())?;
        let shared = Shared { engine: Arc::new(engine), programs: Programs::default(), live: Mutex::default() };
        Ok(World { shared: Arc::new(shared), devices: device_ids.to_vec() })
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.devices.len()
    }

    /// The ids of the devices, in rank order.
    pub fn devices(&self) -> &[u32] {
        &self.devices
    }

    /// The name of the platform.
    pub fn platform(&self) -> &'static str {
        self.shared.engine.platform().name
    }

    /// A window of this shape on every rank. Its storage is zero, but holds no data: loading an element that nothing wrote is an
    /// error. Signals may be notified and waited for at once.
    ///
    /// # Errors
    /// More elements than a window can have.
    pub fn window<T: Element>(&self, shape: impl Into<Vec<usize>>) -> Result<Window<T>, Error> {
        self.allocate(shape.into(), Contents::Uninitialised)
    }

    /// A window of this shape on every rank, whose zeros are data.
    ///
    /// # Errors
    /// More elements than a window can have.
    pub fn zeros<T: Element>(&self, shape: impl Into<Vec<usize>>) -> Result<Window<T>, Error> {
        self.allocate(shape.into(), Contents::Zeros)
    }

    /// A window that holds `array[r]` on rank r: the first axis of the array is the ranks.
    ///
    /// # Errors
    /// A first axis that is not the ranks, more elements than a window can have.
    pub fn window_from<T, S, D>(&self, array: &ArrayBase<S, D>) -> Result<Window<T>, Error>
    where
        T: Element,
        S: Data<Elem = T>,
        D: Dimension,
    {
        let shape = array.shape();
        if shape.first() != Some(&self.size()) {
            return Err(Error::usage(
                format!("an array of shape {shape:?} does not have one part for each of the {} ranks", self.size()),
                format!("its first axis is the ranks: [{}, …]", self.size()),
            ));
        }
        let window = self.allocate(shape[1..].to_vec(), Contents::Zeros)?;
        for (rank, part) in array.view().into_dyn().axis_iter(Axis(0)).enumerate() {
            window.write(rank, &part)?;
        }
        Ok(window)
    }

    /// Makes a window as new: zeros that are not data, and no longer poisoned by a failed launch.
    ///
    /// # Errors
    /// A window of another world.
    pub fn reset<T: Element>(&self, window: &Window<T>) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.shared, &window.shared) {
            return Err(Error::usage("the window belongs to another world", "reset it in the world that made it"));
        }
        self.shared.reset(window.id)
    }

    /// Makes every window of the world as new.
    ///
    /// # Errors
    /// None that a user can cause.
    pub fn reset_all(&self) -> Result<(), Error> {
        let live: Vec<WindowId> = self.shared.live().iter().copied().collect();
        live.into_iter().try_for_each(|window| self.shared.reset(window))
    }

    /// Runs one call per rank: the first on rank 0, and so on. Ranks may run different kernels.
    ///
    /// All calls are bound and checked before any of them runs. A collective works on one window of all ranks: where ranks call the same kernel, they
    /// pass the same window for a parameter that a collective of the kernel uses. A world runs one launch at a time.
    ///
    /// # Errors
    /// A wrong number of calls, windows of another world, everything that does not bind, and the check that stopped the run. After an
    /// [`Error::Fault`] the contents of the `Out` and `InOut` arguments are unspecified, and the windows that were used must be
    /// [reset](World::reset) before they are used again.
    pub fn launch<'a>(&self, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Report, Error> {
        self.launch_with(LaunchOptions::default(), calls)
    }

    /// The same, with a scheduler, an op budget or an interrupt flag of your own.
    ///
    /// One launch is one interleaving; several seeds look at several.
    ///
    /// ```
    /// use pl::distributed as pld;
    /// use pl::{LaunchOptions, Scheduler};
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>) {
    ///     pld::tensor::barrier(signal);
    /// }
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let signal = world.window::<i32>([3])?;
    /// for seed in 0..16 {
    ///     let options = LaunchOptions { scheduler: Scheduler::Seeded(seed), ..Default::default() };
    ///     world.launch_with(options, (0..3).map(|_| meet(&signal)))?;
    /// }
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::launch`].
    pub fn launch_with<'a>(
        &self,
        options: LaunchOptions,
        calls: impl IntoIterator<Item = Call<'a>>,
    ) -> Result<Report, Error> {
        let (mut calls, compiled) = self.prepare(calls)?;
        let rank_calls = calls.iter_mut().zip(&compiled).enumerate();
        let rank_calls = rank_calls
            .map(|(rank, (call, c))| RankCall { rank, program: c.program.clone(), args: call.values() })
            .collect();
        let result = self.shared.engine.launch(Launch { calls: rank_calls, options });
        let report = result.map_err(|e| self.explain(e, &calls))?;
        calls.into_iter().for_each(Call::finish);
        Ok(report)
    }

    /// What the calls of a launch become, rank by rank, without running them.
    ///
    /// # Errors
    /// Those of [`World::launch`], but for what happens in a run.
    pub fn compile<'a>(&self, calls: impl IntoIterator<Item = Call<'a>>) -> Result<Vec<Stage>, Error> {
        let (calls, compiled) = self.prepare(calls)?;
        Ok(Stage::all(&calls, compiled))
    }

    /// Checks the calls of a launch and binds them.
    fn prepare<'a>(
        &self,
        calls: impl IntoIterator<Item = Call<'a>>,
    ) -> Result<(Vec<Call<'a>>, Vec<Arc<Compiled>>), Error> {
        let calls: Vec<Call<'a>> = calls.into_iter().collect();
        self.check_count(calls.len())?;
        self.check_owners(&calls)?;
        let compiled = self.shared.programs.of(&calls, self.shared.engine.platform(), self.size());
        compiled.map(|compiled| (calls, compiled)).map_err(|problems| Error::Bind { problems })
    }

    fn allocate<T: Element>(&self, shape: Vec<usize>, contents: Contents) -> Result<Window<T>, Error> {
        // An engine counts the elements. An array without any has limits too: those of its extents that are not zero.
        let around = shape.iter().filter(|extent| **extent > 0).try_fold(1_usize, |n, extent| n.checked_mul(*extent));
        if shape.contains(&0) && around.is_none_or(|n| u32::try_from(n).is_err()) {
            return Err(Error::usage(
                format!("a window of shape {shape:?} has too many elements"),
                format!("a window has less than {} elements per rank, an extent of 0 not counted", 1_u64 << 32),
            ));
        }
        let id = self.shared.engine.allocate((0..self.size()).collect(), T::DTYPE, &shape, contents)?;
        self.shared.live().insert(id);
        Ok(Window::new(self.shared.clone(), id, shape))
    }

    fn check_count(&self, found: usize) -> Result<(), Error> {
        let ranks = self.size();
        if found == ranks {
            return Ok(());
        }
        let calls = if found == 1 { "call" } else { "calls" };
        Err(Error::usage(
            format!("{found} {calls} for a world of {ranks} ranks"),
            "a launch takes one call per rank, the first for rank 0",
        ))
    }

    fn check_owners(&self, calls: &[Call<'_>]) -> Result<(), Error> {
        for (rank, call) in calls.iter().enumerate() {
            if let Some((position, ..)) = call.windows().find(|(_, _, owner)| !Arc::ptr_eq(owner, &self.shared)) {
                return Err(Error::usage(
                    format!("{}, called for rank {rank}, is a window of another world", call.argument(position)),
                    "a window can be used only in the world that made it; make one with this world's `window`",
                ));
            }
        }
        Ok(())
    }

    /// An engine's error in the words of the calls that it was given.
    fn explain(&self, error: EngineError, calls: &[Call<'_>]) -> Error {
        let EngineError::Poisoned(window) = error else { return error.into() };
        let user = |call: &Call<'_>| call.windows().find(|(_, id, _)| *id == window).map(|(position, ..)| position);
        let which = calls.iter().find_map(|call| Some(call.argument(user(call)?)));
        Error::Poisoned {
            message: format!(
                "the window {} was used by a launch that failed: what it holds cannot be relied on",
                which.unwrap_or_default()
            ),
            help: "reset it before it is used again: `world.reset(&window)`, or `world.reset_all()`".into(),
        }
    }
}

impl Shared {
    pub(super) fn ranks(&self) -> usize {
        self.engine.ranks()
    }

    pub(super) fn read(&self, window: WindowId, rank: usize, out: &mut [u8]) -> Result<(), Error> {
        self.engine.read(window, rank, out).map_err(Error::from)
    }

    pub(super) fn write(&self, window: WindowId, rank: usize, bytes: &[u8]) -> Result<(), Error> {
        self.engine.write(window, rank, bytes).map_err(Error::from)
    }

    pub(super) fn free(&self, window: WindowId) {
        self.live().remove(&window);
        self.engine.free(window);
    }

    fn reset(&self, window: WindowId) -> Result<(), Error> {
        self.engine.reset(window).map_err(Error::from)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, BTreeSet<WindowId>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("platform", &self.platform())
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}
