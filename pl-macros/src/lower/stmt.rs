//! Statements.

use super::{Kind, Lower, Rhs, Target, Value, Var, reject, stem};
use crate::context::{path_text, text_of};
use crate::names;
use crate::parse::{self, Ty, Where};
use crate::places::{Range, edges};
use pl_core::ir::{Arg, ArgKind, BinOp, Expr, FunctionKind, Loc, LocalId, Op, StmtKind, Type};
use pl_core::op::ResultKind;
use proc_macro2::Ident;
use quote::quote;
use syn::visit::Visit;
use syn::{Pat, Stmt};

impl Lower<'_> {
    /// The body of the function, with what it returns.
    pub(super) fn function_body(&mut self, block: &mut syn::Block) {
        // `return x;` at the end is the value of the body.
        if let Some(Stmt::Expr(syn::Expr::Return(end), _)) = block.stmts.last_mut() {
            let value = end.expr.take().map(|e| Stmt::Expr(*e, None));
            block.stmts.pop();
            block.stmts.extend(value);
        }
        let returns = self.cx.function.returns.len();
        let stmts = std::mem::take(&mut block.stmts);
        let count = stmts.len();
        for (i, stmt) in stmts.into_iter().enumerate() {
            match stmt {
                Stmt::Expr(mut tail, None) if i + 1 == count && returns > 0 => {
                    self.use_rebound(&mut block.stmts);
                    self.returned(&mut tail, returns);
                    block.stmts.push(Stmt::Expr(tail, None));
                }
                stmt => self.stmt(stmt, &mut block.stmts),
            }
        }
        self.use_rebound(&mut block.stmts);
    }

    /// What a kernel stores is seen by others: rustc must not call the last rebinding of a tensor or window in a block useless.
    fn use_rebound(&mut self, copy: &mut Vec<Stmt>) {
        let names = std::mem::take(&mut self.rebound);
        if !names.is_empty() {
            // Before the block's value.
            let at = match copy.last() {
                Some(Stmt::Expr(_, None)) => copy.len() - 1,
                _ => copy.len(),
            };
            copy.insert(at, syn::parse_quote!(let _ = (#(#names,)*);));
        }
    }

    fn returned(&mut self, tail: &mut syn::Expr, returns: usize) {
        let range = edges(tail);
        let values: Vec<Expr> = match strip(tail) {
            syn::Expr::Tuple(tuple) => {
                let mut values: Vec<Value> = vec![];
                for elem in &mut tuple.elems {
                    let mark = self.block.len();
                    let value = self.returned_value(elem);
                    self.protect(mark, &mut values);
                    values.push(value);
                }
                values.into_iter().map(|v| v.expr).collect()
            }
            syn::Expr::Call(_) if returns > 1 => {
                let targets = (0..returns).map(|_| Target::new("returned.0", Loc::NONE)).collect();
                match self.call_results(tail, targets) {
                    Some(locals) => locals.into_iter().map(Expr::local).collect(),
                    None => return,
                }
            }
            tail => vec![self.returned_value(tail).expr],
        };
        let loc = self.loc(range);
        let values = values.into_iter().map(|v| if v.loc == Loc::NONE { v.at(loc) } else { v }).collect();
        self.push(StmtKind::Return(values), loc);
    }

    /// A value that is returned: `pl::store(tile, offsets, y)` rebinds `y`, as if it were written so.
    fn returned_value(&mut self, expr: &mut syn::Expr) -> Value {
        let range = edges(expr);
        if !matches!(strip(expr), syn::Expr::Call(_)) {
            return self.value(expr);
        }
        let rhs = self.rhs(expr);
        let rebound = match &rhs {
            Rhs::Op(Op { code, args, .. }, _) => match code.info().result {
                ResultKind::Memory(of) => args.get(usize::from(of)).and_then(Arg::as_local),
                _ => None,
            },
            _ => None,
        };
        match rebound {
            Some(local) => {
                let kind = self.emit(rhs, &mut Target::Existing(local), range);
                let loc = self.loc(range);
                Value::new(kind, Expr::local(local).at(loc))
            }
            None => self.value_of(rhs, range),
        }
    }

    /// A block in a scope of its own. With a target, the block's last expression goes there.
    pub(super) fn block_into(
        &mut self,
        block: &mut syn::Block,
        target: Option<&mut Target>,
    ) -> (Vec<pl_core::ir::Stmt>, Kind) {
        self.nested(|lower| lower.stmts(block, target))
    }

    fn stmts(&mut self, block: &mut syn::Block, mut target: Option<&mut Target>) -> Kind {
        let range = Range { start: block.brace_token.span.open(), end: block.brace_token.span.close() };
        let stmts = std::mem::take(&mut block.stmts);
        let count = stmts.len();
        let mut kind = None;
        for (i, stmt) in stmts.into_iter().enumerate() {
            match (stmt, &mut target) {
                (Stmt::Expr(mut tail, None), Some(target)) if i + 1 == count => {
                    self.use_rebound(&mut block.stmts);
                    kind = Some(self.assign(&mut tail, target));
                    block.stmts.push(Stmt::Expr(tail, None));
                }
                (stmt, _) => self.stmt(stmt, &mut block.stmts),
            }
        }
        self.use_rebound(&mut block.stmts);
        match (kind, target) {
            (Some(kind), _) => kind,
            (None, Some(target)) => {
                let value =
                    self.poison(range, "this block gives no value", "end it with the value, without a semicolon");
                self.emit(Rhs::Value(value), target, range)
            }
            (None, None) => Kind::Poison,
        }
    }

    /// One statement; appends its copy to `copy`.
    fn stmt(&mut self, stmt: Stmt, copy: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Local(local) => self.local(local, copy),
            Stmt::Expr(mut expr, semi) => {
                if semi.is_none() {
                    self.check_tail(&expr);
                }
                self.expr_stmt(&mut expr);
                copy.push(Stmt::Expr(expr, semi));
            }
            Stmt::Item(item) => {
                let help = match &item {
                    syn::Item::Fn(_) => "write an Inline function beside the kernel",
                    _ => "write it beside the kernel",
                };
                self.error(Range::of(&item), "a kernel has no items in its body", help);
            }
            Stmt::Macro(stmt) => {
                let expr = syn::Expr::Macro(syn::ExprMacro { attrs: vec![], mac: stmt.mac });
                let (range, message, help) = reject::expression(&expr);
                self.error(range, message, help);
            }
        }
    }

    /// An op at the end of a block that gives no value must not give one. To rustc it is two wrong types.
    fn check_tail(&mut self, expr: &syn::Expr) {
        let syn::Expr::Call(call) = expr else { return };
        let syn::Expr::Path(path) = &*call.func else { return };
        let Some(op) = names::op(&path_text(&path.path)) else { return };
        if op.info().result != ResultKind::None {
            let help = "end it with `;`, or declare what the function returns: `-> pl::Tensor<…>`";
            self.error(edges(expr), format!("`{}` gives a value here, and none is expected", op.path()), help);
        }
    }

    fn expr_stmt(&mut self, expr: &mut syn::Expr) {
        let range = edges(expr);
        match expr {
            syn::Expr::Group(e) => self.expr_stmt(&mut e.expr),
            syn::Expr::Paren(e) => self.expr_stmt(&mut e.expr),
            syn::Expr::Assign(e) => self.assignment(e),
            syn::Expr::Binary(e) if compound(&e.op).is_some() => self.compound(e),
            syn::Expr::ForLoop(e) => self.for_loop(e),
            syn::Expr::While(e) => self.while_loop(e),
            syn::Expr::If(e) => {
                self.if_into(e, None);
            }
            syn::Expr::Block(e) if e.label.is_none() => {
                let (stmts, _) = self.block_into(&mut e.block, None);
                self.block.extend(stmts);
            }
            syn::Expr::Tuple(e) if e.elems.is_empty() => {}
            other => {
                let rhs = self.rhs(other);
                self.emit(rhs, &mut Target::Discard, range);
            }
        }
    }

    /// `let`
    fn local(&mut self, mut local: syn::Local, copy: &mut Vec<Stmt>) {
        let (pattern, types) = match split(&local.pat) {
            Ok(split) => split,
            Err((range, message)) => {
                self.error(range, message, "a `let` declares a name, `(a, b)` for the results of a call, or `_`");
                self.poison_names(&local.pat);
                return;
            }
        };
        let types = self.let_types(types, copy);
        if let Some(types) = &types
            && !types.is_empty()
        {
            erase_types(&mut local.pat, types);
        }
        let types = types.unwrap_or_default();
        if let Some(init) = &mut local.init
            && let Some((token, _)) = &init.diverge
        {
            self.error(Range::of(token), "a kernel has no `let … else`", "write `if … { … } else { … }`");
        }
        match pattern {
            Pattern::Name(ident) => {
                let loc = self.loc(Range::one(ident.span()));
                let name = self.checked_name(&ident);
                let ty = types.into_iter().next();
                match &mut local.init {
                    Some(init) => {
                        let scalar = match ty.as_ref().map(|t| &t.ir) {
                            Some(Type::Scalar(ty)) => Some(ty.clone()),
                            _ => None,
                        };
                        let mut target = Target::New { name: name.clone(), loc, id: None, ty: scalar };
                        let kind = self.assign(&mut init.expr, &mut target);
                        if let Some(local) = self.local_of(&mut target) {
                            self.declare_checked(name, local, kind, ty);
                        }
                    }
                    None => {
                        let id = self.add_local(&name, loc);
                        let kind = ty.as_ref().map_or(Kind::Unknown, |t| Kind::of(&t.ir));
                        self.declare(name, Var { local: id, kind });
                    }
                }
            }
            Pattern::Wild => {
                if let Some(init) = &mut local.init {
                    self.assign(&mut init.expr, &mut Target::Discard);
                }
            }
            Pattern::Tuple(parts) => {
                let targets = parts.iter().map(|ident| {
                    let loc = ident.as_ref().map_or(Loc::NONE, |i| self.cx.loc(Range::one(i.span())));
                    Target::new(ident.as_ref().map_or("unused.0".into(), Ident::to_string), loc)
                });
                let targets: Vec<Target> = targets.collect();
                let Some(init) = &mut local.init else {
                    self.error(Range::of(&local.pat), "a tuple without a value", "declare the names one by one");
                    return;
                };
                let Some(locals) = self.call_results(&mut init.expr, targets) else {
                    for ident in parts.iter().flatten() {
                        self.poison_name(ident.to_string());
                    }
                    return;
                };
                let mut types = types.into_iter();
                for (ident, id) in parts.into_iter().zip(locals) {
                    let ty = types.next();
                    if let Some(ident) = ident {
                        let name = self.checked_name(&ident);
                        self.declare_checked(name, id, Kind::Unknown, ty);
                    }
                }
            }
        }
        copy.push(Stmt::Local(local));
    }

    /// Declares the names in a pattern that was reported: what uses them stays silent.
    pub(super) fn poison_names(&mut self, pat: &Pat) {
        struct Names(Vec<Ident>);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                self.0.push(pat.ident.clone());
            }
        }
        let mut names = Names(vec![]);
        names.visit_pat(pat);
        for name in names.0 {
            self.poison_name(name.to_string());
        }
    }

    pub(super) fn poison_name(&mut self, name: String) {
        let value = self.poisoned();
        if let Some(local) = value.expr.as_local() {
            self.declare(name, Var { local, kind: Kind::Poison });
        }
    }

    /// The name of a new variable. A dim or const generic of that name would be a pattern in Rust.
    pub(super) fn checked_name(&mut self, ident: &Ident) -> String {
        let name = ident.to_string();
        if self.cx.function.is_dynamic(&name) || self.cx.is_const_generic(&name) {
            self.error(
                Range::one(ident.span()),
                format!("`{name}` is a dim or constant of this function"),
                format!("give the variable a name in lower case: `{}`", name.to_lowercase()),
            );
        }
        name
    }

    fn declare_checked(&mut self, name: String, local: LocalId, kind: Kind, ty: Option<Ty>) {
        let kind = match ty {
            Some(ty) if ty.ir != Type::Unknown && kind != Kind::Poison => {
                let loc = self.loc(ty.range);
                let kind = Kind::of(&ty.ir);
                self.push(StmtKind::Check { local, ty: ty.ir }, loc);
                kind
            }
            _ => kind,
        };
        self.declare(name, Var { local, kind });
    }

    /// The types of a `let`, and the type-check of their shapes in the copy.
    fn let_types(&mut self, source: Option<syn::Type>, copy: &mut Vec<Stmt>) -> Option<Vec<Ty>> {
        let source = source?;
        let scalars: Vec<(String, LocalId)> = self
            .scopes
            .iter()
            .flat_map(|s| s.iter())
            .filter(|(_, var)| matches!(var.kind, Kind::Scalar | Kind::Unknown))
            .map(|(name, _)| name.clone())
            .filter_map(|name| self.find(&name).map(|var| (name, var.local)))
            .collect();
        let lookup = |name: &str| scalars.iter().find(|(n, _)| n == name).map(|(_, id)| Expr::local(*id));
        let sources = match source {
            syn::Type::Tuple(tuple) => tuple.elems.into_iter().collect(),
            one => vec![one],
        };
        let types: Vec<Ty> = sources.iter().map(|t| parse::ty(self.cx, t, Where::Let, &lookup)).collect();
        for ty in &types {
            if let Some(shape) = &ty.shape {
                let rank = ty.rank();
                let check = syn::parse2::<syn::Expr>(shape.clone());
                if let Ok(check) = check {
                    copy.push(syn::parse_quote!(let _: [usize; #rank] = #check;));
                }
            }
        }
        Some(types)
    }

    /// `a = …`, `(a, b) = call(…)`
    fn assignment(&mut self, e: &mut syn::ExprAssign) {
        let range = edges(&e.left);
        match strip(&mut e.left) {
            syn::Expr::Infer(_) => {
                self.assign(&mut e.right, &mut Target::Discard);
            }
            syn::Expr::Tuple(tuple) => {
                let mut targets = vec![];
                let mut names = vec![];
                for elem in &mut tuple.elems {
                    match strip(elem) {
                        syn::Expr::Infer(_) => {
                            targets.push(Target::new("unused.0", Loc::NONE));
                        }
                        elem => {
                            let Some((name, var)) = self.assigned_var(elem) else { continue };
                            targets.push(Target::Existing(var.local));
                            names.push(name);
                        }
                    }
                }
                if targets.len() == tuple.elems.len() {
                    self.call_results(&mut e.right, targets);
                }
            }
            left => {
                let var = self.assigned_var(left);
                let Some((name, var)) = var else {
                    // What stands on the right may be wrong as well.
                    self.assign(&mut e.right, &mut Target::Discard);
                    return;
                };
                let kind = self.assign_at(&mut e.right, &mut Target::Existing(var.local), range);
                if let Some(var) = self.find_mut(&name)
                    && var.kind == Kind::Unknown
                {
                    var.kind = kind;
                }
            }
        }
    }

    /// The variable on the left of an assignment.
    fn assigned_var(&mut self, left: &syn::Expr) -> Option<(String, Var)> {
        let range = edges(left);
        let (message, help) = match left {
            syn::Expr::Path(path) if path.qself.is_none() => {
                let name = path_text(&path.path);
                if let Some(var) = self.find(&name) {
                    if let (Kind::Memory, Some(ident)) = (var.kind, path.path.get_ident())
                        && !self.rebound.contains(ident)
                    {
                        self.rebound.push(ident.clone());
                    }
                    return Some((name, var));
                }
                if name.starts_with(char::is_uppercase) {
                    (
                        format!("`{name}` is a constant and cannot be assigned to"),
                        "declare a variable: `let mut name = …`".into(),
                    )
                } else {
                    self.undefined(&name)
                }
            }
            syn::Expr::Index(e) if self.signature.kind == FunctionKind::Host => (
                format!("`{}` cannot be assigned to", text_of(e)),
                format!("a part is written by the kernel that it is passed to: `step({}, device = …)`", text_of(e)),
            ),
            syn::Expr::Index(e) => (
                "a kernel does not index".into(),
                format!("write one element: `pl::write({}, [{}], value)`", text_of(&*e.expr), text_of(&*e.index)),
            ),
            other => (format!("`{}` cannot be assigned to", text_of(other)), "assign to a variable".into()),
        };
        self.error(range, message, help);
        None
    }

    /// What is said of a lower-case name that does not exist.
    pub(super) fn undefined(&self, name: &str) -> (String, String) {
        let known: Vec<&str> = self.scopes.iter().flat_map(|s| s.keys()).map(String::as_str).collect();
        let near = names::nearest(name, known);
        let op = names::ops().find(|op| stem(*op) == name).map(|op| op.path());
        let help = match (near.as_slice(), op) {
            ([], Some(path)) => format!("the op is called by its path: `{path}(…)`"),
            ([], None) => "declare it with `let`, or make it a parameter; constants are written in capitals".into(),
            (near, _) => format!("did you mean {}?", names::list(near)),
        };
        (format!("cannot find `{name}` in this kernel"), help)
    }

    /// `a += …`
    fn compound(&mut self, e: &mut syn::ExprBinary) {
        let range = edges(&e.left).to(edges(&e.right));
        let Some(op) = compound(&e.op) else { return };
        let op_range = Range::of(&e.op);
        let var = self.assigned_var(strip(&mut e.left));
        let right = self.value(&mut e.right);
        let Some((_, var)) = var else { return };
        let loc = self.loc(range);
        let left_loc = self.loc(edges(&e.left));
        let left = Value::new(var.kind, Expr::local(var.local).at(left_loc));
        if let (Some(rhs), literal) = self.operate(op, op_range, left, right, loc, text_of(&e.op)) {
            if literal {
                *e.right = self.literal_copy(edges(&e.right));
            }
            self.emit(rhs, &mut Target::Existing(var.local), range);
        }
    }

    /// Lowers a call whose results go into several targets; gives their locals.
    fn call_results(&mut self, expr: &mut syn::Expr, mut targets: Vec<Target>) -> Option<Vec<LocalId>> {
        let range = edges(expr);
        if !matches!(strip(expr), syn::Expr::Call(_)) {
            let help = "a tuple is only what a function returns: assign the values one by one";
            self.error(range, "this is not a call of a function", help);
            return None;
        }
        match self.rhs(expr) {
            Rhs::Call { call, .. } if call.device.is_some() => {
                self.no_result(range);
                None
            }
            Rhs::Call { mut call, loc } => {
                let dsts: Vec<LocalId> = targets.iter_mut().filter_map(|t| self.local_of(t)).collect();
                call.dsts.clone_from(&dsts);
                self.push(StmtKind::Call(call), loc);
                Some(dsts)
            }
            Rhs::Value(value) if value.kind == Kind::Poison => None,
            Rhs::Op(op, _) => {
                let message = format!("`{}` gives one value, not {}", op.code.path(), targets.len());
                self.error(range, message, "only calls of your own functions return tuples");
                None
            }
            Rhs::Value(_) => {
                self.error(range, "this gives one value", "only calls of your own functions return tuples");
                None
            }
        }
    }
}

/// Parentheses and the invisible groups of `macro_rules!` mean nothing.
pub(super) fn strip(expr: &mut syn::Expr) -> &mut syn::Expr {
    match expr {
        syn::Expr::Paren(e) => strip(&mut e.expr),
        syn::Expr::Group(e) => strip(&mut e.expr),
        other => other,
    }
}

/// The operator of a compound assignment.
fn compound(op: &syn::BinOp) -> Option<BinOp> {
    Some(match op {
        syn::BinOp::AddAssign(_) => BinOp::Add,
        syn::BinOp::SubAssign(_) => BinOp::Sub,
        syn::BinOp::MulAssign(_) => BinOp::Mul,
        syn::BinOp::DivAssign(_) => BinOp::Div,
        syn::BinOp::RemAssign(_) => BinOp::Rem,
        _ => return None,
    })
}

enum Pattern {
    Name(Ident),
    Wild,
    Tuple(Vec<Option<Ident>>),
}

/// A pattern of `let` and its type, or what is wrong with it.
fn split(pat: &Pat) -> Result<(Pattern, Option<syn::Type>), (Range, String)> {
    let wrong = |pat: &Pat| Err((Range::of(pat), format!("a kernel has no pattern `{}`", text_of(pat))));
    match pat {
        Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => Ok((Pattern::Name(p.ident.clone()), None)),
        Pat::Wild(_) => Ok((Pattern::Wild, None)),
        Pat::Paren(p) => split(&p.pat),
        Pat::Type(p) => split(&p.pat).map(|(pattern, _)| (pattern, Some((*p.ty).clone()))),
        Pat::Tuple(p) => {
            let mut parts = vec![];
            for elem in &p.elems {
                match split(elem)? {
                    (Pattern::Name(ident), None) => parts.push(Some(ident)),
                    (Pattern::Wild, None) => parts.push(None),
                    _ => return wrong(elem),
                }
            }
            Ok((Pattern::Tuple(parts), None))
        }
        other => wrong(other),
    }
}

/// Puts the types of the copy into the pattern.
fn erase_types(pat: &mut Pat, types: &[Ty]) {
    let Pat::Type(typed) = pat else { return };
    if types.iter().any(|t| t.ir == Type::Unknown) {
        *typed.ty = syn::parse_quote!(_);
        return;
    }
    let copies: Vec<_> = types.iter().map(|t| &t.copy).collect();
    let erased = match (&*typed.ty, copies.as_slice()) {
        (syn::Type::Tuple(_), copies) => quote!((#(#copies,)*)),
        (_, [one]) => quote!(#one),
        _ => return,
    };
    if let Ok(erased) = syn::parse2(erased) {
        *typed.ty = erased;
    }
}

/// The argument of an op.
pub(super) fn value_arg(value: Value, loc: Loc) -> Arg {
    Arg { kind: ArgKind::Value(value.expr), loc }
}
