//! Types of scalar expressions.
//!
//! A bare literal takes the type that its use asks for. A local that is first assigned a bare literal is *open*: its first typed use
//! decides, as in Rust, and for all the open locals it was copied from or to.

use super::{Check, Checker, Fact, Open};
use crate::diag::Diagnostic;
use crate::dtype::DType;
use crate::ir::{BinOp, ConstValue, Elem, Expr, ExprKind, Lit, Loc, LocalId, ScalarType, Type, UnOp};

/// The type of an open local that nothing decides, as rustc would choose among the language's types.
pub(super) fn default_type(open: Open) -> ScalarType {
    let dtype = match open {
        Open::Int => DType::I32,
        Open::Float => DType::F32,
    };
    ScalarType::Elem(Elem::Known(dtype))
}

/// The type of an expression of bare literals where nothing asks for one: that of an open local that nothing decides.
pub fn default_scalar(expr: &Expr) -> ScalarType {
    let mut open = Open::Int;
    expr.walk(&mut |e| {
        if let ExprKind::Lit { value: Lit::Float(_), .. } = e.kind {
            open = Open::Float;
        }
    });
    default_type(open)
}

/// The type that `as` gives an operand of bare literals. As in rustc, an integer literal takes the integer type that it is cast to
/// (`200 as u8`); everything else has its default.
pub fn cast_operand(to: &ScalarType, operand: &Expr) -> ScalarType {
    let mut literal = operand;
    while let ExprKind::Unary(UnOp::Neg, inner) = &literal.kind {
        literal = inner;
    }
    match literal.kind {
        ExprKind::Lit { value: Lit::Int(_), .. } if is_integer(to) => to.clone(),
        _ => default_scalar(operand),
    }
}

/// How a scalar type reads in a message.
pub(super) fn describe(ty: &ScalarType) -> String {
    match ty {
        ScalarType::Index => "usize".into(),
        ScalarType::Bool => "bool".into(),
        ScalarType::Elem(Elem::Known(dtype)) => dtype.name().into(),
        ScalarType::Elem(Elem::Param(name)) => name.to_string(),
    }
}

/// `pl::min` and `pl::max` are functions, not symbols.
fn prefix(op: BinOp) -> &'static str {
    if matches!(op, BinOp::Min | BinOp::Max) { "pl::" } else { "" }
}

fn is_float(ty: &ScalarType) -> bool {
    matches!(ty, ScalarType::Elem(Elem::Known(dtype)) if dtype.is_float())
}

fn is_integer(ty: &ScalarType) -> bool {
    matches!(ty, ScalarType::Index) || matches!(ty, ScalarType::Elem(Elem::Known(dtype)) if !dtype.is_float())
}

/// Whether nothing in an expression but bare literals decides its type.
fn is_bare(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Lit { value: Lit::Int(_) | Lit::Float(_), ty: None } => true,
        ExprKind::Unary(UnOp::Neg, a) => is_bare(a),
        ExprKind::Binary(op, a, b) => !op.is_comparison() && !op.is_logical() && is_bare(a) && is_bare(b),
        _ => false,
    }
}

/// Whether values of the type cannot be below zero.
fn is_unsigned(ty: &ScalarType) -> bool {
    matches!(ty, ScalarType::Index | ScalarType::Elem(Elem::Known(DType::U8 | DType::U32)))
}

impl Checker<'_> {
    /// The local that decides for `local`.
    pub(super) fn decider(&self, local: usize) -> usize {
        let mut at = local;
        while self.decides[at] != at {
            at = self.decides[at];
        }
        at
    }

    /// The kind of bare literal that an expression's type hangs on, when nothing in it has a type.
    pub(super) fn open_kind(&self, expr: &Expr) -> Option<Open> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Int(_), ty: None } => Some(Open::Int),
            ExprKind::Lit { value: Lit::Float(_), ty: None } => Some(Open::Float),
            ExprKind::Local(id) if (id.0 as usize) < self.open.len() => self.open[self.decider(id.0 as usize)],
            ExprKind::Unary(UnOp::Neg, a) => self.open_kind(a),
            ExprKind::Binary(op, a, b) if !op.is_comparison() && !op.is_logical() => {
                let (a, b) = (self.open_kind(a)?, self.open_kind(b)?);
                Some(if a == Open::Float { a } else { b })
            }
            _ => None,
        }
    }

    /// Makes all open locals of an expression decide together with `dst`.
    pub(super) fn join_open(&mut self, dst: LocalId, expr: &Expr, kind: Open) {
        let root = self.decider(dst.0 as usize);
        expr.walk(&mut |e| {
            if let ExprKind::Local(id) = &e.kind
                && (id.0 as usize) < self.open.len()
            {
                let other = self.decider(id.0 as usize);
                if self.open[other].is_some() && other != root {
                    self.decides[other] = root;
                }
            }
        });
        self.open[root] = Some(kind);
        self.types[dst.0 as usize] = Some(Type::Unknown);
    }

    /// Decides the type of an open local and of all that hang together with it.
    pub(super) fn decide(&mut self, id: LocalId, ty: &ScalarType, loc: Loc) {
        let root = self.decider(id.0 as usize);
        let was = if self.open[root] == Some(Open::Float) { "a float" } else { "a number" };
        let fits = match (self.open[root], ty) {
            (None, _) => return,
            (Some(_), ScalarType::Bool) => false,
            (Some(Open::Float), ty) => is_float(ty) || matches!(ty, ScalarType::Elem(Elem::Param(_))),
            (Some(Open::Int), _) => true,
        };
        if !fits {
            let name = self.name_of(id);
            self.error(
                loc,
                format!("`{name}` was assigned {was}, expected `{}`", describe(ty)),
                format!("assign a value of type `{}`", describe(ty)),
            );
        }
        self.open[root] = None;
        // Of the wrong type it is right for nothing, and reported once.
        let decided = if fits { Type::Scalar(ty.clone()) } else { Type::Unknown };
        for local in 0..self.types.len() {
            if self.decider(local) == root && self.types[local] == Some(Type::Unknown) {
                self.types[local] = Some(decided.clone());
            }
        }
    }

    /// Checks that an expression is a scalar of type `want`; `what` says what it is for. False when it is of another type.
    pub(super) fn expect_scalar(&mut self, expr: &Expr, want: &ScalarType, what: &str) -> bool {
        let Some(found) = self.scalar(expr, Some(want)) else {
            // A constant of the user's crate: its type is rustc's to judge, its value may still be below zero.
            if *want == ScalarType::Index {
                self.check_not_negative(expr, what);
            }
            return true;
        };
        if found != *want {
            let help = match (&found, want) {
                (_, ScalarType::Bool) => "compare with `==`, `!=`, `<`, … to get a `bool`".to_string(),
                (ScalarType::Bool, want) if is_float(want) => "choose by it: `if … { 1.0 } else { 0.0 }`".to_string(),
                (_, want) => format!("convert it: `… as {}`", describe(want)),
            };
            self.error(expr.loc, format!("{what} is `{}`, expected `{}`", describe(&found), describe(want)), help);
            return false;
        }
        if *want == ScalarType::Index {
            self.check_not_negative(expr, what);
        }
        true
    }

    /// Checks that an index expression that constants decide is not below zero.
    fn check_not_negative(&mut self, expr: &Expr, what: &str) {
        // A literal was judged by its range already, under `as` too.
        let literal = match &expr.kind {
            ExprKind::Cast(_, a) if is_bare(a) => a,
            _ => expr,
        };
        if matches!(literal.kind, ExprKind::Lit { .. }) || negate_of(literal).is_some() {
            return;
        }
        let Some(resolved) = self.resolve(expr) else { return };
        let Some(poly) = self.poly(&resolved) else { return };
        match poly.as_constant() {
            Some(value) if value < 0 => {
                self.fault(Diagnostic::new(
                    expr.loc,
                    format!("{what} is `{}` = {value}, expected at least 0", self.show(expr)),
                    "index arithmetic is on `usize` and does not go below zero",
                ));
            }
            Some(_) => {}
            None => {
                let mut subtracts = false;
                resolved.walk(&mut |e| {
                    subtracts |= matches!(e.kind, ExprKind::Binary(BinOp::Sub, ..) | ExprKind::Unary(..))
                });
                if subtracts {
                    self.fact(
                        expr.loc,
                        Check::Le(Expr::int(0), resolved),
                        format!("{what} is `{}`, which is below zero", self.show(expr)),
                        "index arithmetic is on `usize` and does not go below zero",
                    );
                }
            }
        }
    }

    /// Adds a fact, if it is about constants only, and no condition on names may have made sure of it.
    pub(super) fn fact(&mut self, loc: Loc, check: Check, message: String, help: &str) {
        if self.guards > 0 {
            return;
        }
        let (mut constant, mut generic) = (true, false);
        let mut visit = |e: &Expr| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Name(name) => match self.function.constant(name) {
                    Some(c) => generic |= c.generic,
                    None => constant = false,
                },
                ExprKind::Lit { .. } | ExprKind::Unary(..) | ExprKind::Binary(..) => {}
                _ => constant = false,
            });
        };
        match &check {
            Check::Eq(a, b) | Check::Le(a, b) => {
                visit(a);
                visit(b);
            }
            Check::NonZero(a) => visit(a),
        }
        // What holds or fails at one place does so at every other.
        let known = self.facts.iter().any(|fact| fact.check == check && fact.message == message);
        if constant && !known {
            self.facts.push(Fact { loc: loc.or(self.here), generic, check, message, help: help.into() });
        }
    }

    /// The type of a scalar expression; `None` when it is not known or was reported. A bare literal and an open local take `want`.
    pub(super) fn scalar(&mut self, expr: &Expr, want: Option<&ScalarType>) -> Option<ScalarType> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Bool(_), .. } => Some(ScalarType::Bool),
            ExprKind::Lit { value, ty } => {
                let ty = ty.as_ref().or(want)?;
                if let ScalarType::Elem(elem) = ty {
                    self.check_elem(elem, expr.loc);
                }
                self.check_literal(*value, ty, expr.loc);
                Some(ty.clone())
            }
            ExprKind::Local(id) => self.local_scalar(*id, expr.loc, want),
            ExprKind::Name(name) => self.name_scalar(name, expr),
            ExprKind::Extent(id, axis) => {
                self.use_local(*id, expr.loc);
                let rank = self.type_of(*id).and_then(Type::shaped).map(|s| s.shape.len());
                if rank.is_some_and(|r| *axis as usize >= r) {
                    self.error(expr.loc, format!("`{}` has no axis {axis}", self.name_of(*id)), "axes count from 0");
                }
                Some(ScalarType::Index)
            }
            ExprKind::Unary(UnOp::Not, a) => {
                self.expect_scalar(a, &ScalarType::Bool, "the operand of `!`").then_some(ScalarType::Bool)
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                if let (ExprKind::Lit { ty, .. }, Some(negated)) = (&a.kind, negate_of(expr)) {
                    let ty = ty.as_ref().or(want)?;
                    self.check_literal(negated, ty, expr.loc.or(a.loc));
                    return Some(ty.clone());
                }
                let ty = self.scalar(a, want)?;
                if ty == ScalarType::Bool || is_unsigned(&ty) {
                    self.error(
                        expr.loc,
                        format!("`-` on `{}`, expected a signed number", describe(&ty)),
                        "subtract instead, or convert with `as`",
                    );
                    return None;
                }
                Some(ty)
            }
            ExprKind::Cast(to, a) => {
                // Open locals are left open: what they are cast to does not decide for them.
                let bare = is_bare(a).then(|| cast_operand(to, a));
                let from = self.scalar(a, bare.as_ref());
                let bad = match (&from, to) {
                    (Some(from), ScalarType::Bool) => *from != ScalarType::Bool,
                    (Some(ScalarType::Bool), to) => is_float(to),
                    (Some(_), _) => false,
                    (None, to) => *to == ScalarType::Bool && self.open_kind(a).is_some(),
                };
                if bad {
                    let from = from.as_ref().map_or("a number".into(), |f| format!("`{}`", describe(f)));
                    let help = match to {
                        ScalarType::Bool => "compare with `!= 0` to get a `bool`".to_owned(),
                        to => format!("a `bool` casts to integers: `… as i32 as {}`", describe(to)),
                    };
                    self.error(expr.loc, format!("{from} cannot be cast to `{}`", describe(to)), help);
                }
                Some(to.clone())
            }
            ExprKind::Binary(op, a, b) => self.binary_scalar(expr, *op, a, b, want),
        }
    }

    fn local_scalar(&mut self, id: LocalId, loc: Loc, want: Option<&ScalarType>) -> Option<ScalarType> {
        if !self.use_local(id, loc) {
            return None;
        }
        if self.open[self.decider(id.0 as usize)].is_some() {
            let want = want?;
            self.decide(id, want, loc);
            return Some(want.clone());
        }
        match self.type_of(id)? {
            Type::Scalar(ty) => Some(ty.clone()),
            Type::Unknown => None,
            other => {
                let found = self.show_type(&other.clone());
                let name = self.name_of(id);
                self.error(
                    loc,
                    format!("`{name}` is `{found}`, expected a scalar"),
                    "read one element with `pl::read`, or use the tile ops on whole tiles",
                );
                None
            }
        }
    }

    fn name_scalar(&mut self, name: &str, expr: &Expr) -> Option<ScalarType> {
        if self.function.is_dynamic(name) {
            return Some(ScalarType::Index);
        }
        let Some(constant) = self.function.constant(name) else {
            self.check_names(expr, expr.loc);
            return None;
        };
        match &constant.value {
            None => None,
            Some(ConstValue::Scalar(_, ty)) => Some(ty.clone()),
            Some(ConstValue::Enum(kind, _)) => {
                self.error(
                    expr.loc,
                    format!("constant `{name}` is a `pld::{}`, expected a scalar", kind.name()),
                    "enum values are arguments of ops only",
                );
                None
            }
        }
    }

    fn binary_scalar(
        &mut self,
        expr: &Expr,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        want: Option<&ScalarType>,
    ) -> Option<ScalarType> {
        let symbol = op.symbol();
        if op.is_logical() {
            self.expect_scalar(a, &ScalarType::Bool, &format!("the left side of `{symbol}`"));
            let decided = self.known().truth(a);
            let reached = if op == BinOp::And { decided == Some(true) } else { decided == Some(false) };
            self.under(!reached, !reached, |checker| {
                checker.expect_scalar(b, &ScalarType::Bool, &format!("the right side of `{symbol}`"));
            });
            return Some(ScalarType::Bool);
        }
        let bare = (op.is_comparison() && is_bare(a) && is_bare(b)).then(|| default_scalar(expr));
        let want = if op.is_comparison() { bare.as_ref() } else { want };
        // The side that has a type decides for the one that has none.
        let (first, second) = if self.open_kind(a).is_some() { (b, a) } else { (a, b) };
        let decided = self.scalar(first, want);
        if decided == Some(ScalarType::Bool) && !op.is_comparison() {
            self.error(expr.loc, format!("`{symbol}` on `bool`, expected numbers"), "use `&&`, `||`, `!` on `bool`");
            return None;
        }
        let other = self.scalar(second, decided.as_ref().or(want));
        let (ta, tb) = if std::ptr::eq(first, a) { (decided, other) } else { (other, decided) };
        if let (Some(ta), Some(tb)) = (&ta, &tb)
            && ta != tb
        {
            self.error(
                expr.loc,
                format!("`{}{symbol}` between `{}` and `{}`", prefix(op), describe(ta), describe(tb)),
                format!("convert one side: `… as {}`", describe(ta)),
            );
            return if op.is_comparison() { Some(ScalarType::Bool) } else { None };
        }
        let ty = ta.or(tb);
        if op.is_comparison() {
            return Some(ScalarType::Bool);
        }
        if ty == Some(ScalarType::Bool) {
            self.error(expr.loc, format!("`{symbol}` on `bool`, expected numbers"), "use `&&`, `||`, `!` on `bool`");
            return None;
        }
        if matches!(op, BinOp::Div | BinOp::Rem) && !ty.as_ref().is_some_and(is_float) {
            self.check_not_zero(b);
        }
        ty
    }

    fn check_not_zero(&mut self, divisor: &Expr) {
        let Some(resolved) = self.resolve(divisor) else { return };
        match self.poly(&resolved).and_then(|p| p.as_constant()) {
            Some(0) => self.fault(Diagnostic::new(
                divisor.loc,
                format!("division by `{}`, which is zero", self.show(divisor)),
                "divide by something that is not zero",
            )),
            Some(_) => {}
            None => self.fact(
                divisor.loc,
                Check::NonZero(resolved),
                format!("division by `{}`, which is zero", self.show(divisor)),
                "divide by something that is not zero",
            ),
        }
    }

    /// Checks that a literal is a value of `ty`.
    pub(super) fn check_literal(&mut self, value: Lit, ty: &ScalarType, loc: Loc) {
        let range = match ty {
            ScalarType::Index => Some((0, i128::from(i64::MAX))),
            ScalarType::Elem(Elem::Known(dtype)) => dtype.int_range(),
            ScalarType::Elem(Elem::Param(_)) | ScalarType::Bool => None,
        };
        match (value, range) {
            (Lit::Int(v), Some((low, high))) if v < low || v > high => {
                let help = if v < 0 && low == 0 {
                    "it cannot be negative".to_string()
                } else {
                    format!("the range is {low} to {high}")
                };
                self.error(loc, format!("literal {v} is out of range for `{}`", describe(ty)), help);
            }
            (Lit::Float(v), Some(_)) => self.error(
                loc,
                format!("float literal {v:?} where `{}` is expected", describe(ty)),
                "write an integer, or cast the tile or scalar to a float type first",
            ),
            (Lit::Int(_) | Lit::Float(_), _) if *ty == ScalarType::Bool => {
                self.error(loc, "number where `bool` is expected", "write `true`, `false` or a comparison");
            }
            _ => {}
        }
    }
}

/// The value of a negated literal.
fn negate_of(expr: &Expr) -> Option<Lit> {
    let ExprKind::Unary(UnOp::Neg, literal) = &expr.kind else { return None };
    match literal.kind {
        ExprKind::Lit { value: Lit::Int(v), .. } => v.checked_neg().map(Lit::Int),
        ExprKind::Lit { value: Lit::Float(v), .. } => Some(Lit::Float(-v)),
        _ => None,
    }
}

impl super::Inferred {
    /// The type of a scalar expression of a function that verified; `None` for a bare literal.
    pub fn scalar_type(&self, function: &crate::ir::Function, expr: &Expr) -> Option<ScalarType> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Bool(_), .. } => Some(ScalarType::Bool),
            ExprKind::Lit { ty, .. } => ty.clone(),
            ExprKind::Local(id) => match self.types.get(id.0 as usize)? {
                Type::Scalar(ty) => Some(ty.clone()),
                _ => None,
            },
            ExprKind::Name(name) => match function.constant(name).and_then(|c| c.value.as_ref()) {
                Some(ConstValue::Scalar(_, ty)) if !function.is_dynamic(name) => Some(ty.clone()),
                _ => Some(ScalarType::Index),
            },
            ExprKind::Extent(..) => Some(ScalarType::Index),
            ExprKind::Unary(UnOp::Not, _) => Some(ScalarType::Bool),
            ExprKind::Unary(UnOp::Neg, a) => self.scalar_type(function, a),
            ExprKind::Cast(ty, _) => Some(ty.clone()),
            ExprKind::Binary(op, ..) if op.is_comparison() || op.is_logical() => Some(ScalarType::Bool),
            ExprKind::Binary(_, a, b) => self.scalar_type(function, a).or_else(|| self.scalar_type(function, b)),
        }
    }
}
