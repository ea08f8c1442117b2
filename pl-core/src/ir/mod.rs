//! The intermediate representation: one structured function.
//!
//! A function is a list of statements over *locals*. A local is a variable: its first assignment, in order, declares it; later
//! ones assign to it again. Scalars are expression trees and stand where they are used; everything else (tiles, tensors,
//! windows, contexts) is only ever named by a local. Types of locals are not stored: [`crate::verify`] infers them.
//!
//! A tensor or window local is a name for one parameter. `data = pl.store(…, data)` rebinds the name to the same memory.
//!
//! A [`Loc`] is an opaque number. The macro maps it to tokens; at run time [`Function::place`] maps it to a line and column.

mod function;
mod place;
mod visit;

pub use function::{Const, ConstValue, Function, Local, Param, TypeParam};
pub use place::{Loc, Place};
pub use visit::{dispatches, visit};

use crate::dtype::DType;
use crate::op::{EnumKind, OpCode};
use std::sync::Arc;

/// A name in the IR.
pub type Name = Arc<str>;

/// A local variable of a function: an index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// What level of the program a function belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// A kernel: runs on one device.
    InCore,
    /// Inlined where it is called.
    Inline,
    /// Runs on one device: calls kernels, one after the other.
    Orchestration,
    /// Runs on the host: allocates windows, dispatches to the devices.
    Host,
}

impl FunctionKind {
    /// Every level.
    pub const ALL: [FunctionKind; 4] =
        [FunctionKind::InCore, FunctionKind::Inline, FunctionKind::Orchestration, FunctionKind::Host];

    /// The levels of the functions that functions of this level call.
    pub const fn calls(self) -> &'static [FunctionKind] {
        match self {
            FunctionKind::InCore | FunctionKind::Inline => &[FunctionKind::Inline],
            FunctionKind::Orchestration => &[FunctionKind::InCore],
            FunctionKind::Host => &[FunctionKind::InCore, FunctionKind::Orchestration],
        }
    }

    /// The name as the attribute writes it.
    pub const fn name(self) -> &'static str {
        match self {
            FunctionKind::InCore => "InCore",
            FunctionKind::Inline => "Inline",
            FunctionKind::Orchestration => "Orchestration",
            FunctionKind::Host => "Host",
        }
    }
}

/// How a tensor or window parameter may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Only read. The mode of a parameter of plain type, of scalars and tiles too.
    In,
    /// Written; its contents are not data before.
    Out,
    /// Read and written.
    InOut,
}

impl Mode {
    /// The name of the wrapper type: `In`, `Out`, `InOut`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::In => "In",
            Mode::Out => "Out",
            Mode::InOut => "InOut",
        }
    }
}

/// An element type that may be a type parameter of the function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    /// A known type.
    Known(DType),
    /// The type parameter of this name, not yet filled in.
    Param(Name),
}

/// The type of a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// One element: `f32`, `i32`, …
    Elem(Elem),
    /// `usize`: an index or extent.
    Index,
    /// `bool`.
    Bool,
}

/// One extent of a shape in a type. `None`: known only when the program runs (printed `?`).
pub type Extent = Option<Expr>;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A scalar.
    Scalar(ScalarType),
    /// An on-chip tile.
    Tile(Shaped),
    /// A tensor in the global memory of one rank.
    Tensor(Shaped),
    /// A symmetric window, `pld::DistributedTensor`.
    Window(Shaped),
    /// A communication context.
    Context,
    /// The memory of a window to be, on every rank; only in `Host` functions.
    Buffer,
    /// Not known: a constant that is not filled in yet, the result of a call that is not linked, or the result of an
    /// operation that was reported already. Agrees with everything.
    Unknown,
}

/// Element type and shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// Element type.
    pub elem: Elem,
    /// Extents, outermost first.
    pub shape: Vec<Extent>,
}

/// A scalar expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub loc: Loc,
}

/// Expressions are equal when they compute the same thing: locations do not count.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of scalar expression. [`ExprKind::Local`] also names tiles, tensors, windows and contexts, alone as an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal; a bare one (`ty` is `None`) takes the type that its use asks for.
    Lit {
        /// The value.
        value: Lit,
        /// Its type, where it is written: `1i32`, `T::ONE`, `pl::lit::<T>(1.5)`.
        ty: Option<ScalarType>,
    },
    /// The value of a local.
    Local(LocalId),
    /// A name in capitals: a dynamic dim or a constant of the function.
    Name(Name),
    /// A unary operator.
    Unary(UnOp, Box<Expr>),
    /// A binary operator. `And` and `Or` evaluate their right side only where it counts.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `as`.
    Cast(ScalarType, Box<Expr>),
    /// An actual extent of a tile, tensor or window: local, axis. Only the inliner writes it.
    Extent(LocalId, u32),
}

/// A literal value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lit {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum UnOp {
    Neg,
    Not,
}

/// Binary operators on scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

impl BinOp {
    /// The operator as text; `min` and `max` are functions (`pl.min(a, b)`).
    pub const fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::And => "&&",
            BinOp::Or => "||",
        }
    }

    /// Whether the result is a `bool`.
    pub const fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// Whether both sides and the result are `bool`.
    pub const fn is_logical(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or)
    }
}

/// The argument of an op, in the order of the op's parameters; every parameter has one (defaults are filled in).
#[derive(Clone, Debug)]
pub struct Arg {
    /// What it is.
    pub kind: ArgKind,
    /// Where it stands; `Loc::NONE` for a default.
    pub loc: Loc,
}

/// Arguments are equal when they say the same: locations do not count.
impl PartialEq for Arg {
    fn eq(&self, other: &Arg) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgKind {
    /// A scalar expression, or a local that names a tile, tensor, window or context.
    Value(Expr),
    /// A list: offsets, a shape.
    List(Vec<Expr>),
    /// An enum value.
    Enum(EnumKind, EnumValue),
    /// Nothing: an optional argument that is not given.
    Absent,
}

/// The value of an enum argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumValue {
    /// Known, by its wire value.
    Known(i32),
    /// The constant of this name, not yet filled in.
    Const(Name),
}

/// A list of statements.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub loc: Loc,
}

/// Statements are equal when they do the same: locations do not count.
impl PartialEq for Stmt {
    fn eq(&self, other: &Stmt) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `dst = value`. With a local of any type as the value, this is a copy of the handle.
    Assign {
        /// The local.
        dst: LocalId,
        /// The value.
        value: Expr,
    },
    /// An op of the table.
    Op(Op),
    /// A call of one of the user's functions. After linking only `Host` functions have calls.
    Call(Call),
    /// `let t: pl::Tile<…> = …` or an inlined tile parameter: `local` must have this type. Extents that only a run knows are checked then.
    Check {
        /// The local.
        local: LocalId,
        /// The declared type.
        ty: Type,
    },
    /// `for var in start..end` with a step (1 when not given).
    For {
        /// The loop variable, an index.
        var: LocalId,
        /// First value.
        start: Expr,
        /// One past the last value.
        end: Expr,
        /// The step, at least 1.
        step: Expr,
        /// The body.
        body: Block,
    },
    /// `while`: runs `pre`, then tests `cond`, then `body`, and again.
    While {
        /// Ops that the condition needs.
        pre: Block,
        /// The condition.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `if`.
    If {
        /// The condition.
        cond: Expr,
        /// Runs when it is true.
        then: Block,
        /// Runs when it is false.
        els: Block,
    },
    /// The values that the function returns; only as the last statement of the body. Of a kernel: tensors and windows.
    Return(Vec<Expr>),
}

/// An op with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Which op.
    pub code: OpCode,
    /// The local that takes the result, where the op has one and it is used.
    pub dst: Option<LocalId>,
    /// The arguments, one for each parameter of the op.
    pub args: Vec<Arg>,
    /// The type argument, for ops that take one (`pl::cast::<f16>`).
    pub elem: Option<Elem>,
}

/// A call of one of the user's functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The callee: an index into [`Function::callees`].
    pub callee: u32,
    /// The locals that take the results; fewer than the results when they are not all used.
    pub dsts: Vec<LocalId>,
    /// The arguments.
    pub args: Vec<Arg>,
    /// The device that the call is dispatched to, in a `Host` function.
    pub device: Option<Expr>,
}

impl Expr {
    /// An expression without a location.
    pub fn new(kind: ExprKind) -> Expr {
        Expr { kind, loc: Loc::NONE }
    }

    /// A bare integer literal.
    pub fn int(value: i128) -> Expr {
        Expr::new(ExprKind::Lit { value: Lit::Int(value), ty: None })
    }

    /// A name in capitals.
    pub fn name(name: impl Into<Name>) -> Expr {
        Expr::new(ExprKind::Name(name.into()))
    }

    /// A local.
    pub fn local(id: LocalId) -> Expr {
        Expr::new(ExprKind::Local(id))
    }

    /// A binary expression.
    pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// The same expression at another location.
    pub fn at(mut self, loc: Loc) -> Expr {
        self.loc = loc;
        self
    }

    /// The local, when the expression is nothing but one.
    pub fn as_local(&self) -> Option<LocalId> {
        match self.kind {
            ExprKind::Local(id) => Some(id),
            _ => None,
        }
    }

    /// Calls `f` for this expression and each one inside it.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        match &self.kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => a.walk(f),
            ExprKind::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
            _ => {}
        }
    }

    /// Replaces, inside out, each expression by what `f` makes of it.
    pub fn map(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let kind = match self.kind {
            ExprKind::Unary(op, a) => ExprKind::Unary(op, Box::new(a.map(f))),
            ExprKind::Cast(ty, a) => ExprKind::Cast(ty, Box::new(a.map(f))),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, Box::new(a.map(f)), Box::new(b.map(f))),
            kind => kind,
        };
        f(Expr { kind, loc: self.loc })
    }
}

impl Arg {
    /// The expressions of the argument: one, those of a list, or none.
    pub fn exprs(&self) -> &[Expr] {
        match &self.kind {
            ArgKind::Value(e) => std::slice::from_ref(e),
            ArgKind::List(list) => list,
            ArgKind::Enum(..) | ArgKind::Absent => &[],
        }
    }

    /// The expressions of the argument, to change.
    pub fn exprs_mut(&mut self) -> &mut [Expr] {
        match &mut self.kind {
            ArgKind::Value(e) => std::slice::from_mut(e),
            ArgKind::List(list) => list,
            ArgKind::Enum(..) | ArgKind::Absent => &mut [],
        }
    }

    /// The local, when the argument is nothing but one.
    pub fn as_local(&self) -> Option<LocalId> {
        match &self.kind {
            ArgKind::Value(e) => e.as_local(),
            _ => None,
        }
    }
}

impl Type {
    /// Element type and shape of a tile, tensor or window.
    pub fn shaped(&self) -> Option<&Shaped> {
        match self {
            Type::Tile(s) | Type::Tensor(s) | Type::Window(s) => Some(s),
            _ => None,
        }
    }

    /// The same, to change.
    pub fn shaped_mut(&mut self) -> Option<&mut Shaped> {
        match self {
            Type::Tile(s) | Type::Tensor(s) | Type::Window(s) => Some(s),
            _ => None,
        }
    }

    /// Whether this is a tensor or a window.
    pub fn is_memory(&self) -> bool {
        matches!(self, Type::Tensor(_) | Type::Window(_))
    }
}
