//! The op table: one entry per op, and everything that is derived from it.
//!
//! An entry of `table.rs` names an op's path, parameters, type rule, effects, cost and documentation. The macro's look-up, the
//! verifier, the printer and the parser, the engines' dispatch, the cost card and `docs/ops.md` all read it; nothing
//! else in the project lists the ops.

mod reference;
mod table;
mod wire;

pub use reference::reference;
pub use table::{Execute, OpCode, dispatch};
pub use wire::{AllreduceMode, AtomicType, Collective, NotifyOp, ReduceOp, WaitCmp};

use crate::dtype::DType;
use crate::ir::FunctionKind;

/// Everything the project knows about one op.
#[derive(Debug)]
pub struct OpInfo {
    /// The path as a kernel writes it: `pl::load`.
    pub path: &'static str,
    /// One line: what it does.
    pub doc: &'static str,
    /// A line of a kernel that uses it.
    pub example: &'static str,
    /// The parameters in positional order.
    pub params: &'static [ParamInfo],
    /// Whether the op takes a type argument (`pl::cast::<f16>(t)`).
    pub type_arg: TypeArg,
    /// The type of its result.
    pub result: ResultKind,
    /// What it costs.
    pub cost: Cost,
    /// Element types that an argument must have: parameter, allowed types.
    pub dtypes: &'static [(u8, &'static [DType])],
    /// Shapes that arguments must have: parameter, alternatives.
    pub shapes: &'static [(u8, &'static [&'static [Dim]])],
    /// Pairs of memory parameters that must not be the same memory.
    pub distinct: &'static [(u8, u8)],
    /// Pairs of memory parameters whose element types must be equal.
    pub alike: &'static [(u8, u8)],
    /// Optional parameters of which all are given, or none.
    pub together: &'static [u8],
    /// What an argument with one certain value asks of the element type of another.
    pub when: Option<When>,
    /// The parameters that split a bulk transfer into chunks.
    pub chunks: Option<Chunks>,
    /// The one value that an enum argument may have, where not all are implemented.
    pub only: Option<Only>,
    /// The levels whose functions may use the op.
    pub levels: &'static [FunctionKind],
    /// A parameter that is left out in `Host` functions, and needed everywhere else.
    pub hosts: Option<u8>,
    /// Whether only passes write it: no kernel can.
    pub internal: bool,
    /// How a composite is lowered; `None` for a primitive.
    pub lowering: Option<Lowering>,
}

/// A parameter of an op.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Its name, for named arguments.
    pub name: &'static str,
    /// What an argument must be.
    pub kind: ParamKind,
    /// What stands there when no argument is given.
    pub default: Option<Default>,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// The name of a tensor or window.
    Memory(Access, Space),
    /// A tile.
    Tile,
    /// A tile, or a scalar of the element type of that parameter's argument.
    TileOrScalar(u8),
    /// A scalar of the element type of that parameter's argument.
    Element(u8),
    /// A scalar of the op's type argument.
    TypeElement,
    /// A scalar `i32`.
    I32,
    /// A rank of the domain, an index scalar.
    Peer,
    /// An index scalar.
    Index,
    /// A truth value that is known before the program runs.
    Flag,
    /// A window buffer.
    Buffer,
    /// A list of offsets into that parameter's argument, one per axis. Without a [`ParamKind::Shape`] beside it: one element.
    Offsets(u8),
    /// A list of extents of a box in that parameter's argument, one per axis.
    Shape(u8),
    /// A list of extents of a new tile.
    Extents,
    /// An enum value, a constant expression.
    Enum(EnumKind),
    /// A communication context.
    Context,
}

impl ParamKind {
    /// What to call it in messages and in the reference.
    pub fn describe(self) -> String {
        match self {
            ParamKind::Memory(_, Space::Any) => "tensor or window".into(),
            ParamKind::Memory(_, Space::Window) => "window (`pld::DistributedTensor`)".into(),
            ParamKind::Tile => "tile".into(),
            ParamKind::TileOrScalar(_) => "tile or scalar".into(),
            ParamKind::Element(_) | ParamKind::TypeElement => "scalar of the element type".into(),
            ParamKind::I32 => "scalar of type `i32`".into(),
            ParamKind::Peer => "rank (`usize`)".into(),
            ParamKind::Index => "index (`usize`)".into(),
            ParamKind::Flag => "constant `bool`".into(),
            ParamKind::Buffer => "window buffer".into(),
            ParamKind::Offsets(_) => "list of offsets, one per axis".into(),
            ParamKind::Shape(_) => "list of extents, one per axis".into(),
            ParamKind::Extents => "list of extents".into(),
            ParamKind::Enum(kind) => format!("`pld::{}`", kind.name()),
            ParamKind::Context => "communication context".into(),
        }
    }
}

/// What an op does to the memory of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: it only asks which window it is.
    Name,
    /// Reads its data.
    Read,
    /// Writes its data.
    Write,
    /// Reads and writes its data.
    ReadWrite,
    /// Deposits into a signal cell.
    Notify,
    /// Compares a signal cell.
    Wait,
}

impl Access {
    /// Whether the memory's contents are read as data.
    pub const fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether the memory is changed.
    pub const fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite | Access::Notify)
    }
}

/// Which kind of memory an argument may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A tensor or a window.
    Any,
    /// A window only.
    Window,
}

impl Chunks {
    /// Whether the parameter says where one of the boxes begins.
    pub fn has_offsets(&self, param: usize) -> bool {
        [self.remote_offsets, self.local_offsets].map(usize::from).contains(&param)
    }
}

/// Whether an op takes a type argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeArg {
    /// No.
    No,
    /// Yes, always.
    Required,
}

/// A default argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// An enum value, by its wire value.
    Enum(i32),
    /// An integer.
    Int(i32),
    /// A truth value.
    Bool(bool),
    /// Nothing: the op does without it.
    Absent,
}

/// The type of an op's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// None.
    None,
    /// The memory of that parameter's argument, to rebind its name. May be left unused.
    Memory(u8),
    /// A tile: element type of that memory argument, extents of that list argument.
    Box(u8, u8),
    /// A tile like that argument.
    Like(u8),
    /// A tile of the type argument, shaped like that tile argument.
    CastOf(u8),
    /// A tile of the type argument, extents of that list argument.
    Filled(u8),
    /// A scalar of that argument's element type.
    Element(u8),
    /// The own rank in the domain, an index scalar.
    Rank,
    /// The number of ranks of the domain, an index scalar.
    Nranks,
    /// A communication context.
    Context,
    /// An index scalar.
    Index,
    /// The memory of that parameter's argument, in the shape of that list argument.
    View(u8, u8),
    /// The part of that parameter's argument at an index of its outermost axis.
    Part(u8),
    /// A window buffer.
    Buffer,
    /// A window of the type argument, extents of that list argument.
    Window(u8),
}

/// What an op costs, for the cost card and for a run's counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Only local work.
    Local,
    /// The bytes of its box come from the peer.
    Pull,
    /// The bytes of its box go to the peer; with a signal, a notify too.
    Push,
    /// A notify: to a peer, or to self.
    Notify,
    /// A wait.
    Wait,
    /// What its lowering costs.
    Composite {
        /// The credits of one call, for people: `2`, `1 + chunks`.
        credits: &'static str,
    },
}

/// One axis of a required shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// The number of ranks of the domain.
    World,
    /// Exactly this.
    Exactly(u32),
    /// Anything; the same name in one op means the same extent.
    Free(&'static str),
    /// A multiple of the number of ranks: that many entries for each.
    PerRank(&'static str),
    /// `2 * (P - 1)`: a row for each round of a ring.
    Rounds,
}

/// What an argument with one certain value asks of the element type of another.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The enum parameter.
    pub param: u8,
    /// Its value.
    pub value: i32,
    /// The memory or tile parameter.
    pub of: u8,
    /// The element types that it may have then.
    pub dtypes: &'static [DType],
}

/// The parameters that split a bulk transfer into chunks.
///
/// The transfer goes through tile memory: the whole box, or chunks of so many rows (all axes but the last) and columns (the last axis). An extent
/// that is no constant needs the matching chunk; a pipeline holds two chunks, and needs both.
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    /// The window on the peer's side.
    pub remote: u8,
    /// The memory on the own side.
    pub local: u8,
    /// The box in `remote`: offsets.
    pub remote_offsets: u8,
    /// The box in `local`: offsets.
    pub local_offsets: u8,
    /// The extents of both boxes.
    pub shape: u8,
    /// The parameter `chunk_rows`; `chunk_cols` and `pipeline` follow it.
    pub rows: u8,
}

/// An enum argument that may have one value only.
#[derive(Clone, Copy, Debug)]
pub struct Only {
    /// The parameter.
    pub param: u8,
    /// The value.
    pub value: i32,
    /// What is said of any other; `{}` stands for the value found.
    pub message: &'static str,
    /// What to do instead.
    pub help: &'static str,
}

impl Only {
    /// The message for `found`.
    pub fn message_for(&self, found: i32) -> String {
        self.message.replace("{}", &found.to_string())
    }
}

/// How a composite is lowered.
#[derive(Clone, Copy, Debug)]
pub struct Lowering {
    /// The functions of the collectives library, one for each alternative of the last parameter's shape in [`OpInfo::shapes`]
    /// (one when there is one alternative).
    pub functions: &'static [&'static str],
    /// The enum parameter whose value chooses the alternative; `None`: the rank of the argument does.
    pub by: Option<u8>,
    /// What the ranks must agree on.
    pub collective: Collective,
    /// How many tiles of the same size the function holds at its widest op. The lowering pass picks the chunk so that this
    /// many fit beside the caller's live tiles. 0: it holds none, and takes no chunk.
    pub tiles: u32,
    /// The parameter whose element type and row the function's tiles have.
    pub data: u8,
}

/// The enums of the language. The integers are wire values: append only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnumKind {
    /// `pld::NotifyOp`
    NotifyOp,
    /// `pld::WaitCmp`
    WaitCmp,
    /// `pld::AtomicType`
    AtomicType,
    /// `pld::ReduceOp`
    ReduceOp,
    /// How an allreduce works. A kernel writes it as a string: `"mesh"`, `"ring"`.
    AllreduceMode,
    /// A collective, as ranks compare which one they enter. No kernel writes it.
    Collective,
}

impl EnumKind {
    /// Every enum.
    pub const ALL: [EnumKind; 6] = [
        EnumKind::NotifyOp,
        EnumKind::WaitCmp,
        EnumKind::AtomicType,
        EnumKind::ReduceOp,
        EnumKind::AllreduceMode,
        EnumKind::Collective,
    ];

    /// The enum's name, without `pld::`.
    pub const fn name(self) -> &'static str {
        match self {
            EnumKind::NotifyOp => "NotifyOp",
            EnumKind::WaitCmp => "WaitCmp",
            EnumKind::AtomicType => "AtomicType",
            EnumKind::ReduceOp => "ReduceOp",
            EnumKind::AllreduceMode => "AllreduceMode",
            EnumKind::Collective => "Collective",
        }
    }

    /// The variants; a variant's wire value is its position.
    pub const fn variants(self) -> &'static [&'static str] {
        match self {
            EnumKind::NotifyOp => NotifyOp::NAMES,
            EnumKind::WaitCmp => WaitCmp::NAMES,
            EnumKind::AtomicType => AtomicType::NAMES,
            EnumKind::ReduceOp => ReduceOp::NAMES,
            EnumKind::AllreduceMode => AllreduceMode::NAMES,
            EnumKind::Collective => Collective::NAMES,
        }
    }

    /// Whether kernels write its values as strings, in lower case.
    pub const fn is_string(self) -> bool {
        matches!(self, EnumKind::AllreduceMode)
    }

    /// The value `variant` as a kernel writes it: `pld::ReduceOp::Sum`, `"ring"`.
    pub fn written(self, variant: &str) -> String {
        if self.is_string() {
            format!("\"{}\"", variant.to_lowercase())
        } else {
            format!("pld::{}::{variant}", self.name())
        }
    }

    /// The enum of this name.
    pub fn from_name(name: &str) -> Option<EnumKind> {
        EnumKind::ALL.into_iter().find(|k| k.name() == name)
    }
}

impl OpCode {
    /// The op with this path (`pl::load`).
    pub fn from_path(path: &str) -> Option<OpCode> {
        OpCode::ALL.iter().copied().find(|op| op.info().path == path)
    }

    /// The op's path.
    pub fn path(self) -> &'static str {
        self.info().path
    }

    /// Whether the op is lowered to a function of the collectives library.
    pub fn is_composite(self) -> bool {
        self.info().lowering.is_some()
    }
}

impl Collective {
    /// The path of the collective: `pld::tensor::barrier`.
    pub fn path(self) -> &'static str {
        let is = |op: &&OpCode| op.info().lowering.is_some_and(|lowering| lowering.collective == self);
        OpCode::ALL.iter().find(is).map_or("", |op| op.path())
    }
}

impl OpInfo {
    /// The entries of the table start from this.
    const BASE: OpInfo = OpInfo {
        path: "",
        doc: "",
        example: "",
        params: &[],
        type_arg: TypeArg::No,
        result: ResultKind::None,
        cost: Cost::Local,
        dtypes: &[],
        shapes: &[],
        distinct: &[],
        alike: &[],
        together: &[],
        when: None,
        chunks: None,
        only: None,
        levels: &[FunctionKind::InCore, FunctionKind::Inline],
        hosts: None,
        internal: false,
        lowering: None,
    };

    /// Whether a parameter takes values of this enum.
    pub fn takes(&self, kind: EnumKind) -> bool {
        self.params.iter().any(|p| p.kind == ParamKind::Enum(kind))
    }

    /// Whether functions of this level may use the op.
    pub fn is_for(&self, level: FunctionKind) -> bool {
        self.levels.contains(&level)
    }

    /// Whether this argument may be left out in functions of this level.
    pub fn may_lack(&self, param: usize, level: FunctionKind) -> bool {
        let hosts = self.hosts.map(usize::from) == Some(param);
        if hosts { level == FunctionKind::Host } else { self.params[param].default == Some(Default::Absent) }
    }

    /// The position of the parameter of this name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }

    /// The position of the parameter that names a peer, for ops that reach into another rank's memory.
    pub fn peer(&self) -> Option<usize> {
        self.params.iter().position(|p| p.kind == ParamKind::Peer)
    }

    /// Whether a kernel must use the result.
    pub fn must_use(&self) -> bool {
        !matches!(self.result, ResultKind::None | ResultKind::Memory(_))
    }
}
