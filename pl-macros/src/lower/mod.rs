//! From the body to IR. The same walk turns the body into its copy for rustc: named arguments become positional, shapes are erased, bare literals
//! beside tiles take the tile's type.
//!
//! Lowering tracks of each value only its [`Kind`], enough to tell `a + b` on tiles (the op `pl::add`) from `a + b` on scalars. Types are the
//! verifier's.

mod call;
mod control;
mod enums;
mod expr;
mod reject;
mod stmt;

use crate::context::Context;
use crate::parse::Signature;
use crate::places::Range;
use pl_core::ir::{self, Block, Expr, ExprKind, Lit, Loc, LocalId, ScalarType, Stmt, StmtKind, Type};
use pl_core::op::{EnumKind, Only, OpCode, ResultKind};
use proc_macro2::{Ident, TokenStream};
use std::collections::HashMap;

/// What the body became, beside the IR in [`Context::function`].
#[derive(Debug)]
pub struct Lowered {
    /// The copy, as tokens of a block.
    pub copy: TokenStream,
    /// What [`ir::Function::callees`] are, by index.
    pub callees: Vec<Callee>,
    /// The calls of other functions.
    pub calls: Vec<CallSite>,
    /// Enum arguments whose value only rustc knows.
    pub enums: Vec<EnumCheck>,
}

/// A function that the body calls, with generic arguments.
#[derive(Debug)]
pub struct Callee {
    /// Its path, without generic arguments.
    pub path: syn::Path,
    /// The generic arguments, with their leading `::`.
    pub generics: TokenStream,
    /// Path and generic arguments as text, to find it again.
    key: String,
}

/// A call of another function.
#[derive(Debug)]
pub struct CallSite {
    pub callee: usize,
    pub range: Range,
    /// The local that each argument names, where it names one, and where it stands.
    pub args: Vec<(Option<LocalId>, Range)>,
}

/// An enum argument to be checked by rustc.
#[derive(Debug)]
pub struct EnumCheck {
    pub kind: EnumKind,
    /// The one value that the op takes, where it does not take all.
    pub only: Option<Only>,
    pub value: TokenStream,
    pub generic: bool,
    pub range: Range,
}

/// What a value is, as far as operators need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tile,
    Scalar,
    Memory,
    Context,
    /// A window buffer.
    Buffer,
    /// The result of a call, not annotated.
    Unknown,
    /// Reported already: silent.
    Poison,
}

impl Kind {
    fn of(ty: &Type) -> Kind {
        match ty {
            Type::Tile(_) => Kind::Tile,
            Type::Scalar(_) => Kind::Scalar,
            Type::Tensor(_) | Type::Window(_) => Kind::Memory,
            Type::Context => Kind::Context,
            Type::Buffer => Kind::Buffer,
            Type::Unknown => Kind::Poison,
        }
    }

    fn of_result(result: ResultKind) -> Option<Kind> {
        match result {
            ResultKind::None => None,
            ResultKind::Memory(_) | ResultKind::View(..) | ResultKind::Part(_) | ResultKind::Window(_) => {
                Some(Kind::Memory)
            }
            ResultKind::Box(..) | ResultKind::Like(_) | ResultKind::CastOf(_) | ResultKind::Filled(_) => {
                Some(Kind::Tile)
            }
            ResultKind::Element(_) | ResultKind::Rank | ResultKind::Nranks | ResultKind::Index => Some(Kind::Scalar),
            ResultKind::Context => Some(Kind::Context),
            ResultKind::Buffer => Some(Kind::Buffer),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Kind::Tile => "a tile",
            Kind::Scalar => "a scalar",
            Kind::Memory => "a tensor or window",
            Kind::Context => "a communication context",
            Kind::Buffer => "a window buffer",
            Kind::Unknown | Kind::Poison => "a value of unknown type",
        }
    }
}

/// A value: a scalar expression, or a local that names something else.
#[derive(Clone, Debug)]
pub(super) struct Value {
    kind: Kind,
    expr: Expr,
    /// Whether it is made of literals without a type: its use gives it one.
    bare: bool,
}

impl Value {
    fn new(kind: Kind, expr: Expr) -> Value {
        Value { kind, expr, bare: false }
    }
}

/// What the right side of an assignment is.
pub(super) enum Rhs {
    Value(Value),
    Op(ir::Op, Loc),
    Call { call: ir::Call, loc: Loc },
}

/// Where a value goes.
pub(super) enum Target {
    /// Nowhere.
    Discard,
    /// Into a new local, that is declared when its value is there.
    New { name: String, loc: Loc, id: Option<LocalId>, ty: Option<ScalarType> },
    /// Into a local that there is.
    Existing(LocalId),
}

impl Target {
    fn new(name: impl Into<String>, loc: Loc) -> Target {
        Target::New { name: name.into(), loc, id: None, ty: None }
    }
}

/// A variable in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Var {
    local: LocalId,
    kind: Kind,
}

/// The walk over the body.
pub(super) struct Lower<'a> {
    cx: &'a mut Context,
    signature: &'a Signature,
    scopes: Vec<HashMap<String, Var>>,
    /// The statements of the block that is being made.
    block: Block,
    /// The tensors and windows that the statements of this block rebind.
    rebound: Vec<Ident>,
    /// The device of the call that was lowered last, for its copy.
    device: Option<syn::Expr>,
    lowered: Lowered,
}

/// Lowers the body into the function's, and turns it into its copy.
pub fn body(cx: &mut Context, signature: &Signature, body: &mut syn::Block) -> Lowered {
    let lowered = Lowered { copy: TokenStream::new(), callees: vec![], calls: vec![], enums: vec![] };
    reject::attributes(cx, body);
    let params = signature.params.iter().zip(&cx.function.params).map(|(param, ir)| {
        let var = Var { local: ir.local, kind: Kind::of(&ir.ty) };
        (param.ident.to_string(), var)
    });
    let scopes = vec![params.collect()];
    let mut lower = Lower { cx, signature, scopes, block: vec![], rebound: vec![], device: None, lowered };
    lower.function_body(body);
    let Lower { block, mut lowered, .. } = lower;
    cx.function.body = block;
    lowered.copy = quote::quote!(#body);
    lowered
}

impl Lower<'_> {
    fn error(&mut self, range: Range, message: impl AsRef<str>, help: impl AsRef<str>) {
        self.cx.error(range, message, help);
        self.cx.incomplete = true;
    }

    /// Reports an error; the value that was to be is poisoned.
    fn poison(&mut self, range: Range, message: impl AsRef<str>, help: impl AsRef<str>) -> Value {
        self.error(range, message, help);
        self.poisoned()
    }

    /// A value that was reported already.
    fn poisoned(&mut self) -> Value {
        let value = self.cx.poison();
        let dst = self.temporary("poison", Loc::NONE);
        self.push(StmtKind::Assign { dst, value }, Loc::NONE);
        Value::new(Kind::Poison, Expr::local(dst))
    }

    /// The value of a dispatch, which has none.
    fn no_result(&mut self, range: Range) -> Value {
        let help = "write it as a statement of its own: its `Out` and `InOut` arguments hold what it writes";
        self.poison(range, "a call that is dispatched to a device gives no value", help)
    }

    fn loc(&mut self, range: Range) -> Loc {
        self.cx.loc(range)
    }

    fn push(&mut self, kind: StmtKind, loc: Loc) {
        self.block.push(Stmt { kind, loc });
    }

    /// A local that no user named.
    fn temporary(&mut self, stem: &str, loc: Loc) -> LocalId {
        self.add_local(&format!("{stem}.0"), loc)
    }

    /// A local; errors show it as the user knows it.
    fn add_local(&mut self, name: &str, loc: Loc) -> LocalId {
        let id = self.cx.function.add_local(name, loc);
        let given = self.cx.function.locals[id.0 as usize].name.clone();
        if given.contains('.') {
            let shown = match name.strip_suffix(".0") {
                Some(temporary) => format!("{temporary}(…)"),
                None => name.to_owned(),
            };
            self.cx.shown.push((given, shown));
        }
        id
    }

    /// The local that a target is; `None` for [`Target::Discard`].
    fn local_of(&mut self, target: &mut Target) -> Option<LocalId> {
        match target {
            Target::Discard => None,
            Target::Existing(id) => Some(*id),
            Target::New { name, loc, id, .. } => {
                if id.is_none() {
                    let (name, loc) = (name.clone(), *loc);
                    *id = Some(self.add_local(&name, loc));
                }
                *id
            }
        }
    }

    fn find(&self, name: &str) -> Option<Var> {
        self.scopes.iter().rev().find_map(|s| s.get(name)).copied()
    }

    /// Whether a name is that of a variable whose value was reported.
    fn is_poisoned(&self, name: &Ident) -> bool {
        self.find(&name.to_string()).is_some_and(|var| var.kind == Kind::Poison)
    }

    fn find_mut(&mut self, name: &str) -> Option<&mut Var> {
        self.scopes.iter_mut().rev().find_map(|s| s.get_mut(name))
    }

    fn declare(&mut self, name: String, var: Var) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, var);
        }
    }

    /// Runs `f` with an empty block, in a scope of its own; gives the statements it made and its result.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (Block, T) {
        let outer = std::mem::take(&mut self.block);
        let rebound = std::mem::take(&mut self.rebound);
        self.scopes.push(HashMap::new());
        let result = f(self);
        self.scopes.pop();
        self.rebound = rebound;
        (std::mem::replace(&mut self.block, outer), result)
    }

    /// Statements from `mark` on run before values that stand to their left in the source are used: values whose locals they
    /// assign are saved first.
    fn protect<'v>(&mut self, mark: usize, earlier: impl IntoIterator<Item = &'v mut Value>) {
        let mut assigned = vec![];
        ir::visit(&self.block[mark..], &mut |stmt| stmt.kind.for_each_dst(&mut |dst| assigned.push(dst)));
        if assigned.is_empty() {
            return;
        }
        for value in earlier {
            let mut changes = false;
            value.expr.walk(&mut |e| changes |= e.as_local().is_some_and(|id| assigned.contains(&id)));
            if changes && matches!(value.kind, Kind::Tile | Kind::Scalar | Kind::Unknown) {
                let loc = value.expr.loc;
                let dst = self.temporary("before", loc);
                let saved = std::mem::replace(&mut value.expr, Expr::local(dst).at(loc));
                self.block.insert(mark, Stmt { kind: StmtKind::Assign { dst, value: saved }, loc });
            }
        }
    }

    /// Emits the right side of an assignment into `target`; gives the kind of what was assigned.
    fn emit(&mut self, rhs: Rhs, target: &mut Target, range: Range) -> Kind {
        match rhs {
            Rhs::Value(value) => {
                let kind = value.kind;
                let loc = self.loc(range);
                let value = match &target {
                    Target::New { ty: Some(ty), .. } if value.bare => typed(value.expr, ty),
                    _ => value.expr,
                };
                if let Some(dst) = self.local_of(target) {
                    self.push(StmtKind::Assign { dst, value }, loc);
                }
                kind
            }
            Rhs::Op(mut op, loc) => {
                let Some(kind) = Kind::of_result(op.code.info().result) else {
                    let path = op.code.path();
                    self.push(StmtKind::Op(op), loc);
                    if !matches!(target, Target::Discard) {
                        let value = self.poison(
                            self.cx.places.range(loc).unwrap_or(range),
                            format!("`{path}` gives no value"),
                            "write it as a statement of its own",
                        );
                        return self.emit(Rhs::Value(value), target, range);
                    }
                    return Kind::Poison;
                };
                op.dst = self.local_of(target);
                self.push(StmtKind::Op(op), loc);
                kind
            }
            Rhs::Call { mut call, loc } => {
                if call.device.is_some() && !matches!(target, Target::Discard) {
                    let value = self.no_result(self.cx.places.range(loc).unwrap_or(range));
                    return self.emit(Rhs::Value(value), target, range);
                }
                call.dsts = self.local_of(target).into_iter().collect();
                self.push(StmtKind::Call(call), loc);
                Kind::Unknown
            }
        }
    }
}

/// The name of temporaries for an op's result.
fn stem(code: OpCode) -> &'static str {
    code.path().rsplit("::").next().unwrap_or("op")
}

/// A bare literal expression with its type filled in.
fn typed(expr: Expr, ty: &ScalarType) -> Expr {
    expr.map(&mut |mut e| {
        if let ExprKind::Lit { value: Lit::Int(_) | Lit::Float(_), ty: slot @ None } = &mut e.kind {
            *slot = Some(ty.clone());
        }
        e
    })
}
