//! The table itself. Adding an op is an entry here, its execution in each engine (the compiler asks for it), its documented item in
//! the facade, and its tests: see `docs/add-an-op.md`.

use super::{
    Access::*, AllreduceMode, AtomicType, Chunks, Collective, Cost, Default, Dim, EnumKind, Lowering, Only, OpInfo,
    ParamInfo, ParamKind, ReduceOp, ResultKind, Space, TypeArg, When,
};
use crate::dtype::DType;
use crate::ir::FunctionKind;
use ParamKind::*;

/// The element types of the ops that compute.
const NUMERIC: &[DType] = &DType::ALL;
/// The element types that transfers add.
const ADDED: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I32, DType::I16, DType::I8];
/// The element types that are reduced over all ranks.
const REDUCED: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I32];
/// The element types that `neg` takes.
const SIGNED: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64];
/// Signals.
const I32_ONLY: &[DType] = &[DType::I32];
/// `[P]`, `[P, 1]`: one cell per rank.
const CELLS: &[&[Dim]] = &[&[Dim::World, Dim::Exactly(1)], &[Dim::World]];
/// `[P, 1]`
const CELL_COLUMN: &[&[Dim]] = &[&[Dim::World, Dim::Exactly(1)]];
/// `[P, 1]`; of a ring, a row for each round.
const CELLS_OR_ROUNDS: &[&[Dim]] = &[&[Dim::World, Dim::Exactly(1)], &[Dim::Rounds, Dim::World]];

/// Where kernels run, and around them.
const AROUND_KERNELS: &[FunctionKind] = &[FunctionKind::InCore, FunctionKind::Inline, FunctionKind::Orchestration];
/// On devices, and as a call from the host that all devices take part in.
const EVERYWHERE: &[FunctionKind] = &[FunctionKind::InCore, FunctionKind::Inline, FunctionKind::Host];
/// On the host.
const HOST: &[FunctionKind] = &[FunctionKind::Host];

const fn p(name: &'static str, kind: ParamKind) -> ParamInfo {
    ParamInfo { name, kind, default: None }
}

const fn or(param: ParamInfo, default: Default) -> ParamInfo {
    ParamInfo { default: Some(default), ..param }
}

/// What a transfer does with what the target holds.
const ATOMIC: ParamInfo = or(p("atomic", Enum(EnumKind::AtomicType)), Default::Enum(AtomicType::None.wire()));
/// How a bulk transfer is split.
const CHUNK_ROWS: ParamInfo = or(p("chunk_rows", Index), Default::Int(0));
const CHUNK_COLS: ParamInfo = or(p("chunk_cols", Index), Default::Int(0));
const PIPELINE: ParamInfo = or(p("pipeline", Flag), Default::Bool(false));

/// The parameters of the element-wise ops of two operands.
const TWO_OPERANDS: &[ParamInfo] = &[p("lhs", Tile), p("rhs", TileOrScalar(0))];

/// What the element-wise ops of two operands share.
const fn elementwise(path: &'static str, doc: &'static str, example: &'static str) -> OpInfo {
    OpInfo {
        path,
        doc,
        example,
        params: TWO_OPERANDS,
        result: ResultKind::Like(0),
        dtypes: &[(0, NUMERIC)],
        ..OpInfo::BASE
    }
}

/// Makes the enum, the look-ups, the execution trait and its dispatch out of the entries.
macro_rules! ops {
    (
        primitives { $($prim:ident $method:ident = $prim_info:expr;)* }
        composites { $($comp:ident = $comp_info:expr;)* }
    ) => {
        /// The ops of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each op's documentation stands in its entry")]
        pub enum OpCode { $($prim,)* $($comp,)* }

        impl OpCode {
            /// Every op, in the order of the table.
            pub const ALL: &'static [OpCode] = &[$(OpCode::$prim,)* $(OpCode::$comp,)*];

            /// The op's entry.
            pub fn info(self) -> &'static OpInfo {
                static TABLE: &[OpInfo] = &[$($prim_info,)* $($comp_info,)*];
                &TABLE[self as usize]
            }
        }

        /// The execution of every primitive. It has no default bodies: an engine that lacks an op does not compile.
        pub trait Execute<I> {
            /// What executing one op gives.
            type Out;
            $(
                #[doc = concat!("Executes `", stringify!($method), "`.")]
                fn $method(&mut self, inst: I) -> Self::Out;
            )*
            /// A composite reached the engine: it was not lowered.
            fn composite(&mut self, op: OpCode, inst: I) -> Self::Out;
        }

        /// Calls the method of `op`.
        #[inline]
        pub fn dispatch<I, E: Execute<I>>(engine: &mut E, op: OpCode, inst: I) -> E::Out {
            match op {
                $(OpCode::$prim => engine.$method(inst),)*
                $(OpCode::$comp => engine.composite(op, inst),)*
            }
        }
    };
}

ops! {
    primitives {
        Load load = OpInfo {
            path: "pl::load",
            doc: "Copies a box of the own global or window memory into a tile.",
            example: "let chunk = pl::load(x, [0, c * SIZE], [1, SIZE]);",
            params: &[p("src", Memory(Read, Space::Any)), p("offsets", Offsets(0)), p("shape", Shape(0))],
            result: ResultKind::Box(0, 2),
            ..OpInfo::BASE
        };
        Store store = OpInfo {
            path: "pl::store",
            doc: "Writes a tile into the own global (`Out`, `InOut`) or window memory; gives the destination back, to rebind its name.",
            example: "data = pl::store(chunk, [c, 0], data);",
            params: &[p("tile", Tile), p("offsets", Offsets(2)), p("dst", Memory(Write, Space::Any))],
            result: ResultKind::Memory(2),
            ..OpInfo::BASE
        };
        Read read = OpInfo {
            path: "pl::read",
            doc: "Reads one element of the own global or window memory. Of a window it orders nothing (it acquires nothing).",
            example: "let count = pl::read(counts, [peer, 0]);",
            params: &[p("src", Memory(Read, Space::Any)), p("indices", Offsets(0))],
            result: ResultKind::Element(0),
            levels: AROUND_KERNELS,
            ..OpInfo::BASE
        };
        Write write = OpInfo {
            path: "pl::write",
            doc: "Writes one element of the own global or window memory.",
            example: "pl::write(counts, [peer, 0], 3);",
            params: &[p("dst", Memory(Write, Space::Any)), p("indices", Offsets(0)), p("value", Element(0))],
            result: ResultKind::Memory(0),
            ..OpInfo::BASE
        };
        Add add = elementwise("pl::add", "Adds element by element; integers wrap.", "acc = pl::add(acc, recv);");
        Sub sub = elementwise("pl::sub", "Subtracts element by element; integers wrap.", "let d = pl::sub(a, b);");
        Mul mul = elementwise("pl::mul", "Multiplies element by element; integers wrap.", "let s = pl::mul(a, 0.5);");
        Div div = elementwise(
            "pl::div",
            "Divides element by element; an integer division by zero is an error.",
            "let q = pl::div(a, b);",
        );
        Maximum maximum =
            elementwise("pl::maximum", "The greater of two elements; NaN propagates, -0 < +0.", "let m = pl::maximum(a, 0.0);");
        Minimum minimum =
            elementwise("pl::minimum", "The lesser of two elements; NaN propagates, -0 < +0.", "let m = pl::minimum(a, b);");
        Neg neg = OpInfo {
            path: "pl::neg",
            doc: "Negates element by element; integers wrap.",
            example: "let n = pl::neg(a);",
            params: &[p("tile", Tile)],
            result: ResultKind::Like(0),
            dtypes: &[(0, SIGNED)],
            ..OpInfo::BASE
        };
        Cast cast = OpInfo {
            path: "pl::cast",
            doc: "Converts the elements: to nearest even, saturating; NaN becomes 0 for integers.",
            example: "let h = pl::cast::<f16>(a);",
            params: &[p("tile", Tile)],
            type_arg: TypeArg::Required,
            result: ResultKind::CastOf(0),
            ..OpInfo::BASE
        };
        Full full = OpInfo {
            path: "pl::full",
            doc: "A tile with the same value in every element.",
            example: "let zeros = pl::full::<f32>([1, SIZE], 0.0);",
            params: &[p("shape", Extents), p("value", TypeElement)],
            type_arg: TypeArg::Required,
            result: ResultKind::Filled(0),
            ..OpInfo::BASE
        };
        GetCommCtx get_comm_ctx = OpInfo {
            path: "pld::get_comm_ctx",
            doc: "The communication context (the domain) of a window.",
            example: "let ctx = pld::get_comm_ctx(data);",
            params: &[p("window", Memory(Name, Space::Window))],
            result: ResultKind::Context,
            levels: AROUND_KERNELS,
            ..OpInfo::BASE
        };
        Rank rank = OpInfo {
            path: "pld::rank",
            doc: "The own rank in the domain, from 0.",
            example: "let my_rank = pld::rank(ctx);",
            params: &[p("ctx", Context)],
            result: ResultKind::Rank,
            levels: AROUND_KERNELS,
            ..OpInfo::BASE
        };
        Nranks nranks = OpInfo {
            path: "pld::nranks",
            doc: "The number of ranks of the domain.",
            example: "let nranks = pld::nranks(ctx);",
            params: &[p("ctx", Context)],
            result: ResultKind::Nranks,
            levels: AROUND_KERNELS,
            ..OpInfo::BASE
        };
        Notify notify = OpInfo {
            path: "pld::system::notify",
            doc: "Deposits into one cell of the peer's signal window: adds, or sets. Does not block. What the rank did before it \
                  happens before what follows a wait that it satisfies.",
            example: "pld::system::notify(signal, peer = peer, offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd);",
            params: &[
                p("signal", Memory(Notify, Space::Window)),
                p("peer", Peer),
                p("offsets", Offsets(0)),
                p("value", I32),
                p("op", Enum(EnumKind::NotifyOp)),
            ],
            dtypes: &[(0, I32_ONLY)],
            cost: Cost::Notify,
            ..OpInfo::BASE
        };
        Wait wait = OpInfo {
            path: "pld::system::wait",
            doc: "Blocks until the own cell compares true. Does not change the cell.",
            example: "pld::system::wait(signal, offsets = [src, 0], expected = 1, cmp = pld::WaitCmp::Ge);",
            params: &[
                p("signal", Memory(Wait, Space::Window)),
                p("offsets", Offsets(0)),
                p("expected", I32),
                p("cmp", Enum(EnumKind::WaitCmp)),
            ],
            dtypes: &[(0, I32_ONLY)],
            cost: Cost::Wait,
            ..OpInfo::BASE
        };
        RemoteLoad remote_load = OpInfo {
            path: "pld::tile::remote_load",
            doc: "Reads a box of the peer's window into a tile.",
            example: "let recv = pld::tile::remote_load(data, peer = peer, offsets = [my_rank, 0], shape = [1, SIZE]);",
            params: &[
                p("target", Memory(Read, Space::Window)),
                p("peer", Peer),
                p("offsets", Offsets(0)),
                p("shape", Shape(0)),
            ],
            result: ResultKind::Box(0, 3),
            cost: Cost::Pull,
            ..OpInfo::BASE
        };
        RemoteStore remote_store = OpInfo {
            path: "pld::tile::remote_store",
            doc: "Writes a tile into the peer's window, or adds it to what stands there.",
            example: "pld::tile::remote_store(chunk, data, peer = peer, offsets = [my_rank, 0]);",
            params: &[
                p("tile", Tile),
                p("target", Memory(Write, Space::Window)),
                p("peer", Peer),
                p("offsets", Offsets(1)),
                ATOMIC,
            ],
            when: Some(When { param: 4, value: AtomicType::Add.wire(), of: 1, dtypes: ADDED }),
            cost: Cost::Push,
            ..OpInfo::BASE
        };
        Put put = OpInfo {
            path: "pld::tensor::put",
            doc: "Copies own memory, or a box of it, into the peer's window, or adds it to what stands there.",
            example: "pld::tensor::put(data, peer = peer, src = x, dst_offsets = [my_rank, 0], src_offsets = [0, 0], shape = [1, SIZE], chunk_cols = 4096);",
            params: &[
                p("dst", Memory(Write, Space::Window)),
                p("peer", Peer),
                p("src", Memory(Read, Space::Any)),
                or(p("dst_offsets", Offsets(0)), Default::Absent),
                or(p("src_offsets", Offsets(2)), Default::Absent),
                or(p("shape", Shape(0)), Default::Absent),
                ATOMIC,
                CHUNK_ROWS,
                CHUNK_COLS,
                PIPELINE,
            ],
            alike: &[(0, 2)],
            together: &[3, 4, 5],
            when: Some(When { param: 6, value: AtomicType::Add.wire(), of: 0, dtypes: ADDED }),
            chunks: Some(Chunks { remote: 0, local: 2, remote_offsets: 3, local_offsets: 4, shape: 5, rows: 7 }),
            cost: Cost::Push,
            ..OpInfo::BASE
        };
        Get get = OpInfo {
            path: "pld::tensor::get",
            doc: "Copies the peer's window, or a box of it, into own memory; gives the destination back, to rebind its name.",
            example: "y = pld::tensor::get(y, peer = peer, src = data, dst_offsets = [0, 0], src_offsets = [peer, 0], shape = [1, SIZE], chunk_cols = 4096);",
            params: &[
                p("dst", Memory(Write, Space::Any)),
                p("peer", Peer),
                p("src", Memory(Read, Space::Window)),
                or(p("dst_offsets", Offsets(0)), Default::Absent),
                or(p("src_offsets", Offsets(2)), Default::Absent),
                or(p("shape", Shape(2)), Default::Absent),
                CHUNK_ROWS,
                CHUNK_COLS,
                PIPELINE,
            ],
            result: ResultKind::Memory(0),
            alike: &[(0, 2)],
            together: &[3, 4, 5],
            chunks: Some(Chunks { remote: 2, local: 0, remote_offsets: 4, local_offsets: 3, shape: 5, rows: 6 }),
            cost: Cost::Pull,
            ..OpInfo::BASE
        };
        PutWithSignal put_with_signal = OpInfo {
            path: "pld::tensor::put_with_signal",
            doc: "`put`, then `notify` of the same peer: who waits on the cell finds the data.",
            example: "pld::tensor::put_with_signal(data, peer = next, src = x, signal = signal, signal_offsets = [my_rank, 0], value = 1, op = pld::NotifyOp::AtomicAdd, chunk_cols = 4096);",
            params: &[
                p("dst", Memory(Write, Space::Window)),
                p("peer", Peer),
                p("src", Memory(Read, Space::Any)),
                p("signal", Memory(Notify, Space::Window)),
                p("signal_offsets", Offsets(3)),
                p("value", I32),
                p("op", Enum(EnumKind::NotifyOp)),
                or(p("dst_offsets", Offsets(0)), Default::Absent),
                or(p("src_offsets", Offsets(2)), Default::Absent),
                or(p("shape", Shape(0)), Default::Absent),
                ATOMIC,
                CHUNK_ROWS,
                CHUNK_COLS,
                PIPELINE,
            ],
            dtypes: &[(3, I32_ONLY)],
            distinct: &[(0, 3)],
            alike: &[(0, 2)],
            together: &[7, 8, 9],
            when: Some(When { param: 10, value: AtomicType::Add.wire(), of: 0, dtypes: ADDED }),
            chunks: Some(Chunks { remote: 0, local: 2, remote_offsets: 7, local_offsets: 8, shape: 9, rows: 11 }),
            cost: Cost::Push,
            ..OpInfo::BASE
        };
        Reshape reshape = OpInfo {
            path: "pl::reshape",
            doc: "The same memory under another shape of as many elements, in C order.",
            example: "let flat = pl::reshape(data, [NR * SIZE]);",
            params: &[p("memory", Memory(Name, Space::Any)), p("shape", Extents)],
            result: ResultKind::View(0, 1),
            ..OpInfo::BASE
        };
        Discard discard = OpInfo {
            path: "pl::discard",
            doc: "The box's contents are no data any more: reading them before they are written again is an error.",
            example: "pl::discard(data, [my_rank, 0], [1, SIZE]);",
            params: &[p("dst", Memory(Write, Space::Window)), p("offsets", Offsets(0)), p("shape", Shape(0))],
            ..OpInfo::BASE
        };
        CheckCount check_count = OpInfo {
            path: "pld::system::check_count",
            doc: "A count that concerns a peer, as an index; one that is negative or above the limit is an error that names rank, peer, count and limit.",
            example: "let rows = pld::system::check_count(count, peer = dest, limit = ROWS);",
            params: &[p("count", I32), p("peer", Peer), p("limit", Index)],
            result: ResultKind::Index,
            ..OpInfo::BASE
        };
        Enter enter = OpInfo {
            path: "pld::system::enter",
            doc: "The rank enters a collective. All ranks of the domain enter the same ones, in one order and with the same arguments.",
            example: "pld::system::enter(signal, data, collective = Broadcast, op = Sum, mode = Mesh, root = root);",
            params: &[
                p("signal", Memory(Name, Space::Window)),
                or(p("target", Memory(Name, Space::Window)), Default::Absent),
                p("collective", Enum(EnumKind::Collective)),
                or(p("op", Enum(EnumKind::ReduceOp)), Default::Absent),
                or(p("mode", Enum(EnumKind::AllreduceMode)), Default::Absent),
                or(p("root", Peer), Default::Absent),
            ],
            internal: true,
            ..OpInfo::BASE
        };
        Leave leave = OpInfo {
            path: "pld::system::leave",
            doc: "The rank leaves the collective that it entered last.",
            example: "pld::system::leave(signal);",
            params: &[p("signal", Memory(Name, Space::Window))],
            internal: true,
            ..OpInfo::BASE
        };
        WorldSize world_size = OpInfo {
            path: "pld::world_size",
            doc: "The number of ranks of the world.",
            example: "for r in 0..pld::world_size() { step(x[r], y[r], data, signal, device = r); }",
            params: &[],
            result: ResultKind::Nranks,
            levels: HOST,
            ..OpInfo::BASE
        };
        AllocWindowBuffer alloc_window_buffer = OpInfo {
            path: "pld::alloc_window_buffer",
            doc: "Reserves so many bytes on every rank, for one window.",
            example: "let buffer = pld::alloc_window_buffer(NR * SIZE * 4);",
            params: &[p("bytes", Index)],
            result: ResultKind::Buffer,
            levels: HOST,
            ..OpInfo::BASE
        };
        Window window = OpInfo {
            path: "pld::window",
            doc: "The window in a buffer. Asked for again, with the same type and shape, it is the same window.",
            example: "let data = pld::window::<f32>(buffer, [NR, SIZE]);",
            params: &[p("buffer", Buffer), p("shape", Extents)],
            type_arg: TypeArg::Required,
            result: ResultKind::Window(1),
            levels: HOST,
            ..OpInfo::BASE
        };
        Part part = OpInfo {
            path: "pl::part",
            doc: "The part of a tensor at an index of its outermost axis; `x[r]` for short.",
            example: "let mine = pl::part(x, r);",
            params: &[p("src", Memory(Name, Space::Any)), p("index", Index)],
            result: ResultKind::Part(0),
            levels: HOST,
            ..OpInfo::BASE
        };
    }
    composites {
        Barrier = OpInfo {
            path: "pld::tensor::barrier",
            doc: "No rank leaves before every rank has entered. Needs two ranks or more; takes a signal that is all zero and leaves it so.",
            example: "pld::tensor::barrier(signal);",
            params: &[p("signal", Memory(Notify, Space::Window))],
            dtypes: &[(0, I32_ONLY)],
            shapes: &[(0, CELLS)],
            cost: Cost::Composite { credits: "1" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["barrier", "barrier_flat"],
                by: None,
                collective: Collective::Barrier,
                tiles: 0,
                data: 0,
            }),
            ..OpInfo::BASE
        };
        Broadcast = OpInfo {
            path: "pld::tensor::broadcast",
            doc: "Every rank's window becomes a copy of the root's, which has staged it before. Needs two ranks or more; takes a \
                  signal that is all zero and leaves it so.",
            example: "data = pld::tensor::broadcast(data, signal, root = 0);",
            params: &[
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
                p("root", Peer),
            ],
            result: ResultKind::Memory(0),
            dtypes: &[(1, I32_ONLY)],
            shapes: &[(1, CELL_COLUMN)],
            distinct: &[(0, 1)],
            cost: Cost::Composite { credits: "2" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["broadcast"],
                by: None,
                collective: Collective::Broadcast,
                tiles: 1,
                data: 0,
            }),
            ..OpInfo::BASE
        };
        Allgather = OpInfo {
            path: "pld::tensor::allgather",
            doc: "Row `r` of every rank's window becomes the input of rank r. Needs two ranks or more; takes a signal that is all \
                  zero and leaves it so.",
            example: "data = pld::tensor::allgather(x, data, signal);",
            params: &[
                p("input", Memory(Read, Space::Any)),
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
            ],
            result: ResultKind::Memory(1),
            dtypes: &[(2, I32_ONLY)],
            shapes: &[
                (0, &[&[Dim::Exactly(1), Dim::Free("S")]]),
                (1, &[&[Dim::World, Dim::Free("S")]]),
                (2, CELL_COLUMN),
            ],
            distinct: &[(0, 1), (1, 2), (0, 2)],
            alike: &[(0, 1)],
            cost: Cost::Composite { credits: "2" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["allgather"],
                by: None,
                collective: Collective::Allgather,
                tiles: 1,
                data: 1,
            }),
            ..OpInfo::BASE
        };
        ReduceScatter = OpInfo {
            path: "pld::tensor::reduce_scatter",
            doc: "Row `r` of rank r's window becomes the sum over the ranks of their row `r`. Every rank has staged all P rows \
                  before. Needs two ranks or more; takes a signal that is all zero and leaves it so.",
            example: "data = pld::tensor::reduce_scatter(data, signal, op = pld::ReduceOp::Sum);",
            params: &[
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
                or(p("op", Enum(EnumKind::ReduceOp)), Default::Enum(ReduceOp::Sum.wire())),
            ],
            result: ResultKind::Memory(0),
            dtypes: &[(0, NUMERIC), (1, I32_ONLY)],
            shapes: &[(0, &[&[Dim::World, Dim::Free("S")]]), (1, CELL_COLUMN)],
            distinct: &[(0, 1)],
            only: Some(Only {
                param: 2,
                value: ReduceOp::Sum.wire(),
                message: "pld::tensor::reduce_scatter op must be ReduceOp::Sum (got int {}); Max / Min / Prod lowerings are not \
                          yet implemented",
                help: "use `pld::ReduceOp::Sum`, or `pld::tensor::allreduce`, which takes Sum, Max, Min and Prod",
            }),
            cost: Cost::Composite { credits: "2" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["reduce_scatter"],
                by: None,
                collective: Collective::ReduceScatter,
                tiles: 2,
                data: 0,
            }),
            ..OpInfo::BASE
        };
        Allreduce = OpInfo {
            path: "pld::tensor::allreduce",
            doc: "Every rank's window becomes the reduction of all of them, element by element, with the same bits on every rank. \
                  Needs two ranks or more; takes a signal that is all zero and leaves it so. A `Host` function gives no signal.",
            example: "data = pld::tensor::allreduce(data, signal, op = pld::ReduceOp::Max, mode = \"ring\");",
            params: &[
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
                or(p("op", Enum(EnumKind::ReduceOp)), Default::Enum(ReduceOp::Sum.wire())),
                or(p("mode", Enum(EnumKind::AllreduceMode)), Default::Enum(AllreduceMode::Mesh.wire())),
            ],
            result: ResultKind::Memory(0),
            dtypes: &[(0, REDUCED), (1, I32_ONLY)],
            shapes: &[(1, CELLS_OR_ROUNDS)],
            distinct: &[(0, 1)],
            hosts: Some(1),
            cost: Cost::Composite { credits: "mesh: 1 + chunks; ring: 2 * chunks in each row" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["allreduce_mesh", "allreduce_ring"],
                by: Some(3),
                collective: Collective::Allreduce,
                tiles: 2,
                data: 0,
            }),
            ..OpInfo::BASE
        };
        AllToAll = OpInfo {
            path: "pld::tensor::all_to_all",
            doc: "Row `s` of rank r's window becomes row `r` of the input of rank s. Needs two ranks or more; takes a signal that is \
                  all zero and leaves it so.",
            example: "data = pld::tensor::all_to_all(x, data, signal);",
            params: &[
                p("input", Memory(Read, Space::Any)),
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
            ],
            result: ResultKind::Memory(1),
            dtypes: &[(2, I32_ONLY)],
            shapes: &[
                (0, &[&[Dim::World, Dim::Free("S")]]),
                (1, &[&[Dim::World, Dim::Free("S")]]),
                (2, CELL_COLUMN),
            ],
            distinct: &[(0, 1), (1, 2), (0, 2)],
            alike: &[(0, 1)],
            cost: Cost::Composite { credits: "2" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["all_to_all"],
                by: None,
                collective: Collective::AllToAll,
                tiles: 1,
                data: 1,
            }),
            ..OpInfo::BASE
        };
        AllToAllV = OpInfo {
            path: "pld::tensor::all_to_all_v",
            doc: "`all_to_all` of blocks of M rows, of which the first `send_counts[dest]` are sent to rank dest. `recv_counts[src]` \
                  becomes the number of rows that came from rank src; the rows of the window beyond are not written.",
            example: "data = pld::tensor::all_to_all_v(x, data, signal, send_counts, recv_counts);",
            params: &[
                p("input", Memory(Read, Space::Any)),
                p("target", Memory(ReadWrite, Space::Window)),
                p("signal", Memory(Notify, Space::Window)),
                p("send_counts", Memory(Read, Space::Any)),
                p("recv_counts", Memory(ReadWrite, Space::Window)),
            ],
            result: ResultKind::Memory(1),
            dtypes: &[(2, I32_ONLY), (3, I32_ONLY), (4, I32_ONLY)],
            shapes: &[
                (0, &[&[Dim::PerRank("M"), Dim::Free("S")]]),
                (1, &[&[Dim::PerRank("M"), Dim::Free("S")]]),
                (3, CELL_COLUMN),
                (4, CELL_COLUMN),
                (2, CELL_COLUMN),
            ],
            distinct: &[(0, 1), (1, 2), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (0, 4)],
            alike: &[(0, 1)],
            cost: Cost::Composite { credits: "2" },
            levels: EVERYWHERE,
            lowering: Some(Lowering {
                functions: &["all_to_all_v"],
                by: None,
                collective: Collective::AllToAllV,
                tiles: 1,
                data: 1,
            }),
            ..OpInfo::BASE
        };
    }
}
