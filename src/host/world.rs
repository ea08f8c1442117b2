//! Worlds: devices, subsets of them, and their windows.

use super::collective::Signals;
use super::error::{count, there_are};
use super::explore::Exploring;
use super::prepare::{Programs, Rewrite};
use super::{Error, Window};
use crate::Element;
use ndarray::{ArrayBase, Axis, Data, Dimension};
use pl_core::runtime::{Contents, Engine, LaunchOptions, WindowId};
use pl_core::verify::MAX_AXES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A set of devices on which kernels run: rank r is the r-th device. A [subset](World::subset) of its ranks is a world again.
///
/// ```
/// let world = pl::World::open("a2a3sim", &[4, 9])?;
/// assert_eq!(world.size(), 2);
/// # Ok::<(), pl::Error>(())
/// ```
///
/// # Threads
/// A world may be used from several threads. Launches that share no device run at the same time; those that share devices, and no windows, wait for the
/// devices, in the order in which they came. A window that a running launch uses is for that launch alone: to launch with it, to look at it, to write
/// or to reset it from another thread is [`Error::InUse`], at once.
pub struct World {
    pub(super) shared: Arc<Shared>,
    /// Its ranks, as ranks of the world that was opened.
    pub(super) ranks: Arc<[usize]>,
    devices: Vec<u32>,
    pub(super) signals: Arc<Signals>,
    /// How its launches run.
    pub(super) options: LaunchOptions,
    pub(super) exploring: Option<Exploring>,
}

/// What a world, its subsets and their windows have in common: a window keeps its engine alive.
pub(super) struct Shared {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) programs: Programs,
    /// The windows that were not dropped, each with its domain.
    live: Mutex<BTreeMap<WindowId, Live>>,
}

struct Live {
    domain: Arc<[usize]>,
    name: String,
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
        let ranks = (0..device_ids.len()).collect();
        Ok(World {
            shared: Arc::new(shared),
            ranks,
            devices: device_ids.to_vec(),
            signals: Arc::default(),
            options: LaunchOptions::default(),
            exploring: None,
        })
    }

    /// These ranks of this world as a world of their own, a *communication domain*: the first of them is its rank 0, and so on. It has its own windows,
    /// in which [`pld::rank`](crate::distributed::rank), [`pld::nranks`](crate::distributed::nranks) and `peer` count its ranks, and collectives on
    /// them are among its ranks only. It shares the devices: a device runs one launch at a time. Reports name ranks as the world that was opened does.
    ///
    /// A kernel may use windows of several domains, each of which has the rank that runs it. Here every rank of a 2 x 2 grid
    /// sums over its row, and then over its column:
    ///
    /// ```
    /// use pl::distributed as pld;
    /// use pl::World;
    ///
    /// #[pl::function(InCore)]
    /// fn sums(
    ///     mut row: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    ///     row_signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    ///     mut column: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    ///     column_signal: pl::InOut<pld::DistributedTensor<i32, { [2, 1] }>>,
    /// ) {
    ///     let me = pld::rank(pld::get_comm_ctx(row));
    ///     row = pld::tensor::reduce_scatter(row, row_signal, op = pld::ReduceOp::Sum);
    ///     let sum = pl::load(row, [me, 0], [1, 1]);
    ///     column = pl::store(sum, [0, 0], column);
    ///     column = pl::store(sum, [1, 0], column);
    ///     column = pld::tensor::reduce_scatter(column, column_signal, op = pld::ReduceOp::Sum);
    /// }
    ///
    /// let grid = World::open("sim", &[0, 1, 2, 3])?;
    /// let rows = [grid.subset(&[0, 1])?, grid.subset(&[2, 3])?];
    /// let columns = [grid.subset(&[0, 2])?, grid.subset(&[1, 3])?];
    /// let windows = |domain: &World| Ok((domain.zeros::<i32>([2, 1])?, domain.window::<i32>([2, 1])?));
    /// let rows: Vec<_> = rows.iter().map(windows).collect::<Result<_, pl::Error>>()?;
    /// let columns: Vec<_> = columns.iter().map(windows).collect::<Result<_, pl::Error>>()?;
    /// for (row, (data, _)) in rows.iter().enumerate() {
    ///     for column in 0..2 {
    ///         // Rank 2 * row + column of the grid has 1, 10, 100, 1000.
    ///         data.write(column, &pl::ndarray::Array2::from_elem((2, 1), 10_i32.pow(2 * row as u32 + column as u32)))?;
    ///     }
    /// }
    /// grid.launch((0..4).map(|rank| {
    ///     let ((row, row_signal), (column, column_signal)) = (&rows[rank / 2], &columns[rank % 2]);
    ///     sums(row, row_signal, column, column_signal)
    /// }))?;
    /// assert_eq!(columns[1].0.to_array(0)?[[0, 0]], 1111);
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// No rank, a rank that this world does not have, a rank that stands more than once.
    pub fn subset(&self, ranks: &[usize]) -> Result<World, Error> {
        if ranks.is_empty() {
            return Err(Error::usage(
                "a subset of no ranks",
                "a subset has at least one rank: `world.subset(&[0, 2])`",
            ));
        }
        let mut seen = BTreeSet::new();
        for &rank in ranks {
            if rank >= self.size() {
                return Err(Error::usage(
                    format!("the subset names rank {rank} of {}", self.describe()),
                    there_are(self.size()),
                ));
            }
            if !seen.insert(rank) {
                return Err(Error::usage(
                    format!("rank {rank} stands in the subset more than once"),
                    "name every rank once, in the order that they are to have in the subset",
                ));
            }
        }
        Ok(World {
            shared: self.shared.clone(),
            ranks: ranks.iter().map(|rank| self.ranks[*rank]).collect(),
            devices: ranks.iter().map(|rank| self.devices[*rank]).collect(),
            signals: Arc::default(),
            options: self.options.clone(),
            exploring: self.exploring.clone(),
        })
    }

    /// The same world, whose launches have these options unless they are given others: also its collectives, its `Host` functions, and the subsets that are
    /// made of it.
    ///
    /// ```
    /// use pl::{LaunchOptions, Scheduler, World};
    ///
    /// let world = World::open("sim", &[0, 1])?;
    /// let seeded = world.with_options(LaunchOptions { scheduler: Scheduler::Seeded(7), ..Default::default() });
    /// let signal = world.window::<i32>([2])?;
    /// assert_eq!(seeded.barrier(&signal)?.scheduler, Scheduler::Seeded(7));
    /// assert_eq!(world.barrier(&signal)?.scheduler, Scheduler::Parallel);
    /// # Ok::<(), pl::Error>(())
    /// ```
    pub fn with_options(&self, options: LaunchOptions) -> World {
        World { options, ..self.handle() }
    }

    /// The same world, which does this with its launches.
    pub(super) fn doing(&self, exploring: Exploring) -> World {
        World { exploring: Some(exploring), ..self.handle() }
    }

    /// Another handle of the same world.
    fn handle(&self) -> World {
        World {
            shared: self.shared.clone(),
            ranks: self.ranks.clone(),
            devices: self.devices.clone(),
            signals: self.signals.clone(),
            options: self.options.clone(),
            exploring: self.exploring.clone(),
        }
    }

    /// Its ranks, in their order, as ranks of the world that was opened: `[0, 1, …]` unless it is a [subset](World::subset). Reports name ranks so.
    ///
    /// ```
    /// let world = pl::World::open("sim", &[0, 1, 2, 3])?;
    /// let subset = world.subset(&[3, 1, 0])?;
    /// assert_eq!(subset.ranks(), [3, 1, 0]);
    /// assert_eq!(subset.subset(&[2, 0])?.ranks(), [0, 3]);
    /// # Ok::<(), pl::Error>(())
    /// ```
    pub fn ranks(&self) -> &[usize] {
        &self.ranks
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.ranks.len()
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
    /// More axes or elements than a window can have.
    pub fn window<T: Element>(&self, shape: impl Into<Vec<usize>>) -> Result<Window<T>, Error> {
        self.allocate(shape.into(), Contents::Uninitialised)
    }

    /// A window of this shape on every rank, whose zeros are data.
    ///
    /// # Errors
    /// More axes or elements than a window can have.
    pub fn zeros<T: Element>(&self, shape: impl Into<Vec<usize>>) -> Result<Window<T>, Error> {
        self.allocate(shape.into(), Contents::Zeros)
    }

    /// A window that holds `array[r]` on rank r: the first axis of the array is the ranks.
    ///
    /// # Errors
    /// A first axis that is not the ranks, more axes or elements than a window can have.
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
    /// A window of another world, one that is in use.
    pub fn reset<T: Element>(&self, window: &Window<T>) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.shared, &window.shared) {
            return Err(Error::usage("the window belongs to another world", "reset it in the world that made it"));
        }
        self.shared.engine.reset(window.id).map_err(|e| Error::of_window(e, &window.name()))
    }

    /// Makes every window of the world as new, those of its [subsets](World::subset) included: all windows that only ranks of this world have.
    ///
    /// # Errors
    /// A window that is in use; the others are reset.
    pub fn reset_all(&self) -> Result<(), Error> {
        let ours: BTreeSet<usize> = self.ranks.iter().copied().collect();
        let live = self.shared.live();
        let mut result = Ok(());
        for (id, window) in live.iter().filter(|(_, window)| window.domain.iter().all(|rank| ours.contains(rank))) {
            let reset = self.shared.engine.reset(*id).map_err(|e| Error::of_window(e, &window.name));
            result = result.and(reset);
        }
        result
    }

    fn allocate<T: Element>(&self, shape: Vec<usize>, contents: Contents) -> Result<Window<T>, Error> {
        if shape.len() > MAX_AXES {
            return Err(Error::usage(
                format!("a window of shape {shape:?} has {} axes", shape.len()),
                format!("a window has at most {MAX_AXES} axes: join some of them"),
            ));
        }
        // An engine counts the elements. An array without any has limits too: those of its extents that are not zero.
        let around = shape.iter().filter(|extent| **extent > 0).try_fold(1_usize, |n, extent| n.checked_mul(*extent));
        if shape.contains(&0) && around.is_none_or(|n| u32::try_from(n).is_err()) {
            return Err(Error::usage(
                format!("a window of shape {shape:?} has too many elements"),
                format!("a window has less than {} elements per rank, an extent of 0 not counted", 1_u64 << 32),
            ));
        }
        let id = self.shared.engine.allocate(self.ranks.clone(), T::DTYPE, &shape, contents)?;
        let window = Window::new(self.shared.clone(), id, self.ranks.clone(), shape);
        self.shared.live().insert(id, Live { domain: self.ranks.clone(), name: window.name() });
        Ok(window)
    }

    /// For tests of the checks: every kernel that is launched from now on, of its subsets too, is rewritten once it is lowered.
    #[doc(hidden)]
    pub fn __rewrite(&self, rewrite: Rewrite) {
        self.shared.programs.rewrite_by(rewrite);
    }

    /// Whether this is all of the world that was opened.
    pub(super) fn is_whole(&self) -> bool {
        self.size() == self.shared.engine.ranks() && self.ranks.iter().enumerate().all(|(at, rank)| at == *rank)
    }

    /// `a world of 4 ranks`
    pub(super) fn describe(&self) -> String {
        format!("a {} of {}", if self.is_whole() { "world" } else { "subset" }, count(self.size()))
    }
}

impl Shared {
    pub(super) fn free(&self, window: WindowId) {
        self.live().remove(&window);
        self.engine.free(window);
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<WindowId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("platform", &self.platform())
            .field("ranks", &self.ranks)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}
