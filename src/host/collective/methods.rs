//! The collectives as methods of a world.

use super::{Collective, Memory};
use crate::Element;
use crate::distributed::ReduceOp;
use crate::host::{Error, Window, World};
use pl_core::fault::Report;
use pl_core::ir::Place;
use pl_core::op::{AllreduceMode, OpCode};
use std::panic::Location;

/// # Collectives from the host
/// Each is one launch on all ranks of this world, or [subset](World::subset), with windows that it made. They are the collectives of
/// [`distributed::tensor`](crate::distributed::tensor), and give the same results; the signal is the world's own.
/// What fails in the launch names the line that called: [`Error::Called`].
impl World {
    /// No rank leaves before every rank has entered, in a launch of its own. A launch ends when all ranks have ended, without a barrier: what it adds is a
    /// check of the signal, `[P]` or `[P, 1]`, all of whose cells must be zero, as a barrier needs it and leaves it.
    ///
    /// ```
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let signal = world.window::<i32>([3])?;
    /// let report = world.barrier(&signal)?;
    /// assert_eq!(report.ranks[0].waits, 2);
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, a window of another world or shape, a cell that is not zero; what a launch can fail with.
    #[track_caller]
    pub fn barrier(&self, signal: &Window<i32>) -> Result<Report, Error> {
        self.make(Collective::new(OpCode::Barrier).with("signal", Memory::of(signal)))
    }

    /// Every rank's window becomes a copy of that of the rank `root`. Windows of any shape.
    ///
    /// ```
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let data = world.window_from(&array![[1.5_f32, 2.5], [3.5, 4.5], [5.5, 6.5]])?;
    /// world.broadcast(&data, 1)?;
    /// assert_eq!(data.to_array(2)?, array![3.5, 4.5].into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, a rank that this world does not have, a window of another world; what a launch can fail with.
    #[track_caller]
    pub fn broadcast<T: Element>(&self, target: &Window<T>, root: usize) -> Result<Report, Error> {
        let collective = Collective::new(OpCode::Broadcast).with("target", Memory::of(target));
        self.make(Collective { root: root as u64, ..collective })
    }

    /// Row `r` of every rank's `target`, `[P, S]`, becomes the `input`, `[1, S]`, of rank r.
    ///
    /// ```
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let input = world.window_from(&array![[[1, 2]], [[3, 4]]])?;
    /// let target = world.window::<i32>([2, 2])?;
    /// world.allgather(&input, &target)?;
    /// assert_eq!(target.to_array(0)?, array![[1, 2], [3, 4]].into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, windows of another world or shape, or the same one twice; what a launch can fail with.
    #[track_caller]
    pub fn allgather<T: Element>(&self, input: &Window<T>, target: &Window<T>) -> Result<Report, Error> {
        self.make(
            Collective::new(OpCode::Allgather).with("input", Memory::of(input)).with("target", Memory::of(target)),
        )
    }

    /// Row `r` of rank r's `target`, `[P, S]`, becomes the sum over the ranks of their row `r`.
    ///
    /// ```
    /// use pl::distributed::ReduceOp;
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let data = world.window_from(&array![[[1, 2], [3, 4]], [[10, 20], [30, 40]]])?;
    /// world.reduce_scatter(&data, ReduceOp::Sum)?;
    /// let mine = data.to_array(1)?;
    /// assert_eq!((mine[[1, 0]], mine[[1, 1]]), (33, 44));
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, a window of another world or shape, an `op` other than `Sum`; what a launch can fail with.
    #[track_caller]
    pub fn reduce_scatter<T: Element>(&self, target: &Window<T>, op: ReduceOp) -> Result<Report, Error> {
        let collective = Collective::new(OpCode::ReduceScatter).with("target", Memory::of(target));
        self.make(Collective { reduce: op.value(), ..collective })
    }

    /// Every rank's window becomes the reduction of all of them, element by element, with the same bits on every rank. Windows of any shape, of f32,
    /// f16, bf16 or i32.
    ///
    /// ```
    /// use pl::distributed::ReduceOp;
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let data = world.window_from(&array![[[1, 2]], [[30, 4]], [[5, 60]]])?;
    /// world.allreduce(&data, ReduceOp::Max)?;
    /// assert_eq!(data.to_array(2)?, array![[30, 60]].into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, a window of another world or element type; what a launch can fail with.
    #[track_caller]
    pub fn allreduce<T: Element>(&self, data: &Window<T>, op: ReduceOp) -> Result<Report, Error> {
        self.allreduce_with(data, op, AllreduceMode::Mesh)
    }

    /// The same in a mode: as a mesh every rank reads from all others, as a ring from one neighbour, in rounds.
    ///
    /// ```
    /// use pl::AllreduceMode;
    /// use pl::distributed::ReduceOp;
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1, 2])?;
    /// let data = world.window_from(&array![[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400]])?;
    /// let report = world.allreduce_with(&data, ReduceOp::Sum, AllreduceMode::Ring)?;
    /// assert_eq!(data.to_array(1)?, array![111, 222, 333, 444].into_dyn());
    /// // A mesh would have received 2 * 16.
    /// assert!(report.ranks.iter().all(|rank| rank.bytes_received < 2 * 16));
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::allreduce`].
    #[track_caller]
    pub fn allreduce_with<T: Element>(
        &self,
        data: &Window<T>,
        op: ReduceOp,
        mode: AllreduceMode,
    ) -> Result<Report, Error> {
        let collective = Collective::new(OpCode::Allreduce).with("target", Memory::of(data));
        self.make(Collective { reduce: op.value(), mode: mode.wire(), ..collective })
    }

    /// Row `s` of rank r's `target` becomes row `r` of the `input` of rank s. Both are `[P, S]`.
    ///
    /// ```
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let input = world.window_from(&array![[[1], [2]], [[10], [20]]])?;
    /// let target = world.window::<i32>([2, 1])?;
    /// world.all_to_all(&input, &target)?;
    /// assert_eq!(target.to_array(1)?, array![[2], [20]].into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, windows of another world or shape, or the same one twice; what a launch can fail with.
    #[track_caller]
    pub fn all_to_all<T: Element>(&self, input: &Window<T>, target: &Window<T>) -> Result<Report, Error> {
        self.make(Collective::new(OpCode::AllToAll).with("input", Memory::of(input)).with("target", Memory::of(target)))
    }

    /// [`all_to_all`](World::all_to_all) of blocks of M rows, of which the first `send_counts[dest]` are sent. `input` and `target` are `[P * M, S]`, the counts
    /// `[P, 1]`; `recv_counts[src]` becomes the number of rows that came from rank src. Rows of the target beyond that are not written.
    ///
    /// ```
    /// use pl::ndarray::array;
    ///
    /// let world = pl::World::open("sim", &[0, 1])?;
    /// let input = world.window_from(&array![[[1], [2], [3], [4]], [[10], [20], [30], [40]]])?;
    /// let target = world.window::<i32>([4, 1])?;
    /// let send = world.window_from(&array![[[0], [2]], [[1], [1]]])?;
    /// let recv = world.window::<i32>([2, 1])?;
    /// world.all_to_all_v(&input, &target, &send, &recv)?;
    /// assert_eq!(recv.to_array(1)?, array![[2], [1]].into_dyn());
    /// assert_eq!(target.to_array(1)?, array![[3], [4], [30], [0]].into_dyn());
    /// # Ok::<(), pl::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two ranks, windows of another world or shape, or the same one twice, a count that is not 0 to M; what a launch can fail with.
    #[track_caller]
    pub fn all_to_all_v<T: Element>(
        &self,
        input: &Window<T>,
        target: &Window<T>,
        send_counts: &Window<i32>,
        recv_counts: &Window<i32>,
    ) -> Result<Report, Error> {
        self.make(
            Collective::new(OpCode::AllToAllV)
                .with("input", Memory::of(input))
                .with("target", Memory::of(target))
                .with("send_counts", Memory::of(send_counts))
                .with("recv_counts", Memory::of(recv_counts)),
        )
    }

    #[track_caller]
    fn make(&self, collective: Collective<'_>) -> Result<Report, Error> {
        let caller = Location::caller();
        let made = collective.make(self, |calls| self.launch(calls));
        made.map_err(|error| match error {
            // Its places are in the kernel, which is not the caller's.
            Error::Fault(_) | Error::Bind { .. } => Error::Called {
                at: Place::new(caller.file().into(), caller.line(), caller.column()),
                error: error.into(),
            },
            error => error,
        })
    }
}
