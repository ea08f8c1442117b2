//! The table itself. Adding an op is an entry here, its execution in each engine (the compiler asks for it), its documented item in
//! the facade, and its tests: see `docs/add-an-op.md`.

use super::{
    Access::*, Cost, Default, Dim, EnumKind, Lowering, Only, OpInfo, ParamInfo, ParamKind, ReduceOp, ResultKind, Space,
    TypeArg,
};
use crate::dtype::DType;
use ParamKind::*;

/// The element types of the ops that compute.
const NUMERIC: &[DType] = &DType::ALL;
/// The element types that `neg` takes.
const SIGNED: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64];
/// Signals.
const I32_ONLY: &[DType] = &[DType::I32];
/// `[P]`, `[P, 1]`: one cell per rank.
const CELLS: &[&[Dim]] = &[&[Dim::World, Dim::Exactly(1)], &[Dim::World]];
/// `[P, 1]`
const CELL_COLUMN: &[&[Dim]] = &[&[Dim::World, Dim::Exactly(1)]];

const fn p(name: &'static str, kind: ParamKind) -> ParamInfo {
    ParamInfo { name, kind, default: None }
}

const fn or(param: ParamInfo, default: Default) -> ParamInfo {
    ParamInfo { default: Some(default), ..param }
}

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
            ..OpInfo::BASE
        };
        Rank rank = OpInfo {
            path: "pld::rank",
            doc: "The own rank in the domain, from 0.",
            example: "let my_rank = pld::rank(ctx);",
            params: &[p("ctx", Context)],
            result: ResultKind::Rank,
            ..OpInfo::BASE
        };
        Nranks nranks = OpInfo {
            path: "pld::nranks",
            doc: "The number of ranks of the domain.",
            example: "let nranks = pld::nranks(ctx);",
            params: &[p("ctx", Context)],
            result: ResultKind::Nranks,
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
            cost: Cost::RemoteLoad,
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
            cost: Cost::Composite { credits: 1 },
            lowering: Some(Lowering { functions: &["barrier", "barrier_flat"], tiles: 0, data: 0 }),
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
            cost: Cost::Composite { credits: 2 },
            lowering: Some(Lowering { functions: &["reduce_scatter"], tiles: 2, data: 0 }),
            ..OpInfo::BASE
        };
    }
}
