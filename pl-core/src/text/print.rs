//! IR to text.

use super::{VERSION, lex};
use crate::fault::LintKind;
use crate::ir::*;
use crate::op::{EnumKind, ParamKind};
use core::fmt::{self, Write};

/// The function as text, with its locations when `embedded`.
pub(super) fn function(function: &Function, embedded: bool) -> String {
    let mut printer = Printer { function, embedded, out: String::new(), indent: 0, seen: vec![], words: Words::Header };
    printer.function();
    let body = printer.out;
    let mut tables = format!("pl {VERSION}\n");
    let as_they_appear = printer.seen.iter().enumerate().all(|(i, id)| id.0 as usize == i);
    if !as_they_appear || printer.seen.len() != function.locals.len() {
        let names: Vec<String> = function.locals.iter().map(|l| quoted(&l.name)).collect();
        tables += &format!("locals {}\n", names.join(", "));
    }
    if embedded && !function.places.is_empty() {
        tables += "places";
        for place in &function.places {
            tables += &format!(" {}:{}", place.line, place.column);
        }
        tables += "\n";
    }
    tables + &body
}

/// An expression of the function, as a message shows it.
pub(super) fn expr(function: &Function, expr: &Expr) -> String {
    fragment(function, |printer| printer.expr(expr, 0))
}

/// A type of the function, as a message shows it.
pub(super) fn ty(function: &Function, ty: &Type) -> String {
    fragment(function, |printer| printer.ty(ty))
}

fn fragment(function: &Function, write: impl FnOnce(&mut Printer<'_>)) -> String {
    let mut printer =
        Printer { function, embedded: false, out: String::new(), indent: 0, seen: vec![], words: Words::Message };
    write(&mut printer);
    printer.out
}

/// How tightly `as` binds.
pub(super) const CAST: u8 = 6;
/// How tightly `-` and `!` bind.
pub(super) const UNARY: u8 = 7;

/// How tightly an operator binds; `None` for those that are written as functions.
pub(super) fn binding_of(op: BinOp) -> Option<u8> {
    match op {
        BinOp::Or => Some(1),
        BinOp::And => Some(2),
        op if op.is_comparison() => Some(3),
        BinOp::Add | BinOp::Sub => Some(4),
        BinOp::Mul | BinOp::Div | BinOp::Rem => Some(5),
        _ => None,
    }
}

/// Whether a bare word is read as a name, where nothing of that spelling is declared: it is a path, or in capitals.
pub(super) fn looks_like_name(word: &str) -> bool {
    word.contains("::") || (word.contains(char::is_uppercase) && !word.contains(char::is_lowercase))
}

/// Whether `word` has a meaning of its own and is a name only in back quotes.
pub(super) fn is_reserved(word: &str) -> bool {
    const RESERVED: &[&str] = &[
        "_", "as", "const", "else", "enum", "false", "for", "if", "in", "return", "true", "while", "pl::inf",
        "pl::lit", "pl::max", "pl::min", "pl::nan",
    ];
    RESERVED.contains(&word)
}

fn is_plain(name: &str) -> bool {
    lex::is_word(name) && !is_reserved(name)
}

fn quoted(name: &str) -> String {
    if is_plain(name) { name.into() } else { format!("`{name}`") }
}

struct Printer<'f> {
    function: &'f Function,
    embedded: bool,
    out: String,
    indent: usize,
    /// The locals in the order in which they were written first.
    seen: Vec<LocalId>,
    words: Words,
}

/// What a bare word is read as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// A name: in the types of parameters and results.
    Header,
    /// A local, unless it looks like a name or is declared as one.
    Body,
    /// Whatever the user knows it as: nothing reads a message back.
    Message,
}

/// Appends formatted text. Writing to a string cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{
        let _ = write!($printer.out, $($arg)*);
    }};
}

impl Printer<'_> {
    fn function(&mut self) {
        let f = self.function;
        put!(self, "{} fn {}", f.kind.name(), quoted(&f.name));
        self.at(f.loc);
        self.generics();
        self.out.push('(');
        self.list(&f.params, |p, param| {
            p.local(param.local);
            p.at(f.locals.get(param.local.0 as usize).map_or(Loc::NONE, |l| l.loc));
            p.out.push_str(": ");
            if param.ty.is_memory() || param.mode != Mode::In {
                put!(p, "{} ", param.mode.name());
            }
            p.ty(&param.ty);
        });
        self.out.push(')');
        let with_loc = |p: &mut Self, (ty, loc): &(Type, Loc)| {
            p.ty(ty);
            p.at(*loc);
        };
        match f.returns.as_slice() {
            [] => {}
            [one] => {
                self.out.push_str(" -> ");
                with_loc(self, one);
            }
            several => {
                self.out.push_str(" -> (");
                self.list(several, with_loc);
                self.out.push(')');
            }
        }
        if !f.dynamic.is_empty() {
            self.out.push_str(" dynamic(");
            self.list(&f.dynamic, |p, (name, loc)| {
                p.out.push_str(&quoted(name));
                p.at(*loc);
            });
            self.out.push(')');
        }
        if !f.allow.is_empty() {
            let words: Vec<&str> = f.allow.iter().map(LintKind::word).collect();
            put!(self, " allow({})", words.join(", "));
        }
        if !f.callees.is_empty() {
            self.out.push_str(" calls(");
            self.list(&f.callees, |p, name| p.out.push_str(&quoted(name)));
            self.out.push(')');
        }
        self.out.push(' ');
        self.words = Words::Body;
        self.block(&f.body);
        self.out.push('\n');
    }

    fn generics(&mut self) {
        let f = self.function;
        if f.types.is_empty() && f.consts.is_empty() {
            return;
        }
        self.out.push('<');
        self.list(&f.types, |p, ty| {
            p.out.push_str(&quoted(&ty.name));
            if let Some(value) = ty.value {
                put!(p, ": {value}");
            }
        });
        if !f.types.is_empty() && !f.consts.is_empty() {
            self.out.push_str(", ");
        }
        self.list(&f.consts, |p, constant| {
            let generic = if constant.generic { "generic " } else { "" };
            put!(p, "{generic}const {}", quoted(&constant.name));
            match &constant.value {
                None => {}
                Some(ConstValue::Scalar(value, ty)) => put!(p, ": {} = {}", Scalar(ty), Plain(*value)),
                Some(ConstValue::Enum(kind, value)) => put!(p, ": {} = {}", kind.name(), Variant(*kind, *value)),
            }
        });
        self.out.push('>');
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        for (i, it) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            item(self, it);
        }
    }

    fn at(&mut self, loc: Loc) {
        if self.embedded && loc != Loc::NONE {
            put!(self, "@{}", loc.0);
        }
    }

    fn see(&mut self, id: LocalId) {
        if !self.seen.contains(&id) {
            self.seen.push(id);
        }
    }

    /// A local where only locals may stand.
    fn local(&mut self, id: LocalId) {
        self.see(id);
        let name = self.function.local_name(id);
        match self.words {
            Words::Message => self.out.push_str(name),
            _ => self.out.push_str(&quoted(name)),
        }
    }

    fn ty(&mut self, ty: &Type) {
        let (what, shaped) = match ty {
            Type::Scalar(ty) => return put!(self, "{}", Scalar(ty)),
            Type::Context => return self.out.push_str("context"),
            Type::Buffer => return self.out.push_str("buffer"),
            Type::Unknown => return self.out.push('?'),
            Type::Tile(shaped) => ("tile", shaped),
            Type::Tensor(shaped) => ("tensor", shaped),
            Type::Window(shaped) => ("window", shaped),
        };
        put!(self, "{what}<{}, [", Element(&shaped.elem));
        self.list(&shaped.shape, |p, extent| match extent {
            Some(extent) => p.expr(extent, 0),
            None => p.out.push('?'),
        });
        self.out.push_str("]>");
    }

    fn line(&mut self) {
        self.out.push('\n');
        if !self.embedded {
            self.out.extend(std::iter::repeat_n("  ", self.indent));
        }
    }

    fn block(&mut self, block: &Block) {
        self.out.push('{');
        self.indent += 1;
        for stmt in block {
            self.line();
            self.stmt(stmt);
        }
        self.indent -= 1;
        self.line();
        self.out.push('}');
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if self.embedded && stmt.loc != Loc::NONE {
            self.at(stmt.loc);
            self.out.push(' ');
        }
        match &stmt.kind {
            StmtKind::Assign { dst, value } => {
                self.local(*dst);
                self.out.push_str(" = ");
                self.expr(value, 0);
            }
            StmtKind::Op(op) => self.op(op),
            StmtKind::Call(call) => self.call(call),
            StmtKind::Check { local, ty } => {
                self.out.push_str("check ");
                self.local(*local);
                self.out.push_str(": ");
                self.ty(ty);
            }
            StmtKind::For { var, start, end, step, body } => {
                self.out.push_str("for ");
                self.local(*var);
                self.out.push_str(" in ");
                self.expr(start, 0);
                self.out.push_str("..");
                self.expr(end, 0);
                if *step != Expr::int(1) {
                    self.out.push_str(" step ");
                    self.expr(step, 0);
                }
                self.out.push(' ');
                self.block(body);
            }
            StmtKind::While { pre, cond, body } => {
                self.out.push_str("while ");
                if !pre.is_empty() {
                    self.block(pre);
                    self.out.push(' ');
                }
                self.expr(cond, 0);
                self.out.push(' ');
                self.block(body);
            }
            StmtKind::If { cond, then, els } => {
                self.out.push_str("if ");
                self.expr(cond, 0);
                self.out.push(' ');
                self.block(then);
                match els.as_slice() {
                    [] => {}
                    [only] if matches!(only.kind, StmtKind::If { .. }) => {
                        self.out.push_str(" else ");
                        self.stmt(only);
                    }
                    _ => {
                        self.out.push_str(" else ");
                        self.block(els);
                    }
                }
            }
            StmtKind::Return(values) => {
                self.out.push_str("return");
                for (i, value) in values.iter().enumerate() {
                    self.out.push_str(if i == 0 { " " } else { ", " });
                    self.expr(value, 0);
                }
            }
        }
    }

    fn op(&mut self, op: &Op) {
        if let Some(dst) = op.dst {
            self.local(dst);
            self.out.push_str(" = ");
        }
        let info = op.code.info();
        self.out.push_str(info.path);
        if let Some(elem) = &op.elem {
            put!(self, "::<{}>", Element(elem));
        }
        self.out.push('(');
        let mut params = info.params.iter();
        self.list(&op.args, |p, arg| match params.next() {
            Some(param) => match param.kind {
                ParamKind::Enum(kind) if arg.kind != ArgKind::Absent => {
                    put!(p, "{} = ", param.name);
                    p.enum_arg(arg, kind);
                }
                _ => p.arg(arg),
            },
            None => p.arg(arg),
        });
        self.out.push(')');
    }

    fn call(&mut self, call: &Call) {
        self.list(&call.dsts, |p, dst| p.local(*dst));
        if !call.dsts.is_empty() {
            self.out.push_str(" = ");
        }
        let callees = &self.function.callees;
        let name = callees.get(call.callee as usize).map_or("?", |n| n);
        put!(self, "call {}", quoted(name));
        if callees.iter().position(|n| &**n == name) != Some(call.callee as usize) {
            put!(self, "#{}", call.callee);
        }
        self.out.push('(');
        self.list(&call.args, |p, arg| p.arg(arg));
        if let Some(device) = &call.device {
            self.out.push_str(if call.args.is_empty() { "device = " } else { ", device = " });
            self.expr(device, 0);
        }
        self.out.push(')');
    }

    fn arg(&mut self, arg: &Arg) {
        match &arg.kind {
            ArgKind::Absent => self.out.push('_'),
            ArgKind::Value(value) => self.expr(value, 0),
            ArgKind::List(list) => {
                self.out.push('[');
                self.list(list, |p, e| p.expr(e, 0));
                self.out.push(']');
            }
            ArgKind::Enum(kind, value) => {
                put!(self, "enum {} ", kind.name());
                self.enum_value(*kind, value);
            }
        }
    }

    /// An argument where an enum of `expected` is due.
    fn enum_arg(&mut self, arg: &Arg, expected: EnumKind) {
        match &arg.kind {
            ArgKind::Enum(kind, value) if *kind == expected => self.enum_value(*kind, value),
            ArgKind::Value(value) => {
                self.out.push('(');
                self.expr(value, 0);
                self.out.push(')');
            }
            _ => self.arg(arg),
        }
    }

    fn enum_value(&mut self, kind: EnumKind, value: &EnumValue) {
        match value {
            EnumValue::Known(value) => put!(self, "{}", Variant(kind, *value)),
            EnumValue::Const(name) => put!(self, "const {}", quoted(name)),
        }
    }

    /// Writes `expr`, in parentheses when it binds less tightly than `min`.
    fn expr(&mut self, expr: &Expr, min: u8) {
        match &expr.kind {
            ExprKind::Lit { value, ty: None } => put!(self, "{}", Plain(*value)),
            ExprKind::Lit { value, ty: Some(ty) } => put!(self, "{}", Typed(*value, ty)),
            ExprKind::Local(id) => self.local_in_expr(*id),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Extent(id, axis) => {
                self.out.push_str("extent(");
                self.local(*id);
                put!(self, ", {axis})");
            }
            ExprKind::Unary(op, a) => {
                self.open(UNARY, min);
                match op {
                    UnOp::Not => self.out.push('!'),
                    UnOp::Neg => {
                        self.out.push('-');
                        self.at(expr.loc);
                    }
                }
                // `-5` is a literal, `-(5)` is a negated one.
                let apart = *op == UnOp::Neg && matches!(a.kind, ExprKind::Lit { .. });
                self.out.push_str(if apart { "(" } else { "" });
                self.expr(a, UNARY);
                self.out.push_str(if apart { ")" } else { "" });
                self.close(UNARY, min);
            }
            ExprKind::Cast(ty, a) => {
                self.open(CAST, min);
                self.expr(a, CAST);
                put!(self, " as {}", Scalar(ty));
                self.close(CAST, min);
            }
            ExprKind::Binary(op, a, b) => match binding_of(*op) {
                None => {
                    put!(self, "pl::{}(", op.symbol());
                    self.expr(a, 0);
                    self.out.push_str(", ");
                    self.expr(b, 0);
                    self.out.push(')');
                }
                Some(binding) => {
                    self.open(binding, min);
                    self.expr(a, binding + u8::from(op.is_comparison()));
                    put!(self, " {}", op.symbol());
                    if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem) {
                        self.at(expr.loc);
                    }
                    self.out.push(' ');
                    self.expr(b, binding + 1);
                    self.close(binding, min);
                }
            },
        }
    }

    fn open(&mut self, binding: u8, min: u8) {
        if binding < min {
            self.out.push('(');
        }
    }

    fn close(&mut self, binding: u8, min: u8) {
        if binding < min {
            self.out.push(')');
        }
    }

    /// Whether the bare word is read as a name.
    fn reads_as_name(&self, word: &str) -> bool {
        self.words == Words::Header
            || looks_like_name(word)
            || self.function.is_dynamic(word)
            || self.function.constant(word).is_some()
    }

    fn local_in_expr(&mut self, id: LocalId) {
        let name = self.function.local_name(id);
        if self.words != Words::Message && (!is_plain(name) || self.reads_as_name(name)) {
            self.out.push('%');
        }
        self.local(id);
    }

    fn name(&mut self, name: &str) {
        let bare = self.words == Words::Message || (is_plain(name) && self.reads_as_name(name));
        match bare {
            true => self.out.push_str(name),
            false => put!(self, "`{name}`"),
        }
    }
}

/// An element type.
struct Element<'a>(&'a Elem);

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Elem::Known(dtype) => f.write_str(dtype.name()),
            Elem::Param(name) => f.write_str(&quoted(name)),
        }
    }
}

/// A scalar type.
struct Scalar<'a>(&'a ScalarType);

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ScalarType::Elem(elem) => Element(elem).fmt(f),
            ScalarType::Index => f.write_str("usize"),
            ScalarType::Bool => f.write_str("bool"),
        }
    }
}

/// A literal without a type.
struct Plain(Lit);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Lit::Int(value) => write!(f, "{value}"),
            Lit::Bool(value) => write!(f, "{value}"),
            Lit::Float(value) if value.is_finite() => write!(f, "{value:?}"),
            Lit::Float(value) => {
                let sign = if value.is_sign_negative() { "-" } else { "" };
                write!(f, "{sign}pl::{}", if value.is_nan() { "nan" } else { "inf" })
            }
        }
    }
}

/// A literal of a type: with a suffix, where it can have one.
struct Typed<'a>(Lit, &'a ScalarType);

impl fmt::Display for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_suffix = match self.0 {
            Lit::Int(_) => true,
            Lit::Float(value) => value.is_finite(),
            Lit::Bool(_) => false,
        };
        match self.1 {
            ScalarType::Index | ScalarType::Elem(Elem::Known(_)) if has_suffix => {
                write!(f, "{}{}", Plain(self.0), Scalar(self.1))
            }
            ty => write!(f, "pl::lit::<{}>({})", Scalar(ty), Plain(self.0)),
        }
    }
}

/// A value of an enum: its name, or a number that has none.
struct Variant(EnumKind, i32);

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = usize::try_from(self.1).ok().and_then(|i| self.0.variants().get(i));
        match name {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.1),
        }
    }
}
