//! The intermediate representation: one structured function.
//!
//! A function is a list of statements over *locals*. A local is a variable: its first assignment, in order, declares it; later
//! ones assign to it again. Scalars are expression trees and stand where they are used; everything else (tiles, tensors,
//! windows, contexts) is only ever named by a local. Types of locals are not stored: [`crate::verify`] infers them.
//!
//! A tensor or window local is a name for one parameter. `data = pl.store(…, data)` rebinds the name to the same memory.
//!
//! A [`Loc`] is an opaque number. The macro maps it to tokens; at run time [`Function::place`] maps it to a line and column.

use crate::dtype::DType;
use crate::op::{EnumKind, OpCode};
use core::fmt;
use std::sync::Arc;

/// A name in the IR.
pub type Name = Arc<str>;

/// Where something stands in the source: an index into a table that is kept outside the IR. `Loc::NONE` is nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

impl Loc {
    /// No location.
    pub const NONE: Loc = Loc(u32::MAX);

    /// This location, or `other` where this is none.
    pub fn or(self, other: Loc) -> Loc {
        if self == Loc::NONE { other } else { self }
    }
}

/// A line and a column of a source file, both counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file as `file!()` gives it.
    pub file: Name,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Of what was inlined: where it was called.
    pub called_from: Option<Arc<Place>>,
}

impl Place {
    /// A place that was not inlined.
    pub fn new(file: Name, line: u32, column: u32) -> Place {
        Place { file, line, column, called_from: None }
    }

    /// The same place in a function that was inlined at `call`.
    pub fn inlined_at(&self, call: &Place) -> Place {
        let caller = match &self.called_from {
            None => call.clone(),
            Some(caller) => caller.inlined_at(call),
        };
        Place { called_from: Some(Arc::new(caller)), ..self.clone() }
    }
}

/// `file:line:column`; of what was inlined, the call in the kernel first: `kernel.rs:9:5 (in inlined.rs:3:4)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.called_from {
            None => write!(f, "{}:{}:{}", self.file, self.line, self.column),
            Some(caller) => write!(f, "{caller} (in {}:{}:{})", self.file, self.line, self.column),
        }
    }
}

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
}

impl FunctionKind {
    /// The name as the attribute writes it.
    pub const fn name(self) -> &'static str {
        match self {
            FunctionKind::InCore => "InCore",
            FunctionKind::Inline => "Inline",
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
    /// A call of an `Inline` function; gone after linking.
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

/// A call of an `Inline` function.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The callee: an index into [`Function::callees`].
    pub callee: u32,
    /// The locals that take the results; fewer than the results when they are not all used.
    pub dsts: Vec<LocalId>,
    /// The arguments.
    pub args: Vec<Arg>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The local that the parameter is.
    pub local: LocalId,
    /// How it may be used.
    pub mode: Mode,
    /// Its type.
    pub ty: Type,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name, unique in the function.
    pub name: Name,
    /// Where it is declared.
    pub loc: Loc,
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        self.name == other.name
    }
}

/// A constant that the user's crate fills in.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its name in the function.
    pub name: Name,
    /// Whether it depends on a generic argument of the function.
    pub generic: bool,
    /// Its value, once it is filled in.
    pub value: Option<ConstValue>,
}

/// The value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// A scalar; an index, a truth value or an element.
    Scalar(Lit, ScalarType),
    /// An enum value.
    Enum(EnumKind, i32),
}

/// A type parameter bounded by `pl::Element`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParam {
    /// Its name.
    pub name: Name,
    /// Its type, once it is filled in.
    pub value: Option<DType>,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its level.
    pub kind: FunctionKind,
    /// The names declared in `dynamic(…)`, with their locations.
    pub dynamic: Vec<(Name, Loc)>,
    /// Constants.
    pub consts: Vec<Const>,
    /// Type parameters.
    pub types: Vec<TypeParam>,
    /// The names of the `Inline` functions it calls; empty after linking.
    pub callees: Vec<Name>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The types it returns: none, one, or those of a tuple.
    pub returns: Vec<(Type, Loc)>,
    /// Locals, parameters among them.
    pub locals: Vec<Local>,
    /// The body.
    pub body: Block,
    /// The function's own location (its name).
    pub loc: Loc,
    /// What the locations mean at run time; empty in the macro.
    pub places: Vec<Place>,
}

/// Functions are equal when they do the same: locations and places do not count.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        let names = |f: &Function| f.dynamic.iter().map(|d| d.0.clone()).collect::<Vec<_>>();
        let returns = |f: &Function| f.returns.iter().map(|r| r.0.clone()).collect::<Vec<_>>();
        self.name == other.name
            && self.kind == other.kind
            && names(self) == names(other)
            && self.consts == other.consts
            && self.types == other.types
            && self.callees == other.callees
            && self.params == other.params
            && returns(self) == returns(other)
            && self.locals == other.locals
            && self.body == other.body
    }
}

impl Function {
    /// An empty function.
    pub fn new(name: impl Into<Name>, kind: FunctionKind) -> Function {
        Function {
            name: name.into(),
            kind,
            dynamic: vec![],
            consts: vec![],
            types: vec![],
            callees: vec![],
            params: vec![],
            returns: vec![],
            locals: vec![],
            body: vec![],
            loc: Loc::NONE,
            places: vec![],
        }
    }

    /// Adds a local. A name that is taken gets a suffix `.1`, `.2`, …
    pub fn add_local(&mut self, name: &str, loc: Loc) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let taken = |n: &str| self.locals.iter().any(|l| &*l.name == n);
        let name: Name = if taken(name) {
            let stem = name.split('.').next().unwrap_or(name);
            (1..).map(|i| format!("{stem}.{i}")).find(|n| !taken(n)).unwrap_or_default().into()
        } else {
            name.into()
        };
        self.locals.push(Local { name, loc });
        id
    }

    /// Adds a local of an inlined function: its name is made unique by its number, which [`crate::pass`] takes away again.
    pub(crate) fn add_inlined_local(&mut self, name: &str, loc: Loc) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let stem = name.split('.').next().unwrap_or(name);
        self.locals.push(Local { name: format!("{stem}.{}", id.0).into(), loc });
        id
    }

    /// The local's name.
    pub fn local_name(&self, id: LocalId) -> &str {
        self.locals.get(id.0 as usize).map_or("?", |l| &l.name)
    }

    /// The parameter that a local is, if it is one.
    pub fn param_of(&self, id: LocalId) -> Option<&Param> {
        self.params.iter().find(|p| p.local == id)
    }

    /// The constant of this name.
    pub fn constant(&self, name: &str) -> Option<&Const> {
        self.consts.iter().find(|c| &*c.name == name)
    }

    /// Whether `name` was declared in `dynamic(…)`.
    pub fn is_dynamic(&self, name: &str) -> bool {
        self.dynamic.iter().any(|(n, _)| &**n == name)
    }

    /// The place that a location stands for, at run time.
    pub fn place(&self, loc: Loc) -> Option<&Place> {
        self.places.get(loc.0 as usize)
    }
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
            ArgKind::Enum(..) => &[],
        }
    }

    /// The expressions of the argument, to change.
    pub fn exprs_mut(&mut self) -> &mut [Expr] {
        match &mut self.kind {
            ArgKind::Value(e) => std::slice::from_mut(e),
            ArgKind::List(list) => list,
            ArgKind::Enum(..) => &mut [],
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

impl Function {
    /// The value of a name: that of a dim from `bindings`, or that of an integer constant.
    pub fn value_of_name(&self, name: &str, bindings: Option<&crate::bind::Bindings>) -> Option<i128> {
        if let Some(value) = bindings.and_then(|b| b.dims.get(name)) {
            return Some(i128::from(*value));
        }
        match self.constant(name)?.value {
            Some(ConstValue::Scalar(Lit::Int(value), _)) => Some(value),
            _ => None,
        }
    }
}

impl StmtKind {
    /// Calls `f` for each local that this statement itself assigns; loop variables and nested blocks do not count.
    pub fn for_each_dst(&self, f: &mut dyn FnMut(LocalId)) {
        match self {
            StmtKind::Assign { dst, .. } => f(*dst),
            StmtKind::Op(op) => op.dst.iter().for_each(|d| f(*d)),
            StmtKind::Call(call) => call.dsts.iter().for_each(|d| f(*d)),
            _ => {}
        }
    }

    /// Calls `f` for each expression of this statement itself; nested blocks do not count.
    pub fn for_each_expr(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            StmtKind::Assign { value, .. } => f(value),
            StmtKind::Op(Op { args, .. }) | StmtKind::Call(Call { args, .. }) => {
                args.iter().flat_map(Arg::exprs).for_each(f);
            }
            StmtKind::Check { ty, .. } => {
                ty.shaped().into_iter().flat_map(|s| s.shape.iter().flatten()).for_each(f);
            }
            StmtKind::For { start, end, step, .. } => [start, end, step].into_iter().for_each(f),
            StmtKind::While { cond, .. } | StmtKind::If { cond, .. } => f(cond),
            StmtKind::Return(values) => values.iter().for_each(f),
        }
    }

    /// The nested blocks.
    pub fn blocks(&self) -> [&[Stmt]; 2] {
        match self {
            StmtKind::For { body, .. } => [body, &[]],
            StmtKind::While { pre, body, .. } => [pre, body],
            StmtKind::If { then, els, .. } => [then, els],
            _ => [&[], &[]],
        }
    }
}

/// Calls `f` for each statement of a block and of the blocks nested in it, in the order of the text.
pub fn visit<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        for nested in stmt.kind.blocks() {
            visit(nested, f);
        }
    }
}
