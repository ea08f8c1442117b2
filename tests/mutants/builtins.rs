//! Programs for the builtins: each calls one of them twice on the same windows, with other data, and nothing between but what a user would do there:
//! take the result out and stage the next input. It is staged a third time, for a call that does not come: a barrier that the next call would need
//! is needed at the end, too.

use crate::programs::Run;
use pl::distributed as pld;
use pl::ndarray::{Array3, ArrayView2, ArrayViewMut2};
use pl::{Call, DType, Window};
use pl_examples_cli::golden::Golden;
use pl_examples_cli::{Done, Failure, Program, Session, array};

/// The elements of a row. No number of ranks that is tried divides it.
const SIZE: usize = 5;

/// The most rows that a rank sends to another one by `all_to_all_v`.
const ROWS: usize = 2;

/// Elements of a tile that leaves room for 4 more in the tile memory of `a2a3sim`: a builtin that is called meanwhile works in chunks.
const LARGE: usize = 184 * 1024 / 4 - 4;

/// The builtins: the names of the programs, and what they run.
pub const PROGRAMS: &[(&str, Run)] = &[
    ("barrier", |session| twice(session, barrier, Rows { brought: 1, left: 1, window: 1 }, |p| vec![p, 1], from_right)),
    ("barrier_flat", |session| {
        twice(session, barrier_flat, Rows { brought: 1, left: 1, window: 1 }, |p| vec![p], from_right)
    }),
    ("broadcast", |session| {
        let golden = |At { call, i, .. }: At| brought(1, call, 0, i);
        twice(session, broadcast, Rows { brought: 1, left: 1, window: 1 }, |p| vec![p, 1], golden)
    }),
    ("allgather", |session| {
        let golden = |At { call, row, i, .. }: At| brought(row, call, 0, i);
        twice(session, allgather, Rows { brought: 1, left: 0, window: 0 }, |p| vec![p, 1], golden)
    }),
    ("reduce_scatter", |session| {
        twice(session, reduce_scatter, Rows { brought: 0, left: 1, window: 0 }, |p| vec![p, 1], sum_of_rows)
    }),
    ("reduce_scatter in chunks", |session| {
        twice(session, reduce_scatter_in_chunks, Rows { brought: 0, left: 1, window: 0 }, |p| vec![p, 1], sum_of_rows)
    }),
    ("allreduce_mesh", |session| {
        twice(session, allreduce_mesh, Rows { brought: 1, left: 1, window: 1 }, |p| vec![p, 1], sum)
    }),
    ("allreduce_mesh in chunks", |session| {
        twice(session, allreduce_mesh_in_chunks, Rows { brought: 1, left: 1, window: 1 }, |p| vec![p, 1], sum)
    }),
    ("allreduce_ring", |session| {
        twice(session, allreduce_ring, Rows { brought: 1, left: 1, window: 1 }, |p| vec![2 * p - 2, p], sum)
    }),
    ("allreduce_ring in chunks", |session| {
        twice(session, allreduce_ring_in_chunks, Rows { brought: 1, left: 1, window: 1 }, |p| vec![2 * p - 2, p], sum)
    }),
    ("all_to_all", |session| {
        let golden = |At { rank, call, row, i, .. }: At| brought(row, call, rank, i);
        twice(session, all_to_all, Rows { brought: 0, left: 0, window: 0 }, |p| vec![p, 1], golden)
    }),
    ("all_to_all_v", all_to_all_v_twice),
];

/// Rows move to the left: every rank reads the row of its right neighbour, and once all have done so the next row takes its place.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn barrier(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let right = (pld::rank(pld::get_comm_ctx(data)) + 1) % NR;
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    pl::store(pld::tile::remote_load(data, right, [0, 0], [1, SIZE]), [0, 0], y);
    pld::tensor::barrier(signal);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    pl::store(pld::tile::remote_load(data, right, [0, 0], [1, SIZE]), [1, 0], y);
}

/// [`barrier`] with a signal of one axis.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn barrier_flat(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR] }>>,
) {
    let right = (pld::rank(pld::get_comm_ctx(data)) + 1) % NR;
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    pl::store(pld::tile::remote_load(data, right, [0, 0], [1, SIZE]), [0, 0], y);
    pld::tensor::barrier(signal);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    pld::tensor::barrier(signal);
    pl::store(pld::tile::remote_load(data, right, [0, 0], [1, SIZE]), [1, 0], y);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn broadcast(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    if me == 1 {
        data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    }
    data = pld::tensor::broadcast(data, signal, root = 1);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
    if me == 1 {
        data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    }
    data = pld::tensor::broadcast(data, signal, root = 1);
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [1, 0], y);
    if me == 1 {
        data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    }
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn allgather(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2 * NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::allgather(x0, data, signal);
    pl::store(pl::load(data, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::allgather(x1, data, signal);
    pl::store(pl::load(data, [0, 0], [NR, SIZE]), [NR, 0], y);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn reduce_scatter(
    x0: pl::Tensor<i32, { [NR, SIZE] }>,
    x1: pl::Tensor<i32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x0, [0, 0], [NR, SIZE]), [0, 0], data);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    pl::store(pl::load(data, [me, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [NR, SIZE]), [0, 0], data);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    pl::store(pl::load(data, [me, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [NR, SIZE]), [0, 0], data);
}

/// [`reduce_scatter`] beside a large tile.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn reduce_scatter_in_chunks(
    x0: pl::Tensor<i32, { [NR, SIZE] }>,
    x1: pl::Tensor<i32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x0, [0, 0], [NR, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [me, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [NR, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [me, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [NR, SIZE]), [0, 0], data);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn allreduce_mesh(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "mesh");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "mesh");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
}

/// [`allreduce_mesh`] beside a large tile.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn allreduce_mesh_in_chunks(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "mesh");
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "mesh");
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn allreduce_ring(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2 * NR - 2, NR] }>>,
) {
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "ring");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "ring");
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
}

/// [`allreduce_ring`] beside a large tile.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn allreduce_ring_in_chunks(
    x0: pl::Tensor<i32, { [1, SIZE] }>,
    x1: pl::Tensor<i32, { [1, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [1, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [2 * NR - 2, NR] }>>,
) {
    let me = pld::rank(pld::get_comm_ctx(data));
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "ring");
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [0, 0], y);
    data = pl::store(pl::load(x1, [0, 0], [1, SIZE]), [0, 0], data);
    let held = pl::full::<i32>([1, LARGE], 0);
    data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Sum, mode = "ring");
    if me == NR {
        // Never: the tile is live until here.
        let _ = pl::neg(held);
    }
    pl::store(pl::load(data, [0, 0], [1, SIZE]), [1, 0], y);
    data = pl::store(pl::load(x0, [0, 0], [1, SIZE]), [0, 0], data);
}

#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all(
    x0: pl::Tensor<i32, { [NR, SIZE] }>,
    x1: pl::Tensor<i32, { [NR, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2 * NR, SIZE] }>>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    data = pld::tensor::all_to_all(x0, data, signal);
    pl::store(pl::load(data, [0, 0], [NR, SIZE]), [0, 0], y);
    data = pld::tensor::all_to_all(x1, data, signal);
    pl::store(pl::load(data, [0, 0], [NR, SIZE]), [NR, 0], y);
}

/// Takes out the rows that came; the others are -1.
#[pl::function(InCore, dynamic(NR, SIZE))]
fn all_to_all_v(
    x0: pl::Tensor<i32, { [ROWS * NR, SIZE] }>,
    x1: pl::Tensor<i32, { [ROWS * NR, SIZE] }>,
    y: pl::Out<pl::Tensor<i32, { [2 * ROWS * NR, SIZE] }>>,
    counts0: pl::Tensor<i32, { [NR, 1] }>,
    counts1: pl::Tensor<i32, { [NR, 1] }>,
    mut data: pl::InOut<pld::DistributedTensor<i32, { [ROWS * NR, SIZE] }>>,
    signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
    recv: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>,
) {
    pl::store(pl::full::<i32>([2 * ROWS * NR, SIZE], -1), [0, 0], y);
    data = pld::tensor::all_to_all_v(x0, data, signal, counts0, recv);
    for src in 0..NR {
        let rows = pl::read(recv, [src, 0]) as usize;
        pl::store(pl::load(data, [src * ROWS, 0], [rows, SIZE]), [src * ROWS, 0], y);
    }
    data = pld::tensor::all_to_all_v(x1, data, signal, counts1, recv);
    for src in 0..NR {
        let rows = pl::read(recv, [src, 0]) as usize;
        pl::store(pl::load(data, [src * ROWS, 0], [rows, SIZE]), [(NR + src) * ROWS, 0], y);
    }
}

type Kernel = for<'a> fn(
    ArrayView2<'a, i32>,
    ArrayView2<'a, i32>,
    ArrayViewMut2<'a, i32>,
    &'a Window<i32>,
    &'a Window<i32>,
) -> Call<'a>;

/// The rows of the arrays of one call, on each rank; 0 is one for each rank.
#[derive(Clone, Copy)]
struct Rows {
    brought: usize,
    left: usize,
    window: usize,
}

/// An element of the result.
#[derive(Clone, Copy)]
struct At {
    ranks: usize,
    rank: usize,
    call: usize,
    row: usize,
    i: usize,
}

/// What a rank brings to a call: numbers without a pattern.
fn brought(rank: usize, call: usize, row: usize, i: usize) -> i32 {
    let number = [rank, call, row, i]
        .iter()
        .fold(17_u64, |number, part| (number ^ (*part as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
    (number % 1999) as i32 - 999
}

/// How many rows a rank sends to a peer.
fn count(rank: usize, call: usize, peer: usize) -> usize {
    (2 * rank + peer + call) % (ROWS + 1)
}

fn from_right(At { ranks, rank, call, i, .. }: At) -> i32 {
    brought((rank + 1) % ranks, call, 0, i)
}

fn sum(At { ranks, call, i, .. }: At) -> i32 {
    (0..ranks).map(|rank| brought(rank, call, 0, i)).sum()
}

fn sum_of_rows(At { ranks, rank, call, i, .. }: At) -> i32 {
    (0..ranks).map(|from| brought(from, call, rank, i)).sum()
}

/// What the ranks bring to a call.
fn inputs(ranks: usize, rows: usize, call: usize) -> Result<Array3<i32>, Failure> {
    array((ranks, rows, SIZE), |(rank, row, i)| brought(rank, call, row, i))
}

/// Checks the results of both calls, one below the other.
fn judge(session: &Session, y: &Array3<i32>, golden: impl Fn(At) -> i32) -> Result<Done, Failure> {
    let (ranks, rows, _) = y.dim();
    let at = |rank, row, i| At { ranks, rank, call: row / (rows / 2), row: row % (rows / 2), i };
    let right = array(y.dim(), |(rank, row, i)| golden(at(rank, row, i)))?;
    session.judge(Golden::exact("that of both calls", right).check(y.view()))
}

fn twice(
    session: &Session,
    kernel: Kernel,
    rows: Rows,
    signal: fn(usize) -> Vec<usize>,
    golden: impl Fn(At) -> i32,
) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let rows_of = |rows| if rows == 0 { p } else { rows };
    let (x0, x1) = (inputs(p, rows_of(rows.brought), 0)?, inputs(p, rows_of(rows.brought), 1)?);
    let mut y = Array3::zeros((p, 2 * rows_of(rows.left), SIZE));
    let data = world.window::<i32>([rows_of(rows.window), SIZE])?;
    let signal = world.window::<i32>(signal(p))?;
    let calls = x0.outer_iter().zip(x1.outer_iter()).zip(y.outer_iter_mut());
    session.launch(&world, calls.map(|((x0, x1), y)| kernel(x0, x1, y, &data, &signal)))?;
    judge(session, &y, golden)
}

fn all_to_all_v_twice(session: &Session) -> Result<Done, Failure> {
    let world = session.world()?;
    let p = world.size();
    let (x0, x1) = (inputs(p, ROWS * p, 0)?, inputs(p, ROWS * p, 1)?);
    let counts = |call| array((p, p, 1), |(rank, peer, _)| count(rank, call, peer) as i32);
    let (counts0, counts1) = (counts(0)?, counts(1)?);
    let mut y = Array3::zeros((p, 2 * ROWS * p, SIZE));
    let data = world.window::<i32>([ROWS * p, SIZE])?;
    let (signal, recv) = (world.window::<i32>([p, 1])?, world.window::<i32>([p, 1])?);
    let counts = counts0.outer_iter().zip(counts1.outer_iter());
    let calls = x0.outer_iter().zip(x1.outer_iter()).zip(counts).zip(y.outer_iter_mut());
    let calls = calls
        .map(|(((x0, x1), (counts0, counts1)), y)| all_to_all_v(x0, x1, y, counts0, counts1, &data, &signal, &recv));
    session.launch(&world, calls)?;
    judge(session, &y, |At { rank, call, row, i, .. }| {
        let (src, row) = (row / ROWS, row % ROWS);
        if row < count(src, call, rank) { brought(src, call, rank * ROWS + row, i) } else { -1 }
    })
}

/// The command line of a program that calls a builtin twice.
pub const fn program(name: &'static str) -> Program {
    Program::new(name, "Two calls of a builtin").output("y", DType::I32, "[P, ROWS, SIZE]")
}

#[test]
fn all_builtins_are_here() {
    for op in pl_core::op::OpCode::ALL.iter().filter_map(|op| op.info().lowering.as_ref()) {
        for function in op.functions {
            assert!(PROGRAMS.iter().any(|(name, _)| name == function), "{function}");
        }
    }
}
