//! `pld`: ranks, windows, signals and collectives. Kernels name this module `pld`, with `use pl::distributed as pld;`.
#![expect(unused_variables, reason = "the parameters are the reference; a kernel runs on devices")]

use super::{Context, Element};

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

/// `pld::system`: signals. A signal is a window of `i32` cells.
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
}

/// `pld::tile`: tiles from and to other ranks.
pub mod tile {
    use super::{DistributedTensor, Element};
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
}

/// `pld::tensor`: collectives. Every rank of the domain calls them, in the same order.
///
/// Each is lowered to a function of the [`collectives`](crate::collectives) library, which is written in the language itself. All may be called back to back
/// on the same windows.
pub mod tensor {
    use super::{DistributedTensor, Element, ReduceOp};

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
}
