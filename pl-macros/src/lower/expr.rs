//! Expressions.

use super::stmt::{strip, value_arg};
use super::{Kind, Lower, Rhs, Target, Value, reject, stem};
use crate::context::{path_text, text_of};
use crate::places::{Range, edges};
use crate::{names, parse};
use pl_core::dtype::DType;
use pl_core::ir::{Arg, ArgKind, BinOp, Elem, Expr, ExprKind, FunctionKind, Lit, Loc, Op, ScalarType, StmtKind, UnOp};
use pl_core::op::{EnumKind, OpCode};
use proc_macro2::{Delimiter, Group};
use quote::{quote, quote_spanned};

impl Lower<'_> {
    /// Lowers an expression into a target.
    pub(super) fn assign(&mut self, expr: &mut syn::Expr, target: &mut Target) -> Kind {
        let range = edges(expr);
        self.assign_at(expr, target, range)
    }

    /// The same; `range` is what the statement is.
    pub(super) fn assign_at(&mut self, expr: &mut syn::Expr, target: &mut Target, range: Range) -> Kind {
        match strip(expr) {
            syn::Expr::If(e) => self.if_into(e, Some(target)),
            syn::Expr::Block(e) if e.label.is_none() => {
                let (stmts, kind) = self.block_into(&mut e.block, Some(target));
                self.block.extend(stmts);
                kind
            }
            other => {
                let rhs = self.rhs(other);
                self.emit(rhs, target, range)
            }
        }
    }

    /// Lowers an expression to a value: what is no scalar expression goes into a local of its own.
    pub(super) fn value(&mut self, expr: &mut syn::Expr) -> Value {
        let range = edges(expr);
        match strip(expr) {
            expr @ (syn::Expr::If(_) | syn::Expr::Block(syn::ExprBlock { label: None, .. })) => {
                let loc = self.loc(range);
                let mut target = Target::new("value.0", loc);
                let kind = self.assign(expr, &mut target);
                match self.local_of(&mut target) {
                    Some(id) => Value::new(kind, Expr::local(id).at(loc)),
                    None => self.poisoned(),
                }
            }
            expr => {
                let rhs = self.rhs(expr);
                self.value_of(rhs, range)
            }
        }
    }

    /// The value of a right side: the result of an op or a call goes into a local of its own.
    pub(super) fn value_of(&mut self, rhs: Rhs, range: Range) -> Value {
        let name = match &rhs {
            Rhs::Value(value) => return value.clone(),
            Rhs::Op(op, _) => stem(op.code).to_owned(),
            Rhs::Call { call, .. } => {
                let path = &self.lowered.callees[call.callee as usize].path;
                path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default()
            }
        };
        let loc = self.loc(range);
        let mut target = Target::new(format!("{name}.0"), loc);
        let kind = self.emit(rhs, &mut target, range);
        match self.local_of(&mut target) {
            Some(id) => Value::new(kind, Expr::local(id).at(loc)),
            None => self.poisoned(),
        }
    }

    /// Lowers an expression that is neither `if` nor a block.
    pub(super) fn rhs(&mut self, expr: &mut syn::Expr) -> Rhs {
        let range = edges(expr);
        Rhs::Value(match expr {
            syn::Expr::Group(e) => return self.rhs(&mut e.expr),
            syn::Expr::Paren(e) => return self.rhs(&mut e.expr),
            syn::Expr::If(_) | syn::Expr::Block(syn::ExprBlock { label: None, .. }) => self.value(expr),
            syn::Expr::Lit(e) => self.literal(&e.lit, false, range),
            syn::Expr::Path(e) => self.path(e, range),
            syn::Expr::Unary(_) => return self.unary(expr),
            syn::Expr::Binary(_) => return self.binary(expr),
            syn::Expr::Cast(_) => self.cast(expr, range),
            syn::Expr::Call(e) => {
                let rhs = self.call(e, range);
                if let Some(device) = self.device.take() {
                    *expr = syn::Expr::Verbatim(quote!({ let _: usize = #device; #expr }));
                }
                return rhs;
            }
            syn::Expr::Index(_) if self.signature.kind == FunctionKind::Host => self.part(expr, range),
            other if reject::subject(other).is_some_and(|name| self.is_poisoned(name)) => self.poisoned(),
            other => {
                let (range, message, help) = reject::expression(other);
                self.poison(range, message, help)
            }
        })
    }

    /// `x[r]` in a Host function: a part of a tensor.
    fn part(&mut self, expr: &mut syn::Expr, range: Range) -> Value {
        let text = text_of(expr);
        let syn::Expr::Index(e) = expr else { return self.poisoned() };
        let (src_range, index_range) = (edges(&e.expr), edges(&e.index));
        let mut src = self.value(&mut e.expr);
        if let syn::Expr::Array(_) | syn::Expr::Tuple(_) | syn::Expr::Range(_) = strip(&mut e.index) {
            let help = "it takes one index of the outermost axis: `x[r]`";
            return self.poison(index_range, format!("`{}` is not an index", text_of(&*e.index)), help);
        }
        let mark = self.block.len();
        let index = self.value(&mut e.index);
        self.protect(mark, [&mut src]);
        match (src.kind, index.kind) {
            (Kind::Poison, _) | (_, Kind::Poison) => return self.poisoned(),
            (Kind::Memory | Kind::Unknown, Kind::Scalar | Kind::Unknown) => {}
            (Kind::Memory | Kind::Unknown, kind) => {
                return self.poison(
                    index_range,
                    format!("the index of `{text}` is {}", kind.describe()),
                    "it takes an index (`usize`)",
                );
            }
            (kind, _) => {
                let help = "a tensor with an axis of ranks has parts: `x[r]`";
                return self.poison(src_range, format!("`{}` is {}", text_of(&*e.expr), kind.describe()), help);
            }
        }
        let (loc, src_loc, index_loc) = (self.loc(range), self.loc(src_range), self.loc(index_range));
        let dst = self.temporary("part", loc);
        // It is shown as it is written.
        if let Some((_, shown)) = self.cx.shown.last_mut() {
            *shown = text;
        }
        let args = vec![value_arg(src, src_loc), value_arg(index, index_loc)];
        self.push(StmtKind::Op(Op { code: OpCode::Part, dst: Some(dst), args, elem: None }), loc);
        let (src, index) = (&e.expr, &e.index);
        let mut group = Group::new(Delimiter::Parenthesis, quote!(#src, #index));
        group.set_span(range.end);
        *expr = syn::Expr::Verbatim(quote_spanned!(range.start=> ::pl::part #group));
        Value::new(Kind::Memory, Expr::local(dst).at(loc))
    }

    /// A literal; `negative` with a minus sign before it.
    fn literal(&mut self, lit: &syn::Lit, negative: bool, range: Range) -> Value {
        let (value, suffix) = match lit {
            syn::Lit::Int(int) => match int.base10_parse::<i128>() {
                Ok(value) => (Lit::Int(if negative { -value } else { value }), int.suffix()),
                Err(_) => {
                    return self.poison(range, format!("the literal `{int}` is too large"), "no element type holds it");
                }
            },
            syn::Lit::Float(float) => match float.base10_parse::<f64>() {
                Ok(value) if value.is_finite() => (Lit::Float(if negative { -value } else { value }), float.suffix()),
                _ => {
                    return self.poison(
                        range,
                        format!("the literal `{float}` is too large"),
                        "write `f32::INFINITY` for infinity",
                    );
                }
            },
            syn::Lit::Bool(bool) => (Lit::Bool(bool.value), ""),
            other => {
                let what = match other {
                    syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::CStr(_) => "strings",
                    _ => "characters",
                };
                return self.poison(
                    range,
                    format!("a kernel has no {what}"),
                    "its values are numbers, `bool`s, tiles, tensors and windows",
                );
            }
        };
        let ty = match suffix {
            "" => None,
            "usize" => Some(ScalarType::Index),
            suffix => match pl_core::dtype::DType::from_name(suffix) {
                Some(dtype) => Some(ScalarType::Elem(Elem::Known(dtype))),
                None => {
                    let help = "the suffixes are those of the element types, and `usize`";
                    return self.poison(range, format!("a literal of type `{suffix}`"), help);
                }
            },
        };
        let bare = ty.is_none() && !matches!(value, Lit::Bool(_));
        let loc = self.loc(range);
        Value { kind: Kind::Scalar, expr: Expr::new(ExprKind::Lit { value, ty }).at(loc), bare }
    }

    /// A name: a variable, `T::ZERO`, or a constant of the user's crate.
    fn path(&mut self, e: &syn::ExprPath, range: Range) -> Value {
        let name = path_text(&e.path);
        let generic = e.path.segments.iter().find(|s| !s.arguments.is_none());
        if e.qself.is_some() || generic.is_some() {
            let help = "declare a `const` beside the kernel and name it";
            return self.poison(range, format!("a kernel has no path `{}`", text_of(e)), help);
        }
        if let Some(var) = self.find(&name) {
            let loc = self.loc(range);
            return Value::new(var.kind, Expr::local(var.local).at(loc));
        }
        let segments: Vec<String> = e.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let last = segments.last().map(String::as_str).unwrap_or_default();
        if last.starts_with(|c: char| c.is_lowercase() || c == '_') && !self.cx.function.is_dynamic(&name) {
            return match segments.as_slice() {
                [_] => {
                    let (message, help) = self.undefined(&name);
                    self.poison(range, message, help)
                }
                _ => {
                    let help = match names::op(&name) {
                        Some(op) => format!("call it: `{}`", op.info().example),
                        None => "constants are written in capitals: `consts::SIZE`".to_owned(),
                    };
                    self.poison(range, format!("`{name}` is not a value of a kernel"), help)
                }
            };
        }
        if let [ty, constant] = segments.as_slice()
            && let Some(ty) = self.element_named(ty)
        {
            let value = match constant.as_str() {
                "ZERO" => Some(0),
                "ONE" => Some(1),
                _ => None,
            };
            if let Some(value) = value {
                let loc = self.loc(range);
                let lit = ExprKind::Lit { value: Lit::Int(value), ty: Some(ScalarType::Elem(ty)) };
                return Value::new(Kind::Scalar, Expr::new(lit).at(loc));
            }
            if let Elem::Param(ty) = ty {
                let help = format!("write `{ty}::ZERO`, `{ty}::ONE`, or `pl::lit::<{ty}>(1.5)`");
                return self.poison(range, format!("`{ty}` has no constant `{constant}`"), help);
            }
        }
        if let [.., kind, _] = segments.as_slice()
            && EnumKind::from_name(kind).is_some()
        {
            return self.poison(
                range,
                format!("`{name}` outside of the arguments of an op"),
                "give it to the op that takes it: `op = …`",
            );
        }
        Value::new(Kind::Scalar, self.cx.constant(&e.path))
    }

    fn element_named(&self, name: &str) -> Option<Elem> {
        if self.cx.is_type_param(name) {
            return Some(Elem::Param(name.into()));
        }
        pl_core::dtype::DType::from_name(name).map(Elem::Known)
    }

    fn unary(&mut self, expr: &mut syn::Expr) -> Rhs {
        let range = edges(expr);
        let syn::Expr::Unary(e) = expr else { return Rhs::Value(self.poisoned()) };
        if let (syn::UnOp::Neg(_), syn::Expr::Lit(lit)) = (&e.op, strip(&mut e.expr))
            && matches!(lit.lit, syn::Lit::Int(_) | syn::Lit::Float(_))
        {
            let lit = lit.lit.clone();
            return Rhs::Value(self.literal(&lit, true, range));
        }
        let op = match e.op {
            syn::UnOp::Neg(_) => UnOp::Neg,
            syn::UnOp::Not(_) => UnOp::Not,
            _ => {
                let help = format!("write `{}`: a kernel has no references", text_of(&*e.expr));
                return Rhs::Value(self.poison(range, "a kernel has no `*` before a value", help));
            }
        };
        let value = self.value(&mut e.expr);
        let loc = self.loc(range);
        Rhs::Value(match (value.kind, op) {
            (Kind::Poison, _) => value,
            (Kind::Tile, UnOp::Neg) => {
                let arg_loc = value.expr.loc;
                let args = vec![Arg { kind: ArgKind::Value(value.expr), loc: arg_loc }];
                return Rhs::Op(Op { code: OpCode::Neg, dst: None, args, elem: None }, loc);
            }
            (Kind::Scalar, _) | (Kind::Unknown, UnOp::Not) => Value {
                kind: Kind::Scalar,
                expr: Expr::new(ExprKind::Unary(op, Box::new(value.expr))).at(loc),
                bare: value.bare,
            },
            (kind, _) => {
                let symbol = if op == UnOp::Neg { "-" } else { "!" };
                self.no_operator(symbol, kind, range)
            }
        })
    }

    /// An operator on something that has no operators.
    fn no_operator(&mut self, symbol: &str, kind: Kind, range: Range) -> Value {
        let help = match kind {
            Kind::Memory => "load a tile from it first: `pl::load(…)`",
            Kind::Unknown => {
                return self.poison(
                    range,
                    format!("`{symbol}` on the result of a call, whose type is not known here"),
                    "annotate it: `let t: pl::Tile<f32, { [1, SIZE] }> = …`, or `let n: usize = …`",
                );
            }
            Kind::Tile => {
                "tiles have `+`, `-`, `*`, `/`, and the ops `pl::maximum`, `pl::minimum`, `pl::neg`, `pl::cast`"
            }
            _ => "operators are for scalars and tiles",
        };
        self.poison(range, format!("`{symbol}` on {}", kind.describe()), help)
    }

    fn binary(&mut self, expr: &mut syn::Expr) -> Rhs {
        let range = edges(expr);
        let syn::Expr::Binary(e) = expr else { return Rhs::Value(self.poisoned()) };
        let symbol = text_of(&e.op);
        let op_range = Range::of(&e.op);
        let op = match e.op {
            syn::BinOp::Add(_) => BinOp::Add,
            syn::BinOp::Sub(_) => BinOp::Sub,
            syn::BinOp::Mul(_) => BinOp::Mul,
            syn::BinOp::Div(_) => BinOp::Div,
            syn::BinOp::Rem(_) => BinOp::Rem,
            syn::BinOp::Eq(_) => BinOp::Eq,
            syn::BinOp::Ne(_) => BinOp::Ne,
            syn::BinOp::Lt(_) => BinOp::Lt,
            syn::BinOp::Le(_) => BinOp::Le,
            syn::BinOp::Gt(_) => BinOp::Gt,
            syn::BinOp::Ge(_) => BinOp::Ge,
            syn::BinOp::And(_) => return Rhs::Value(self.logical(BinOp::And, e, range)),
            syn::BinOp::Or(_) => return Rhs::Value(self.logical(BinOp::Or, e, range)),
            _ => {
                let help = match symbol.strip_suffix('=').unwrap_or(&symbol) {
                    "&" => "write `&&` between `bool`s; numbers have no bit operators",
                    "|" => "write `||` between `bool`s; numbers have no bit operators",
                    "<<" => "multiply by a power of two",
                    ">>" => "divide by a power of two",
                    "^" => "write `!=` between `bool`s; numbers have no bit operators",
                    _ => "write an assignment as a statement of its own",
                };
                self.value(&mut e.left);
                self.value(&mut e.right);
                return Rhs::Value(self.poison(op_range, format!("a kernel has no operator `{symbol}`"), help));
            }
        };
        let mut left = self.value(&mut e.left);
        let mark = self.block.len();
        let right = self.value(&mut e.right);
        self.protect(mark, [&mut left]);
        let loc = self.loc(range);
        let (rhs, literal) = self.operate(op, op_range, left, right, loc, symbol);
        if literal {
            *e.right = self.literal_copy(edges(&e.right));
        }
        rhs.unwrap_or_else(|| Rhs::Value(self.poisoned()))
    }

    /// Applies an operator: on scalars an expression, on tiles an op. `None` after an error. The flag says that the right side is a bare
    /// literal beside a tile.
    pub(super) fn operate(
        &mut self,
        op: BinOp,
        op_range: Range,
        left: Value,
        right: Value,
        loc: Loc,
        symbol: String,
    ) -> (Option<Rhs>, bool) {
        use Kind::*;
        match (left.kind, right.kind) {
            (Poison, _) | (_, Poison) => return (None, false),
            (Tile, Tile | Scalar | Unknown) | (Unknown, Tile) => {}
            (Scalar, Scalar) => return (Some(Rhs::Value(scalar(op, left, right, loc))), false),
            // A tile has no comparison and no `%`.
            (Unknown | Scalar, Unknown | Scalar) if op.is_comparison() || op == BinOp::Rem => {
                return (Some(Rhs::Value(scalar(op, left, right, loc))), false);
            }
            (Scalar, Tile) if !op.is_comparison() && op != BinOp::Rem => {
                let help = match op {
                    BinOp::Add | BinOp::Mul => format!("write the tile first: `tile {symbol} scalar`"),
                    BinOp::Sub => "write `-tile + scalar`".into(),
                    _ => "make a tile of the scalar first: `pl::full::<f32>([1, SIZE], scalar)`".into(),
                };
                self.error(op_range, format!("`{symbol}` with a scalar on the left and a tile on the right"), help);
                return (None, false);
            }
            (Scalar, Tile) => {}
            (kind @ (Memory | Context | Buffer), _)
            | (_, kind @ (Memory | Context | Buffer))
            | (kind @ Unknown, _)
            | (_, kind @ Unknown) => {
                self.no_operator(&symbol, kind, op_range);
                return (None, false);
            }
        }
        let code = match op {
            BinOp::Add => OpCode::Add,
            BinOp::Sub => OpCode::Sub,
            BinOp::Mul => OpCode::Mul,
            BinOp::Div => OpCode::Div,
            _ if op.is_comparison() => {
                let help = "compare scalars: read one element with `pl::read`; `pl::maximum` and `pl::minimum` compare element by element";
                self.error(op_range, format!("tiles cannot be compared with `{symbol}`"), help);
                return (None, false);
            }
            _ => {
                self.no_operator(&symbol, Tile, op_range);
                return (None, false);
            }
        };
        let literal = right.bare;
        let args = [left, right].map(|v| {
            let loc = v.expr.loc;
            Arg { kind: ArgKind::Value(v.expr), loc }
        });
        (Some(Rhs::Op(Op { code, dst: None, args: args.into(), elem: None }, loc)), literal)
    }

    /// `&&` and `||`: where the right side needs statements, they run only when it counts.
    fn logical(&mut self, op: BinOp, e: &mut syn::ExprBinary, range: Range) -> Value {
        let left = self.value(&mut e.left);
        let (stmts, right) = self.nested(|lower| lower.value(&mut e.right));
        let loc = self.loc(range);
        for (value, at) in [(&left, edges(&e.left)), (&right, edges(&e.right))] {
            if matches!(value.kind, Kind::Tile | Kind::Memory | Kind::Context | Kind::Buffer) {
                let message = format!("`{}` on {}", op.symbol(), value.kind.describe());
                return self.poison(at, message, "both sides are `bool`s: compare scalars");
            }
        }
        if left.kind == Kind::Poison || right.kind == Kind::Poison {
            self.block.extend(stmts);
            return self.poisoned();
        }
        if stmts.is_empty() {
            return scalar(op, left, right, loc);
        }
        let dst = self.temporary(if op == BinOp::And { "and" } else { "or" }, loc);
        self.push(StmtKind::Assign { dst, value: left.expr }, loc);
        let mut then = stmts;
        then.push(pl_core::ir::Stmt { kind: StmtKind::Assign { dst, value: right.expr }, loc });
        let decided = Expr::local(dst).at(loc);
        let cond =
            if op == BinOp::And { decided } else { Expr::new(ExprKind::Unary(UnOp::Not, Box::new(decided))).at(loc) };
        self.push(StmtKind::If { cond, then, els: vec![] }, loc);
        Value::new(Kind::Scalar, Expr::local(dst).at(loc))
    }

    /// `a as f32`
    fn cast(&mut self, expr: &mut syn::Expr, range: Range) -> Value {
        let syn::Expr::Cast(e) = expr else { return self.poisoned() };
        let value = self.value(&mut e.expr);
        let ty = parse::scalar(self.cx, &e.ty);
        match (value.kind, ty) {
            (Kind::Poison, _) => value,
            (_, None) => self.poisoned(),
            (Kind::Tile, Some(_)) => {
                let help = format!("write `pl::cast::<{}>({})`", text_of(&*e.ty), text_of(&*e.expr));
                self.poison(range, "`as` on a tile", help)
            }
            (kind @ (Kind::Memory | Kind::Context | Kind::Buffer), _) => self.no_operator("as", kind, range),
            (_, Some(ty)) => {
                let loc = self.loc(range);
                let primitive = match &ty {
                    ScalarType::Elem(Elem::Known(dtype)) => !matches!(dtype, DType::F16 | DType::BF16),
                    ScalarType::Elem(Elem::Param(_)) => false,
                    _ => true,
                };
                // In the copy a function, for Rust's `as` knows no 16-bit floats. A literal takes the type that it is cast to.
                if !(value.bare && primitive) {
                    let (to, operand) = (&e.ty, &e.expr);
                    let operand = if value.bare { quote!(#operand as f32) } else { quote!(#operand) };
                    let mut group = Group::new(Delimiter::Parenthesis, operand);
                    group.set_span(range.end);
                    *expr = syn::Expr::Verbatim(quote_spanned!(range.start=> ::pl::__private::cast::<#to, _> #group));
                }
                Value::new(Kind::Scalar, Expr::new(ExprKind::Cast(ty, Box::new(value.expr))).at(loc))
            }
        }
    }

    /// What stands in the copy for a bare literal beside a tile: it has the tile's element type, whatever that is.
    pub(super) fn literal_copy(&self, range: Range) -> syn::Expr {
        syn::Expr::Verbatim(quote_spanned!(range.start=> ::pl::__private::Literal))
    }
}

fn scalar(op: BinOp, left: Value, right: Value, loc: Loc) -> Value {
    let bare = left.bare && right.bare && !op.is_comparison() && !op.is_logical();
    Value { kind: Kind::Scalar, expr: Expr::binary(op, left.expr, right.expr).at(loc), bare }
}
