//! `pld`: ranks, windows, signals, transfers and collectives. Kernels name this module `pld`, with `use pl::distributed as pld;`.
//!
//! # Why there is no `fence` and no `quiet`
//! In OpenSHMEM a put returns before its data have arrived: a flag that is set afterwards may overtake them unless a `shmem_fence` stands between, and
//! only a `shmem_quiet` says that they are there. Here a transfer is an op like any other, and ops happen in the order of the program. A
//! [`notify`](system::notify) orders *everything* that its rank did before it, loads, stores and transfers to whichever peer, before what another rank does
//! after a [`wait`](system::wait) that passed because of it. So a flag cannot overtake its data, and the source of a transfer may be
//! overwritten by the next op. [`put_with_signal`](tensor::put_with_signal) is two ops in one, not a way around a fence. An engine for
//! hardware that reorders puts the fence into its notify.
#![expect(unused_variables, reason = "the parameters are the reference; a kernel runs on devices")]

use super::{Buffer, Context, Element};

pub use super::enums::{AtomicType, NotifyOp, ReduceOp, WaitCmp};
pub use super::types::DistributedTensor;

/// The communication context of a window: its domain, the ranks that have it. Follows `pld.get_comm_ctx` of PyPTO.
///
/// ```
/// use pl::distributed as pld;
///
/// #[pl::function(InCore, dynamic(NR))]
/// fn where_am_i(w: pld::DistributedTensor<i32, { [NR, 1] }>, y: pl::Out<pl::Tensor<i32, { [2] }>>) {
///     let ctx = pld::get_comm_ctx(w);
///     pl::write(y, [0], pld::rank(ctx) as i32);
///     pl::write(y, [1], pld::nranks(ctx) as i32);
/// }
/// ```
pub fn get_comm_ctx<T: Element>(window: DistributedTensor<T>) -> Context {
    Context::new()
}

/// The own rank in the domain, from 0. Follows `pld.rank` of PyPTO; see [`get_comm_ctx`] for an example.
pub fn rank(ctx: Context) -> usize {
    0
}

/// The number of ranks of the domain. Follows `pld.nranks` of PyPTO; see [`get_comm_ctx`] for an example.
pub fn nranks(ctx: Context) -> usize {
    1
}

/// The number of ranks of the world, in `Host` functions: `for r in 0..pld::world_size()` dispatches to each device.
///
/// Follows `pld.world_size` of PyPTO.
///
/// ```
/// use pl::distributed as pld;
///
/// #[pl::function(InCore, dynamic(S))]
/// fn twice(x: pl::Tensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) {
///     pl::store(pl::load(x, [0, 0], [1, S]) * 2.0, [0, 0], y);
/// }
///
/// /// Rank r gets `x[r]` and gives `y[r]`.
/// #[pl::function(Host, dynamic(NR, S))]
/// fn twice_on_all(x: pl::Tensor<f32, { [NR, 1, S] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
///     for r in 0..pld::world_size() {
///         twice(x[r], y[r], device = r);
///     }
/// }
/// ```
pub fn world_size() -> usize {
    1
}

/// Reserves memory for one window on every rank, in `Host` functions.
///
/// - `bytes`: how many on each rank.
///
/// [`window`] makes the window. Follows `pld.alloc_window_buffer` of PyPTO.
pub fn alloc_window_buffer(bytes: usize) -> Buffer {
    Buffer::new()
}

/// The window in a buffer, in `Host` functions: `pld::window::<f32>(buffer, [NR, SIZE])`.
///
/// - `buffer`: of [`alloc_window_buffer`]; the window must fit.
/// - `shape`: the window's extents on each rank.
///
/// Asked for again, with the same element type and shape, it is the same window. Follows `pld.window` of PyPTO.
///
/// ```
/// use pl::distributed as pld;
///
/// #[pl::function(InCore, dynamic(S))]
/// fn stage(x: pl::Tensor<f32, { [1, S] }>, data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>) {
///     pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], data);
/// }
///
/// #[pl::function(InCore, dynamic(S))]
/// fn fetch(data: pld::DistributedTensor<f32, { [1, S] }>, y: pl::Out<pl::Tensor<f32, { [1, S] }>>) {
///     pl::store(pl::load(data, [0, 0], [1, S]), [0, 0], y);
/// }
///
/// /// The sum over all ranks, on every rank.
/// #[pl::function(Host, dynamic(NR, S))]
/// fn sum(x: pl::Tensor<f32, { [NR, 1, S] }>, y: pl::Out<pl::Tensor<f32, { [NR, 1, S] }>>) {
///     let buffer = pld::alloc_window_buffer(4 * S);
///     let mut data = pld::window::<f32>(buffer, [1, S]);
///     for r in 0..pld::world_size() {
///         stage(x[r], data, device = r);
///     }
///     data = pld::tensor::allreduce(data, op = pld::ReduceOp::Sum);
///     for r in 0..pld::world_size() {
///         fetch(data, y[r], device = r);
///     }
/// }
/// ```
pub fn window<T: Element, const R: usize>(buffer: Buffer, shape: [usize; R]) -> DistributedTensor<T> {
    DistributedTensor::new()
}

/// `pld::system`: signals, and checks of counts. A signal is a window of `i32` cells.
pub mod system {
    use super::{DistributedTensor, NotifyOp, WaitCmp};

    /// Deposits into one cell of the peer's signal: adds to it, or sets it. Does not block.
    ///
    /// - `signal`: a window of `i32`.
    /// - `peer`: the rank whose cell it is; may be the own.
    /// - `offsets`: the cell, one entry per axis.
    /// - `value`: what is added or set. A cell that leaves the range of `i32` is an error of the run.
    /// - `op`: a constant [`NotifyOp`].
    ///
    /// What the rank did before happens before what its peer does after a [`wait`] that the deposit satisfies. Follows `pld.system.notify` of
    /// PyPTO.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn pass_on(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    ///     let ctx = pld::get_comm_ctx(signal);
    ///     let next = (pld::rank(ctx) + 1) % pld::nranks(ctx);
    ///     pld::system::notify(signal, peer = next, offsets = [0, 0], value = 1, op = pld::NotifyOp::Set);
    ///     pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Eq);
    /// }
    /// ```
    pub fn notify<const R: usize>(
        signal: DistributedTensor<i32>,
        peer: usize,
        offsets: [usize; R],
        value: i32,
        op: NotifyOp,
    ) {
    }

    /// Blocks until the own cell compares true. Does not change the cell.
    ///
    /// - `signal`: a window of `i32`.
    /// - `offsets`: the cell, one entry per axis.
    /// - `expected`: what the cell is compared with.
    /// - `cmp`: a constant [`WaitCmp`].
    ///
    /// When no rank can run any more, that is a deadlock, and reported at once. Follows `pld.system.wait` of PyPTO; see [`notify`] for an example.
    pub fn wait<const R: usize>(signal: DistributedTensor<i32>, offsets: [usize; R], expected: i32, cmp: WaitCmp) {}

    /// A count that came as data, as an index.
    ///
    /// - `count`: the count, an `i32`.
    /// - `peer`: the rank that it concerns, for the report.
    /// - `limit`: the greatest count that is right.
    ///
    /// A count below 0 or above `limit` is an error of the run that names the rank, the peer, the count and the limit. PyPTO clamps such
    /// counts silently in `pld.tensor.all_to_all_v`, which is lowered to this.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, M, S))]
    /// fn pack(
    ///     counts: pl::Tensor<i32, { [NR, 1] }>,
    ///     x: pl::Tensor<f32, { [NR * M, S] }>,
    ///     y: pl::Out<pl::Tensor<f32, { [NR * M, S] }>>,
    /// ) {
    ///     for peer in 0..NR {
    ///         let rows = pld::system::check_count(pl::read(counts, [peer, 0]), peer = peer, limit = M);
    ///         for row in peer * M..peer * M + rows {
    ///             pl::store(pl::load(x, [row, 0], [1, S]), [row, 0], y);
    ///         }
    ///     }
    /// }
    /// # use pld as _;
    /// ```
    pub fn check_count(count: i32, peer: usize, limit: usize) -> usize {
        0
    }
}

/// `pld::tile`: tiles from and to other ranks.
pub mod tile {
    use super::{AtomicType, DistributedTensor, Element};
    use crate::lang::Tile;

    /// Reads a box of the peer's window into a tile.
    ///
    /// - `target`: the window.
    /// - `peer`: the rank whose window is read; may be the own.
    /// - `offsets`, `shape`: the box, one entry per axis of `target`.
    ///
    /// The peer must have written the box, and a signal must have said so: a read that races with a write, or finds nothing, is an error of the run.
    /// Follows `pld.tile.remote_load` of PyPTO.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn fetch(root: usize, w: pld::DistributedTensor<f32, { [1, 64] }>, y: pl::Out<pl::Tensor<f32, { [1, 64] }>>, s: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    ///     pld::tensor::barrier(s);
    ///     let tile = pld::tile::remote_load(w, peer = root, offsets = [0, 0], shape = [1, 64]);
    ///     pl::store(tile, [0, 0], y);
    /// }
    /// ```
    pub fn remote_load<T: Element, const R: usize>(
        target: DistributedTensor<T>,
        peer: usize,
        offsets: [usize; R],
        shape: [usize; R],
    ) -> Tile<T> {
        Tile::new()
    }

    /// Writes a tile into the peer's window, or adds it to what stands there.
    ///
    /// - `tile`: of the element type of `target`.
    /// - `target`: the window.
    /// - `peer`: the rank whose window is written; may be the own.
    /// - `offsets`: where the tile's first element goes, one entry per axis of `target`. The tile must fit.
    /// - `atomic`: a constant [`AtomicType`]; see [`put`](super::tensor::put). `None` is the default.
    ///
    /// It tells the peer nothing: [`notify`](super::system::notify) afterwards. Follows `pld.tile.remote_store` of PyPTO.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// /// Every rank adds its row into the root's window.
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn add_up(root: usize, x: pl::Tensor<f32, { [1, 64] }>, w: pl::InOut<pld::DistributedTensor<f32, { [1, 64] }>>, s: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    ///     let tile = pl::load(x, [0, 0], [1, 64]);
    ///     pld::tile::remote_store(tile, w, peer = root, offsets = [0, 0], atomic = pld::AtomicType::Add);
    ///     pld::tensor::barrier(s);
    /// }
    /// ```
    pub fn remote_store<T: Element, const R: usize>(
        tile: Tile<T>,
        target: DistributedTensor<T>,
        peer: usize,
        offsets: [usize; R],
        atomic: AtomicType,
    ) {
    }
}

/// `pld::tensor`: transfers of whole memory, and collectives. Every rank of the domain calls a collective, in the same order.
///
/// Each collective is lowered to a function of the [`collectives`](crate::collectives) library, which is written in the language itself. All may be called
/// back to back on the same windows, in loops and in branches that all ranks take alike.
pub mod tensor {
    use super::{AtomicType, DistributedTensor, Element, NotifyOp, ReduceOp};
    use crate::lang::Memory;

    /// Copies own memory, or a box of it, into the peer's window, or adds it to what stands there.
    ///
    /// - `dst`: the window, of which the peer's is written.
    /// - `peer`: the rank; may be the own.
    /// - `src`: a tensor or window, of which the own is read. It has the element type of `dst`, and as many axes.
    /// - `dst_offsets`, `src_offsets`, `shape`: a box in each, of the same extents, with one entry per axis. All three are given, or none: then the whole
    ///   of both is meant, and they have one shape.
    /// - `atomic`: a constant [`AtomicType`]. `None`, the default, replaces. `Add` adds element by element in the element type, which is f32,
    ///   f16, bf16, i32, i16 or i8; integers wrap. Elements that nothing wrote count as zero, and are data afterwards. Transfers that add do
    ///   not race with each other, but with every other access.
    /// - `chunk_rows`, `chunk_cols`: constants that bound the tile memory that the transfer goes through: so many entries of the last axis, and so many
    ///   rows of all axes before it. 0, the default: no bound. An extent that is no constant needs the matching one.
    /// - `pipeline`: a constant `bool`. One chunk is read while another is written: twice the tile memory; both chunks are needed.
    ///
    /// It tells the peer nothing: [`notify`](super::system::notify) afterwards, or use [`put_with_signal`]. No fence is needed, see
    /// [`distributed`](super). Follows `pld.tensor.put` of PyPTO; in OpenSHMEM it is `shmem_put`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, S))]
    /// fn spread(
    ///     x: pl::Tensor<f32, { [1, S] }>,
    ///     data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    /// ) {
    ///     let me = pld::rank(pld::get_comm_ctx(data));
    ///     for peer in 0..NR {
    ///         pld::tensor::put(data, peer, x, dst_offsets = [me, 0], src_offsets = [0, 0], shape = [1, S], chunk_cols = 4096);
    ///     }
    ///     pld::tensor::barrier(signal);
    /// }
    /// ```
    #[expect(clippy::too_many_arguments, reason = "most have defaults in a kernel")]
    pub fn put<T: Element, const A: usize, const B: usize, const C: usize>(
        dst: DistributedTensor<T>,
        peer: usize,
        src: impl Memory<T>,
        dst_offsets: [usize; A],
        src_offsets: [usize; B],
        shape: [usize; C],
        atomic: AtomicType,
        chunk_rows: usize,
        chunk_cols: usize,
        pipeline: bool,
    ) {
    }

    /// Copies the peer's window, or a box of it, into own memory.
    ///
    /// - `dst`: a tensor (`Out`, `InOut`) or window, of which the own is written.
    /// - `peer`: the rank whose window is read; may be the own.
    /// - `src`: the window. It has the element type of `dst`, and as many axes.
    /// - `dst_offsets`, `src_offsets`, `shape`, `chunk_rows`, `chunk_cols`, `pipeline`: as of [`put`].
    ///
    /// Gives `dst` back, to rebind its name. The peer must have written the box, and a signal must have said so. Follows `pld.tensor.get` of
    /// PyPTO; in OpenSHMEM it is `shmem_get`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn fetch(
    ///     root: usize,
    ///     data: pld::DistributedTensor<f32, { [1, 64] }>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [1, 64] }>>,
    /// ) -> pl::Tensor<f32, { [1, 64] }> {
    ///     pld::tensor::barrier(signal);
    ///     pld::tensor::get(y, peer = root, src = data)
    /// }
    /// ```
    #[expect(clippy::too_many_arguments, reason = "most have defaults in a kernel")]
    pub fn get<T: Element, M: Memory<T>, const A: usize, const B: usize, const C: usize>(
        dst: M,
        peer: usize,
        src: DistributedTensor<T>,
        dst_offsets: [usize; A],
        src_offsets: [usize; B],
        shape: [usize; C],
        chunk_rows: usize,
        chunk_cols: usize,
        pipeline: bool,
    ) -> M {
        dst
    }

    /// [`put`], then [`notify`](super::system::notify) of the same peer: who waits on the cell finds the data.
    ///
    /// - `dst`, `peer`, `src`: as of [`put`].
    /// - `signal`: a window of `i32`, another one than `dst`.
    /// - `signal_offsets`: the peer's cell, one entry per axis of `signal`.
    /// - `value`, `op`: what is added or set, and a constant [`NotifyOp`].
    /// - `dst_offsets`, `src_offsets`, `shape`, `atomic`, `chunk_rows`, `chunk_cols`, `pipeline`: as of [`put`].
    ///
    /// PyPTO has no such op; it is OpenSHMEM's `shmem_put_signal` and MSCCL++'s `putWithSignal`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// /// Each rank hands its block to the next one.
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn pass_on(
    ///     x: pl::Tensor<f32, { [1, 64] }>,
    ///     data: pl::InOut<pld::DistributedTensor<f32, { [1, 64] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [1, 64] }>>,
    /// ) {
    ///     let next = (pld::rank(pld::get_comm_ctx(data)) + 1) % NR;
    ///     pld::tensor::put_with_signal(
    ///         data,
    ///         peer = next,
    ///         src = x,
    ///         signal = signal,
    ///         signal_offsets = [0, 0],
    ///         value = 1,
    ///         op = pld::NotifyOp::Set,
    ///     );
    ///     pld::system::wait(signal, offsets = [0, 0], expected = 1, cmp = pld::WaitCmp::Eq);
    ///     pl::store(pl::load(data, [0, 0], [1, 64]), [0, 0], y);
    /// }
    /// ```
    #[expect(clippy::too_many_arguments, reason = "most have defaults in a kernel")]
    pub fn put_with_signal<T: Element, const S: usize, const A: usize, const B: usize, const C: usize>(
        dst: DistributedTensor<T>,
        peer: usize,
        src: impl Memory<T>,
        signal: DistributedTensor<i32>,
        signal_offsets: [usize; S],
        value: i32,
        op: NotifyOp,
        dst_offsets: [usize; A],
        src_offsets: [usize; B],
        shape: [usize; C],
        atomic: AtomicType,
        chunk_rows: usize,
        chunk_cols: usize,
        pipeline: bool,
    ) {
    }

    /// No rank leaves before every rank has entered.
    ///
    /// - `signal`: a window of `i32`, `[P]` or `[P, 1]`. It is all zero before and after.
    ///
    /// Costs one credit per peer. Needs two ranks or more. Follows `pld.tensor.barrier` of PyPTO.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR))]
    /// fn meet(signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>) {
    ///     pld::tensor::barrier(signal);
    /// }
    /// ```
    pub fn barrier(signal: DistributedTensor<i32>) {}

    /// Every rank's window becomes a copy of the root's.
    ///
    /// - `target`: a window of any shape and element type. The root has staged its own before.
    /// - `signal`: a window of `i32`, `[P, 1]`, another one. It is all zero before and after.
    /// - `root`: the rank that has the data, the same on all ranks.
    ///
    /// Gives `target` back. Costs two credits per peer: one barrier before the root is read, one before its window may be written again. Each
    /// rank but the root receives the window once. Needs two ranks or more. Follows `pld.tensor.broadcast` of PyPTO; in MPI it is
    /// `MPI_Bcast`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, S))]
    /// fn share(
    ///     x: pl::Tensor<f32, { [1, S] }>,
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    /// ) {
    ///     if pld::rank(pld::get_comm_ctx(data)) == 0 {
    ///         data = pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], data);
    ///     }
    ///     data = pld::tensor::broadcast(data, signal, root = 0);
    ///     pl::store(pl::load(data, [0, 0], [1, S]), [0, 0], y);
    /// }
    /// ```
    pub fn broadcast<T: Element>(
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
        root: usize,
    ) -> DistributedTensor<T> {
        target
    }

    /// Row `r` of every rank's window becomes the input of rank r.
    ///
    /// - `input`: a tensor or window `[1, S]` of any element type.
    /// - `target`: a window `[P, S]` of the same element type, another one.
    /// - `signal`: a window of `i32`, `[P, 1]`, another one. It is all zero before and after.
    ///
    /// Gives `target` back. Costs two credits per peer: one barrier before the rows are written, one before they are read. Each rank receives `P - 1`
    /// rows. Needs two ranks or more. Follows `pld.tensor.allgather` of PyPTO; in MPI it is `MPI_Allgather`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, S))]
    /// fn collect(
    ///     x: pl::Tensor<f32, { [1, S] }>,
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [NR, S] }>>,
    /// ) {
    ///     data = pld::tensor::allgather(x, data, signal);
    ///     pl::store(pl::load(data, [0, 0], [NR, S]), [0, 0], y);
    /// }
    /// ```
    pub fn allgather<T: Element>(
        input: impl Memory<T>,
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
    ) -> DistributedTensor<T> {
        target
    }

    /// Row `r` of rank r's window becomes the sum over the ranks of their row `r`.
    ///
    /// - `target`: a window `[P, S]` of any element type. Every rank has staged all P rows before.
    /// - `signal`: a window of `i32`, `[P, 1]`, another one. It is all zero before and after.
    /// - `op`: a constant [`ReduceOp`]; only [`ReduceOp::Sum`] (the default) is implemented.
    ///
    /// Gives `target` back. The other rows are as they were. Costs two credits per peer: one barrier before the rows are read, one before the
    /// window may be written again. Rows longer than tile memory are processed in chunks. Each rank receives `(P - 1) / P` of the bytes of the
    /// window. Needs two ranks or more. Follows `pld.tensor.reduce_scatter` of PyPTO.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, SIZE))]
    /// fn my_chunk(
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [1, SIZE] }>>,
    /// ) {
    ///     data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    ///     let me = pld::rank(pld::get_comm_ctx(data));
    ///     pl::store(pl::load(data, [me, 0], [1, SIZE]), [0, 0], y);
    /// }
    /// ```
    pub fn reduce_scatter<T: Element>(
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
        op: ReduceOp,
    ) -> DistributedTensor<T> {
        target
    }

    /// Every rank's window becomes the reduction of all of them, element by element. Every rank gets the same bits.
    ///
    /// - `target`: a window of any shape, of f32, f16, bf16 or i32. Every rank has staged its own before.
    /// - `signal`: a window of `i32`, another one: `[P, 1]` for `"mesh"`, `[2 * (P - 1), P]` for `"ring"`. It is all zero before and after. A `Host`
    ///   function may leave it out.
    /// - `op`: a constant [`ReduceOp`]; [`ReduceOp::Sum`] is the default.
    /// - `mode`: `"mesh"`, the default, or `"ring"`; or a constant of type `&str`. A mesh reads every peer's window, so each rank receives
    ///   `(P - 1) * N` of N bytes, in few steps. A ring reads one neighbour in `2 * (P - 1)` rounds, and each rank receives about `2 * (P - 1) / P * N`.
    ///
    /// Gives `target` back. A mesh folds in the order of the ranks; a ring folds each segment once, from its owner around, and forwards the result.
    /// Needs two ranks or more. Follows `pld.tensor.allreduce` of PyPTO; in MPI it is `MPI_Allreduce`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, S))]
    /// fn greatest(
    ///     x: pl::Tensor<f32, { [1, S] }>,
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [1, S] }>>,
    ///     rounds: pl::InOut<pld::DistributedTensor<i32, { [2 * NR - 2, NR] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [1, S] }>>,
    /// ) {
    ///     data = pl::store(pl::load(x, [0, 0], [1, S]), [0, 0], data);
    ///     data = pld::tensor::allreduce(data, rounds, op = pld::ReduceOp::Max, mode = "ring");
    ///     pl::store(pl::load(data, [0, 0], [1, S]), [0, 0], y);
    /// }
    /// ```
    pub fn allreduce<T: Element>(
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
        op: ReduceOp,
        mode: &'static str,
    ) -> DistributedTensor<T> {
        target
    }

    /// Row `s` of rank r's window becomes row `r` of the input of rank s.
    ///
    /// - `input`: a tensor or window `[P, S]` of any element type: row `r` goes to rank r.
    /// - `target`: a window `[P, S]` of the same element type, another one.
    /// - `signal`: a window of `i32`, `[P, 1]`, another one. It is all zero before and after.
    ///
    /// Gives `target` back. Costs two credits per peer, as [`allgather`]. Each rank receives `P - 1` rows. Needs two ranks or more. Follows
    /// `pld.tensor.all_to_all` of PyPTO; in MPI it is `MPI_Alltoall`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, S))]
    /// fn exchange(
    ///     x: pl::Tensor<f32, { [NR, S] }>,
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR, S] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::Out<pl::Tensor<f32, { [NR, S] }>>,
    /// ) {
    ///     data = pld::tensor::all_to_all(x, data, signal);
    ///     pl::store(pl::load(data, [0, 0], [NR, S]), [0, 0], y);
    /// }
    /// ```
    pub fn all_to_all<T: Element>(
        input: impl Memory<T>,
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
    ) -> DistributedTensor<T> {
        target
    }

    /// [`all_to_all`] of blocks of M rows, of which only the first ones are sent.
    ///
    /// - `input`: a tensor or window `[P * M, S]` of any element type: the block of M rows from row `r * M` on is for rank r.
    /// - `target`: a window `[P * M, S]` of the same element type, another one: the block from row `s * M` on is what rank s sent.
    /// - `signal`: a window of `i32`, `[P, 1]`, another one. It is all zero before and after.
    /// - `send_counts`: a tensor or window of `i32`, `[P, 1]`: how many rows go to each rank, 0 to M.
    /// - `recv_counts`: a window of `i32`, `[P, 1]`, another one: becomes the number of rows that came from each rank.
    ///
    /// Gives `target` back. The rows of a block beyond its count are no data afterwards. A count out of 0 to M is an error of the run that names the rank, the
    /// peer, the count and M, where PyPTO clamps it. Costs two credits per peer. Needs two ranks or more. Follows `pld.tensor.all_to_all_v` of
    /// PyPTO; in MPI it is `MPI_Alltoallv`.
    ///
    /// ```
    /// use pl::distributed as pld;
    ///
    /// #[pl::function(InCore, dynamic(NR, M, S))]
    /// fn route(
    ///     x: pl::Tensor<f32, { [NR * M, S] }>,
    ///     counts: pl::Tensor<i32, { [NR, 1] }>,
    ///     mut data: pl::InOut<pld::DistributedTensor<f32, { [NR * M, S] }>>,
    ///     signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     arrived: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    ///     y: pl::InOut<pl::Tensor<f32, { [NR * M, S] }>>,
    /// ) {
    ///     data = pld::tensor::all_to_all_v(x, data, signal, send_counts = counts, recv_counts = arrived);
    ///     for src in 0..NR {
    ///         let rows = pl::read(arrived, [src, 0]) as usize;
    ///         pl::store(pl::load(data, [src * M, 0], [rows, S]), [src * M, 0], y);
    ///     }
    /// }
    /// ```
    pub fn all_to_all_v<T: Element>(
        input: impl Memory<T>,
        target: DistributedTensor<T>,
        signal: DistributedTensor<i32>,
        send_counts: impl Memory<i32>,
        recv_counts: DistributedTensor<i32>,
    ) -> DistributedTensor<T> {
        target
    }
}
