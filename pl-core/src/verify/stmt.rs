//! Statements: assignments, control flow, what holds on every path.

use super::expr::describe;
use super::shape::About;
use super::{Checker, Known, Moment, Open};
use crate::diag::Diagnostic;
use crate::ir::{
    ArgKind, Call, Expr, ExprKind, FunctionKind, Loc, LocalId, Mode, ScalarType, Stmt, StmtKind, Type, UnOp,
};
use crate::op::{Access, ParamKind, ResultKind};

impl Checker<'_> {
    pub(super) fn check_body(&mut self) {
        self.check_block(&self.function.body);
        self.here = self.function.loc;
        let returned = self.function.body.last().is_some_and(|s| matches!(s.kind, StmtKind::Return(_)));
        if matches!(self.moment, Moment::Draft) {
            return;
        }
        if !returned && !self.function.returns.is_empty() {
            self.error(
                self.function.returns[0].1,
                "the function declares a return value and returns none",
                "end the body with the value, without a semicolon",
            );
        }
        for (index, param) in self.function.params.iter().enumerate() {
            let judged = param.mode == Mode::Out && param.ty.is_memory() && !matches!(self.moment, Moment::Bound(_));
            if judged && !self.ever_stored[index] {
                let name = self.name_of(param.local);
                let loc = self.function.locals[param.local.0 as usize].loc;
                self.error(
                    loc,
                    format!("`{name}` is an `Out` parameter and nothing is stored to it"),
                    format!("store to it (`pl::store(tile, offsets, {name})`), or declare it without `pl::Out`"),
                );
            }
        }
    }

    fn check_block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.here = stmt.loc;
            self.check_stmt(stmt);
        }
    }

    fn check_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { dst, value } => self.check_assign(*dst, value, stmt.loc),
            StmtKind::Op(op) => {
                let (ty, root) = self.check_op(op, stmt.loc);
                self.mark_ever_stored();
                if let Some(dst) = op.dst {
                    if matches!(op.code.info().result, ResultKind::None) {
                        self.error(
                            stmt.loc,
                            format!("`{}` gives no value", op.code.path()),
                            "write it as a statement of its own",
                        );
                    }
                    if op.code.info().result == ResultKind::Nranks {
                        self.ranks[dst.0 as usize] = self.assignments[dst.0 as usize] == 1;
                    }
                    // The number of ranks is known once the domain is.
                    if op.code.info().result == ResultKind::Nranks
                        && let Some(ranks) = self.context_ranks(op)
                        && self.assignments[dst.0 as usize] == 1
                    {
                        self.values[dst.0 as usize] = Some(Expr::int(ranks as i128));
                    }
                    self.assign(dst, ty, root, stmt.loc);
                    if op.code.info().result == ResultKind::Context {
                        let of = op.args.first().and_then(|a| *self.roots.get(a.as_local()?.0 as usize)?);
                        self.assign_context(dst, of, stmt.loc);
                    }
                }
            }
            StmtKind::Call(call) => self.check_call(call, stmt.loc),
            StmtKind::Check { local, ty } => self.check_declared(*local, ty, stmt.loc),
            StmtKind::For { var, start, end, step, body } => {
                for (expr, what) in
                    [(start, "the start of a range"), (end, "the end of a range"), (step, "the step of a range")]
                {
                    self.expect_scalar(expr, &ScalarType::Index, what);
                }
                if self.resolved_poly(step).and_then(|p| p.as_constant()) == Some(0) {
                    self.error(
                        step.loc,
                        "the step of a range is 0, expected at least 1",
                        "a loop with step 0 never ends",
                    );
                }
                self.mark_stores(body);
                let before = self.assigned.clone();
                self.assign(*var, Type::Scalar(ScalarType::Index), None, stmt.loc);
                let (first, past) = (self.known().index(start), self.known().index(end));
                let runs = first.zip(past).is_some_and(|(first, past)| first < past);
                // A range up to a dim or the number of ranks is taken to have entries.
                let counts = first == Some(0) && self.is_dim(end);
                self.under(!runs, !runs && !counts, |checker| checker.check_block(body));
                self.assigned = before;
            }
            StmtKind::While { pre, cond, body } => {
                self.mark_stores(pre);
                self.mark_stores(body);
                self.check_block(pre);
                let before = self.assigned.clone();
                self.expect_condition(cond, "`while`");
                self.under(true, true, |checker| checker.check_block(body));
                self.assigned = before;
            }
            StmtKind::If { cond, then, els } => {
                self.expect_condition(cond, "`if`");
                let (assigned, stored) = (self.assigned.clone(), self.stored.clone());
                let decided = self.known().truth(cond);
                self.under(decided != Some(true), decided != Some(true), |checker| checker.check_block(then));
                let after_then = std::mem::replace(&mut self.assigned, assigned);
                let stored_then = std::mem::replace(&mut self.stored, stored);
                self.under(decided != Some(false), decided != Some(false), |checker| checker.check_block(els));
                for (a, b) in self.assigned.iter_mut().zip(after_then) {
                    *a &= b;
                }
                for (a, b) in self.stored.iter_mut().zip(stored_then) {
                    *a |= b;
                }
            }
            StmtKind::Return(values) => self.check_return(values, stmt),
        }
    }

    /// Checks something that may not run: with the values that are known (`uncertain`), or with some values of constants (`guards`).
    pub(super) fn under(&mut self, uncertain: bool, guards: bool, check: impl FnOnce(&mut Self)) {
        let before = (self.conditions, self.guards);
        self.conditions += u32::from(uncertain);
        self.guards += u32::from(guards);
        check(self);
        (self.conditions, self.guards) = before;
    }

    /// What constants and bindings decide.
    pub(super) fn known(&self) -> Known<'_> {
        Known { function: self.function, bindings: self.bindings(), values: &self.values }
    }

    /// Whether an expression is nothing but a dim, or the number of ranks.
    pub(super) fn is_dim(&self, expr: &Expr) -> bool {
        let ranks = expr.as_local().is_some_and(|id| self.ranks.get(id.0 as usize) == Some(&true));
        ranks
            || matches!(self.resolve(expr).map(|e| e.kind), Some(ExprKind::Name(name)) if self.function.is_dynamic(&name))
    }

    /// A condition whose locals all stand for something that stays.
    fn lasting(&self, cond: &Expr) -> Option<Expr> {
        let is_condition = match &cond.kind {
            ExprKind::Unary(op, _) => *op == UnOp::Not,
            ExprKind::Binary(op, ..) => op.is_comparison() || op.is_logical(),
            _ => false,
        };
        let mut lasts = is_condition;
        cond.walk(&mut |e| {
            lasts &= e.as_local().is_none_or(|id| self.values.get(id.0 as usize).is_some_and(Option::is_some));
        });
        lasts.then(|| cond.clone())
    }

    fn expect_condition(&mut self, cond: &Expr, of: &str) {
        if self.open_kind(cond).is_some() {
            self.error(
                cond.loc,
                format!("the condition of {of} is a number, expected `bool`"),
                "compare with `==`, `!=`, `<`, …",
            );
        } else if let Some(found) = self.scalar(cond, None)
            && found != ScalarType::Bool
        {
            self.error(
                cond.loc,
                format!("the condition of {of} is `{}`, expected `bool`", describe(&found)),
                "compare with `==`, `!=`, `<`, …",
            );
        }
    }

    fn mark_ever_stored(&mut self) {
        for (ever, stored) in self.ever_stored.iter_mut().zip(&self.stored) {
            *ever |= stored;
        }
    }

    /// What a loop's body stores, its next iteration may read.
    fn mark_stores(&mut self, body: &[Stmt]) {
        let mut roots = vec![];
        crate::ir::visit(body, &mut |stmt| match &stmt.kind {
            StmtKind::Op(op) => {
                for (arg, param) in op.args.iter().zip(op.code.info().params) {
                    if matches!(param.kind, ParamKind::Memory(Access::Write | Access::ReadWrite, _)) {
                        roots.extend(arg.as_local().and_then(|id| self.root_ahead(id)));
                    }
                }
            }
            StmtKind::Call(call) => roots.extend(call.args.iter().filter_map(|a| self.root_ahead(a.as_local()?))),
            _ => {}
        });
        for root in roots {
            self.stored[root] = true;
        }
    }

    /// The root of a local that may not be assigned yet.
    fn root_ahead(&self, id: LocalId) -> Option<usize> {
        self.aliases.get(id.0 as usize).copied().flatten()
    }

    /// Whether a local is assigned on every path to here; reports it when not.
    pub(super) fn use_local(&mut self, id: LocalId, loc: Loc) -> bool {
        let slot = id.0 as usize;
        match self.assigned.get(slot) {
            Some(true) => true,
            Some(false) => {
                let name = self.name_of(id);
                self.error(
                    loc,
                    format!("`{name}` is not assigned on every path to here"),
                    format!("assign `{name}` before, on each branch and outside of loops"),
                );
                // Once is enough.
                self.assigned[slot] = true;
                if self.types[slot].is_none() {
                    self.types[slot] = Some(Type::Unknown);
                }
                false
            }
            None => {
                self.error(
                    loc,
                    format!("local {slot} does not exist"),
                    "locals are declared by their first assignment",
                );
                false
            }
        }
    }

    fn check_assign(&mut self, dst: LocalId, value: &Expr, loc: Loc) {
        // A copy of a handle: tile, tensor, window, context.
        if let Some(id) = value.as_local()
            && let Some(ty) = self.type_of(id).cloned()
            && !matches!(ty, Type::Scalar(_))
            && self.open_kind(value).is_none()
        {
            if self.use_local(id, value.loc.or(loc)) {
                let (root, context) = (self.roots[id.0 as usize], self.contexts[id.0 as usize]);
                self.assign(dst, ty, root, loc);
                self.assign_context(dst, context, loc);
            } else {
                self.assign(dst, Type::Unknown, None, loc);
            }
            return;
        }
        let known = self.type_of(dst).cloned();
        match (self.open_kind(value), known) {
            (Some(open), None) => {
                self.join_open(dst, value, open);
                self.assigned[dst.0 as usize] = true;
            }
            (Some(open), Some(Type::Unknown)) if self.open_kind(&Expr::local(dst)).is_some() => {
                let other = self.open_kind(&Expr::local(dst));
                if other != Some(open) {
                    let name = self.name_of(dst);
                    self.error(
                        loc,
                        format!("`{name}` is assigned an integer here and a float there"),
                        "give it one type",
                    );
                }
                self.join_open(dst, value, open);
                self.assigned[dst.0 as usize] = true;
            }
            (Some(open), Some(ty)) => {
                if self.open_conflicts(open, &ty) {
                    let (name, found) = (self.name_of(dst), self.show_type(&ty));
                    let what = if open == Open::Float { "a float" } else { "a number" };
                    let help =
                        "a variable keeps one type, on every path and in every iteration: use a new name with `let`";
                    self.error(value.loc.or(loc), format!("`{name}` is `{found}` and is assigned {what}"), help);
                } else if let Type::Scalar(want) = &ty {
                    self.expect_scalar(value, want, "the value");
                }
                self.assigned[dst.0 as usize] = true;
            }
            (None, known) => {
                let want = match &known {
                    Some(Type::Scalar(want)) => Some(want.clone()),
                    _ => None,
                };
                let found = self.scalar(value, want.as_ref());
                self.check_negative_value(value, found.as_ref());
                if self.open_kind(&Expr::local(dst)).is_some()
                    && let Some(found) = &found
                {
                    self.decide(dst, found, loc);
                }
                self.assign(dst, found.map_or(Type::Unknown, Type::Scalar), None, loc);
            }
        }
        if self.assignments[dst.0 as usize] == 1 && self.function.param_of(dst).is_none() {
            self.values[dst.0 as usize] = self.resolve(value).or_else(|| self.lasting(value));
        }
    }

    fn check_negative_value(&mut self, value: &Expr, found: Option<&ScalarType>) {
        if found == Some(&ScalarType::Index) {
            self.expect_scalar(value, &ScalarType::Index, "the value");
        }
    }

    /// Gives a local a value of a type: it keeps the type, and the memory, that it has.
    fn assign(&mut self, dst: LocalId, ty: Type, root: Option<usize>, loc: Loc) {
        let slot = dst.0 as usize;
        if slot >= self.types.len() {
            self.error(loc, format!("local {slot} does not exist"), "locals are declared by their first assignment");
            return;
        }
        self.assigned[slot] = true;
        let Some(old) = self.types[slot].clone() else {
            self.types[slot] = Some(ty);
            self.roots[slot] = root;
            return;
        };
        if self.open[self.decider(slot)].is_some() && !matches!(ty, Type::Unknown | Type::Scalar(_)) {
            let (name, found) = (self.name_of(dst), self.show_type(&ty));
            let help = "a variable keeps one type, on every path and in every iteration: begin with a tile, `pl::full::<f32>([1, SIZE], 0.0)`";
            self.error(loc, format!("`{name}` is a number and is assigned `{found}`"), help);
            // What uses it takes the type that it was to have.
            let root = self.decider(slot);
            self.open[root] = None;
            self.types[slot] = Some(ty);
            return;
        }
        if old == Type::Unknown || ty == Type::Unknown {
            if old == Type::Unknown {
                self.types[slot] = Some(ty);
                self.roots[slot] = self.roots[slot].or(root);
            }
            return;
        }
        let name = self.name_of(dst);
        let declared = self.function.locals[slot].loc;
        let (shown_old, shown_new) = (self.show_type(&old), self.show_type(&ty));
        let agree = match (&old, &ty) {
            (Type::Tile(a), Type::Tile(b))
            | (Type::Tensor(a), Type::Tensor(b))
            | (Type::Window(a), Type::Window(b)) => {
                let what = match &old {
                    Type::Tensor(_) => "tensors",
                    Type::Window(_) => "windows",
                    _ => "tiles",
                };
                let message = format!("`{name}` is assigned {what} of different shapes");
                let about = About { loc, message: &message, help: "a variable keeps its shape" };
                self.elems_agree(&a.elem, &b.elem) && self.shapes_agree(&a.shape, &b.shape, &about)
            }
            (a, b) => a == b,
        };
        if !agree {
            let diagnostic = Diagnostic::new(
                loc,
                format!("`{name}` is `{shown_old}` and is assigned `{shown_new}`"),
                "a variable keeps one type, on every path and in every iteration: use a new name with `let`",
            )
            .with(declared, format!("`{name}` gets its type here"));
            if differ_in_extents(&old, &ty) {
                self.fault(diagnostic)
            } else {
                self.report(diagnostic)
            }
            return;
        }
        if let (Some(a), Some(b)) = (self.roots[slot], root)
            && a != b
        {
            let (first, second) =
                (self.name_of(self.function.params[a].local), self.name_of(self.function.params[b].local));
            self.report(
                Diagnostic::new(
                    loc,
                    format!("`{name}` names the memory of `{first}` and is assigned that of `{second}`"),
                    "a name stays with one parameter's memory: use a new name with `let`",
                )
                .with(declared, format!("`{name}` is declared here")),
            );
            return;
        }
        if let (Type::Tile(a), Type::Tile(b)) = (&old, &ty) {
            self.types[slot] = Some(Type::Tile(self.join_shapes(a, b)));
        }
    }

    /// What can be said of a call before it is linked.
    fn check_call(&mut self, call: &Call, loc: Loc) {
        for arg in &call.args {
            match &arg.kind {
                ArgKind::Value(expr) => match expr.as_local() {
                    Some(id) => {
                        self.use_local(id, arg.loc.or(loc));
                        if let Some(root) = self.roots.get(id.0 as usize).copied().flatten() {
                            self.stored[root] |= self.function.params[root].mode != Mode::In;
                        }
                    }
                    None => {
                        self.scalar(expr, None);
                    }
                },
                _ => self.error(
                    arg.loc.or(loc),
                    "a list or enum value as an argument of a function, expected a scalar, a tile, a tensor or a window",
                    "pass the entries one by one",
                ),
            }
        }
        self.mark_ever_stored();
        self.check_device(call, loc);
        for dst in &call.dsts {
            self.assign(*dst, Type::Unknown, None, loc);
        }
    }

    fn check_declared(&mut self, local: LocalId, ty: &Type, loc: Loc) {
        self.check_type_names(ty, loc);
        if !self.use_local(local, loc) {
            return;
        }
        let slot = local.0 as usize;
        if let (Some(_), Type::Scalar(want)) = (self.open_kind(&Expr::local(local)), ty) {
            self.decide(local, want, loc);
            return;
        }
        let Some(found) = self.types[slot].clone() else { return };
        if found == Type::Unknown {
            self.types[slot] = Some(ty.clone());
            return;
        }
        let name = self.name_of(local);
        let agree = match (&found, ty) {
            (Type::Tile(a), Type::Tile(b))
            | (Type::Tensor(a), Type::Tensor(b))
            | (Type::Window(a), Type::Window(b)) => {
                let message = format!("`{name}` does not have its declared shape");
                let about = About { loc, message: &message, help: "declare the shape that the value has" };
                self.elems_agree(&a.elem, &b.elem) && self.shapes_agree(&a.shape, &b.shape, &about)
            }
            (a, b) => a == b,
        };
        if !agree {
            let (shown, declared) = (self.show_type(&found), self.show_type(ty));
            let values = |t: &Type| t.shaped().map_or(String::new(), |s| self.show_values(&s.shape));
            let (vf, vd) = (values(&found), values(ty));
            let diagnostic = Diagnostic::new(
                loc,
                format!("`{name}` is `{shown}`{vf}, declared as `{declared}`{vd}"),
                "declare the type that the value has, or convert the value",
            );
            if differ_in_extents(&found, ty) {
                self.fault(diagnostic)
            } else {
                self.report(diagnostic)
            }
            // What uses it is not wrong for the same reason once more.
            self.types[slot] = Some(Type::Unknown);
        }
    }

    fn check_return(&mut self, values: &[Expr], stmt: &Stmt) {
        let last = self.function.body.last().is_some_and(|s| std::ptr::eq(s, stmt));
        if !last {
            self.error(
                stmt.loc,
                "return before the end of the body",
                "end the body with the value; use `if` / `else` around what is skipped",
            );
            return;
        }
        let returns = &self.function.returns;
        if values.len() != returns.len() {
            self.error(
                stmt.loc,
                format!("{} returned, {} declared", count(values.len()), count(returns.len())),
                "return what the function's type declares",
            );
            return;
        }
        for (value, (ty, declared)) in values.iter().zip(returns) {
            self.check_returned(value, ty, *declared, stmt.loc);
        }
    }

    fn check_returned(&mut self, value: &Expr, ty: &Type, declared: Loc, at: Loc) {
        let loc = value.loc.or(at);
        let named = value.as_local().filter(|_| self.open_kind(value).is_none());
        let found = match named {
            Some(id) => {
                if !self.use_local(id, loc) {
                    return;
                }
                self.type_of(id).cloned().unwrap_or(Type::Unknown)
            }
            None => {
                let want = match ty {
                    Type::Scalar(want) => Some(want),
                    _ => None,
                };
                self.scalar(value, want).map_or(Type::Unknown, Type::Scalar)
            }
        };
        if found == Type::Unknown || *ty == Type::Unknown {
            if self.open_kind(value).is_some() && !matches!(ty, Type::Scalar(_)) {
                let declared_type = self.show_type(ty);
                self.error(
                    loc,
                    format!("a number is returned, declared is `{declared_type}`"),
                    "return what the function declares",
                );
            }
            return;
        }
        let agree = match (&found, ty) {
            (Type::Tile(a), Type::Tile(b))
            | (Type::Tensor(a), Type::Tensor(b))
            | (Type::Window(a), Type::Window(b)) => {
                let about = About {
                    loc,
                    message: "the returned shape is not the declared one",
                    help: "declare the shape of what is returned",
                };
                self.elems_agree(&a.elem, &b.elem) && self.shapes_agree(&a.shape, &b.shape, &about)
            }
            (a, b) => a == b,
        };
        if !agree {
            let (shown, declared_type) = (self.show_type(&found), self.show_type(ty));
            let help = match (&found, ty) {
                (Type::Tile(_), ty) if ty.is_memory() => {
                    "store the tile and return the destination: `pl::store(tile, offsets, y)`"
                }
                _ => "return a value of the declared type, or change the declaration",
            };
            self.report(
                Diagnostic::new(loc, format!("`{shown}` is returned, declared is `{declared_type}`"), help)
                    .with(declared, "declared here"),
            );
            return;
        }
        if self.function.kind != FunctionKind::Inline
            && let Some(id) = named
        {
            match self.roots[id.0 as usize].map(|root| &self.function.params[root]) {
                Some(param) if param.mode == Mode::In => {
                    let name = self.name_of(param.local);
                    self.error(
                        loc,
                        format!("`{name}` is returned, which is an `In` parameter"),
                        format!("{} returns what it wrote: an `Out` or `InOut` parameter", self.what()),
                    );
                }
                None if matches!(found, Type::Window(_)) => {
                    let name = self.name_of(id);
                    self.error(
                        loc,
                        format!("`{name}` is returned, a window that is freed when the function ends"),
                        "return an `Out` or `InOut` parameter",
                    );
                }
                _ => {}
            }
        }
    }
}

/// Whether two types that do not agree are alike but for values of extents, which a run checks again.
fn differ_in_extents(a: &Type, b: &Type) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
        && a.shaped().zip(b.shaped()).is_some_and(|(a, b)| a.elem == b.elem && a.shape.len() == b.shape.len())
}

fn count(n: usize) -> String {
    match n {
        0 => "no value".into(),
        1 => "1 value".into(),
        n => format!("{n} values"),
    }
}
