//! Calls of kernels, from `Orchestration` and `Host` functions: what can be known of them once the callees are.
//!
//! The calls of an `Orchestration` function are inlined after this; those of a `Host` function stay, and are launched when it runs.

use super::inline::{constant, solve};
use super::simplify::blocks_mut;
use crate::diag::Diagnostic;
use crate::ir::{
    Arg, ArgKind, Call, Expr, ExprKind, Function, FunctionKind, Lit, Loc, LocalId, Mode, Name, Param, ScalarType, Stmt,
    StmtKind, Type, dispatches,
};
use crate::poly::{Comparison, Poly};
use crate::verify::{Inferred, Moment, verify};
use std::collections::BTreeMap;

/// Checks every call of a function whose callees are linked: levels, and arguments against parameters.
pub(super) fn check_calls(caller: &Function, callees: &[Function]) -> Vec<Diagnostic> {
    if callees.is_empty() {
        return vec![];
    }
    let kernels = matches!(caller.kind, FunctionKind::Orchestration | FunctionKind::Host);
    let inferred = if kernels { verify(caller, Moment::Linked).inferred } else { Inferred::default() };
    let mut checker = Calls { caller, inferred: &inferred, written: vec![false; caller.params.len()], errors: vec![] };
    checker.block(&caller.body, callees, kernels, &[]);
    checker.errors
}

/// Makes the results of calls what they are, memory that was an argument; and gives bare literals the types of their parameters.
pub(super) fn settle_results(caller: &mut Function, callees: &[Function]) {
    let results: Vec<Vec<Option<usize>>> = callees.iter().map(returned_params).collect();
    let mut body = std::mem::take(&mut caller.body);
    settle_block(&mut body, callees, &results);
    caller.body = body;
}

/// For each value that a function returns: the position of the parameter whose memory it is.
fn returned_params(function: &Function) -> Vec<Option<usize>> {
    let Some(StmtKind::Return(values)) = function.body.last().map(|s| &s.kind) else { return vec![] };
    let roots = verify(function, Moment::Linked).inferred.roots;
    values.iter().map(|v| roots.get(v.as_local()?.0 as usize).copied().flatten()).collect()
}

fn settle_block(block: &mut Vec<Stmt>, callees: &[Function], results: &[Vec<Option<usize>>]) {
    let mut settled = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        for nested in blocks_mut(&mut stmt.kind) {
            settle_block(nested, callees, results);
        }
        let mut assigns = vec![];
        if let StmtKind::Call(call) = &mut stmt.kind
            && let Some(callee) = callees.get(call.callee as usize)
        {
            type_literals(call, callee);
            let positions = results.get(call.callee as usize).map_or(&[][..], |r| r);
            for (dst, position) in std::mem::take(&mut call.dsts).into_iter().zip(positions) {
                let value = position.and_then(|p| call.args.get(p)).and_then(Arg::as_local);
                if let Some(value) = value.filter(|value| *value != dst) {
                    let kind = StmtKind::Assign { dst, value: Expr::local(value).at(stmt.loc) };
                    assigns.push(Stmt { kind, loc: stmt.loc });
                }
            }
        }
        settled.push(stmt);
        settled.extend(assigns);
    }
    *block = settled;
}

fn type_literals(call: &mut Call, callee: &Function) {
    for (param, arg) in callee.params.iter().zip(&mut call.args) {
        if let (Type::Scalar(scalar), ArgKind::Value(value)) = (&param.ty, &mut arg.kind)
            && let ExprKind::Lit { ty: ty @ None, .. } = &mut value.kind
        {
            *ty = Some(scalar.clone());
        }
    }
}

struct Calls<'a> {
    caller: &'a Function,
    inferred: &'a Inferred,
    /// Parameters that a call before this one may have written.
    written: Vec<bool>,
    errors: Vec<Diagnostic>,
}

impl Calls<'_> {
    fn error(&mut self, loc: Loc, message: String, help: impl Into<String>) {
        let diagnostic = Diagnostic::new(loc, message, help);
        if !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        }
    }

    /// Checks the calls of a block. `around`: the parameters that calls of loops around it write.
    fn block(&mut self, block: &[Stmt], callees: &[Function], kernels: bool, around: &[usize]) {
        for stmt in block {
            if let StmtKind::Call(call) = &stmt.kind {
                let Some(callee) = callees.get(call.callee as usize) else { continue };
                if self.level(callee, stmt.loc) && kernels {
                    self.call(call, callee, around, stmt.loc);
                }
            }
            let mut inside = around.to_vec();
            // What one iteration writes, the next may read. Not where the iterations are launched together.
            let repeated = match &stmt.kind {
                StmtKind::While { .. } => true,
                StmtKind::For { body, .. } => self.caller.kind == FunctionKind::Orchestration || !dispatches(body),
                _ => false,
            };
            if repeated {
                for nested in stmt.kind.blocks() {
                    self.writes(nested, callees, &mut inside);
                }
            }
            for nested in stmt.kind.blocks() {
                self.block(nested, callees, kernels, &inside);
            }
        }
    }

    /// The parameters that the calls of a block write.
    fn writes(&self, block: &[Stmt], callees: &[Function], found: &mut Vec<usize>) {
        crate::ir::visit(block, &mut |stmt| {
            let StmtKind::Call(call) = &stmt.kind else { return };
            let Some(callee) = callees.get(call.callee as usize) else { return };
            for (param, arg) in callee.params.iter().zip(&call.args) {
                if param.mode != Mode::In {
                    found.extend(self.root(arg));
                }
            }
        });
    }

    fn root(&self, arg: &Arg) -> Option<usize> {
        self.inferred.roots.get(arg.as_local()?.0 as usize).copied().flatten()
    }

    fn type_of(&self, id: LocalId) -> Option<&Type> {
        self.inferred.types.get(id.0 as usize)
    }

    /// Functions of this level call functions of that one.
    fn level(&mut self, callee: &Function, loc: Loc) -> bool {
        let (caller, levels) = (self.caller.kind, self.caller.kind.calls());
        if levels.contains(&callee.kind) {
            return true;
        }
        let names: Vec<&str> = levels.iter().map(|l| l.name()).collect();
        let name = &callee.name;
        let help = match (caller, callee.kind) {
            (FunctionKind::Orchestration | FunctionKind::Host, FunctionKind::Inline) => {
                format!("call `{name}` in an `InCore` function, and that one here")
            }
            (FunctionKind::InCore | FunctionKind::Inline, FunctionKind::InCore) => {
                format!("declare `{name}` as `#[pl::function(Inline)]`, or call both in an `Orchestration` function")
            }
            (_, FunctionKind::Host) => format!("run `{name}` from the host: `world.run({name}(…))`"),
            _ => format!("call `{name}` in a `Host` function, with `device = r`"),
        };
        self.error(
            loc,
            format!(
                "`{name}` is {} function, {} function calls {} functions",
                with_article(callee.kind),
                with_article(caller),
                names.join(" and ")
            ),
            help,
        );
        false
    }

    fn call(&mut self, call: &Call, callee: &Function, around: &[usize], loc: Loc) {
        let name = &callee.name;
        if call.args.len() != callee.params.len() {
            self.error(
                loc,
                format!(
                    "`{name}` is called with {} arguments, it has {} parameters",
                    call.args.len(),
                    callee.params.len()
                ),
                "pass one argument per parameter",
            );
            return;
        }
        if call.dsts.len() > callee.returns.len() {
            self.error(
                loc,
                format!("{} values are taken from `{name}`, it returns {}", call.dsts.len(), callee.returns.len()),
                "take as many as it returns",
            );
        }
        let mut fit = true;
        for (param, arg) in callee.params.iter().zip(&call.args) {
            fit &= self.argument(callee, param, arg, around, arg.loc.or(loc));
        }
        if fit {
            self.extents(call, callee, loc);
        }
        for (param, arg) in callee.params.iter().zip(&call.args) {
            if param.mode != Mode::In
                && let Some(root) = self.root(arg)
            {
                self.written[root] = true;
            }
        }
    }

    /// Checks one argument but for its extents; false when these need not be looked at.
    fn argument(&mut self, callee: &Function, param: &Param, arg: &Arg, around: &[usize], at: Loc) -> bool {
        let ArgKind::Value(value) = &arg.kind else { return false };
        match &param.ty {
            Type::Scalar(want) => self.scalar(callee, param, value, want, at),
            _ => self.memory(callee, param, value, around, at),
        }
    }

    fn scalar(&mut self, callee: &Function, param: &Param, value: &Expr, want: &ScalarType, at: Loc) -> bool {
        let parameter = callee.local_name(param.local);
        let found = match value.as_local().and_then(|id| self.type_of(id)) {
            Some(Type::Scalar(found)) => Some(found.clone()),
            Some(Type::Unknown) => return true,
            Some(other) => {
                let (shown, wanted) = (
                    crate::text::show_type(self.caller, other),
                    crate::text::show_type(callee, &Type::Scalar(want.clone())),
                );
                let name = value.as_local().map_or("?", |id| self.caller.local_name(id));
                let message =
                    format!("`{name}` is `{shown}`, parameter `{parameter}` of `{}` takes `{wanted}`", callee.name);
                self.error(at, message, "pass a scalar");
                return false;
            }
            None => self.inferred.scalar_type(self.caller, value),
        };
        let fits = match &found {
            Some(found) => found == want,
            None => literal_fits(value, want),
        };
        if !fits {
            let wanted = crate::text::show_type(callee, &Type::Scalar(want.clone()));
            let shown = match &found {
                Some(found) => format!("`{}`", crate::text::show_type(self.caller, &Type::Scalar(found.clone()))),
                None => format!("`{}`", crate::text::show_expr(self.caller, value)),
            };
            let message = format!("{shown} is passed as `{parameter}` of `{}`, which takes `{wanted}`", callee.name);
            self.error(at, message, format!("convert it: `… as {wanted}`"));
        }
        fits
    }

    fn memory(&mut self, callee: &Function, param: &Param, value: &Expr, around: &[usize], at: Loc) -> bool {
        let parameter = callee.local_name(param.local);
        let declared = crate::text::show_type(callee, &param.ty);
        let Some(id) = value.as_local() else {
            let message = format!("parameter `{parameter}` of `{}` takes `{declared}`, found a scalar", callee.name);
            self.error(at, message, "pass what the parameter declares");
            return false;
        };
        let name = self.caller.local_name(id);
        let Some(found) = self.type_of(id).filter(|ty| **ty != Type::Unknown).cloned() else { return false };
        let shown = crate::text::show_type(self.caller, &found);
        let kind = std::mem::discriminant(&found) == std::mem::discriminant(&param.ty);
        let (a, b) = (found.shaped(), param.ty.shaped());
        if !kind || a.zip(b).is_some_and(|(a, b)| a.elem != b.elem) {
            let help = match (&found, &param.ty) {
                (Type::Window(_), Type::Tensor(_)) => {
                    "pass a tensor; a kernel that takes a window declares `pld::DistributedTensor<…>`"
                }
                (Type::Tensor(_), Type::Window(_)) => {
                    "pass a window: every rank has its part of it, and ranks reach each other's"
                }
                (Type::Buffer, Type::Window(_)) => "make it a window: `pld::window::<…>(buffer, [..])`",
                _ => "pass what the parameter declares",
            };
            let message =
                format!("`{name}` is `{shown}`, parameter `{parameter}` of `{}` takes `{declared}`", callee.name);
            self.error(at, message, help);
            return false;
        }
        if let Some((a, b)) = a.zip(b)
            && a.shape.len() != b.shape.len()
        {
            let (found, wanted) = (a.shape.len(), b.shape.len());
            let help = if self.caller.kind == FunctionKind::Host && found == wanted + 1 {
                format!("pass the part of one rank: `{name}[r]`")
            } else {
                "pass memory of the rank that the parameter declares".into()
            };
            let message = format!(
                "`{name}` is `{shown}` with {found} axes, parameter `{parameter}` of `{}` takes `{declared}` with {wanted}",
                callee.name
            );
            self.error(at, message, help);
            return false;
        }
        let Some(root) = self.inferred.roots.get(id.0 as usize).copied().flatten() else { return true };
        let owner = &self.caller.params[root];
        let owner_name = self.caller.local_name(owner.local);
        if param.mode != Mode::In && owner.mode == Mode::In {
            let message = format!(
                "`{owner_name}` is an `In` parameter and is passed as `{parameter}` of `{}`, which is `{}`",
                callee.name,
                param.mode.name()
            );
            self.error(at, message, format!("declare `{owner_name}` as `pl::InOut<…>` or `pl::Out<…>`"));
            return false;
        }
        if param.mode != Mode::Out && owner.mode == Mode::Out && !self.written[root] && !around.contains(&root) {
            let message = format!(
                "`{owner_name}` is an `Out` parameter that no call has written before, and is read as `{parameter}` of `{}`",
                callee.name
            );
            let help = format!(
                "call a kernel that writes `{owner_name}` first, or declare it `pl::InOut<…>` if it comes with data"
            );
            self.error(at, message, help);
        }
        true
    }

    /// Checks the extents of all arguments: the callee's dims have one value in a call.
    fn extents(&mut self, call: &Call, callee: &Function, loc: Loc) {
        let found_of = |arg: &Arg| self.type_of(arg.as_local()?).and_then(Type::shaped);
        let mut names: BTreeMap<Name, Expr> = BTreeMap::new();
        // Which parameter told a dim.
        let mut from: BTreeMap<Name, &str> = BTreeMap::new();
        loop {
            let before = names.len();
            for (param, arg) in callee.params.iter().zip(&call.args) {
                let (Some(declared), Some(found)) = (param.ty.shaped(), found_of(arg)) else { continue };
                for (extent, value) in declared.shape.iter().zip(&found.shape) {
                    let (Some(extent), Some(value)) = (extent, value) else { continue };
                    if let Some((name, value)) = solve(callee, &names, extent, value.clone()) {
                        from.insert(name.clone(), callee.local_name(param.local));
                        names.insert(name, value);
                    }
                }
            }
            if names.len() == before {
                break;
            }
        }
        let mut errors = vec![];
        for (param, arg) in callee.params.iter().zip(&call.args) {
            let (Some(declared), Some(found)) = (param.ty.shaped(), found_of(arg)) else { continue };
            for (axis, (extent, value)) in declared.shape.iter().zip(&found.shape).enumerate() {
                let (Some(extent), Some(value)) = (extent, value) else { continue };
                let Some(expected) = substitute(callee, &names, extent) else { continue };
                if !self.differ(&expected, value) {
                    continue;
                }
                let name = arg.as_local().map_or("?", |id| self.caller.local_name(id));
                let (shown, declared) =
                    (crate::text::show_expr(self.caller, value), crate::text::show_expr(callee, extent));
                let mut sides = vec![];
                extent.walk(&mut |e| {
                    if let ExprKind::Name(dim) = &e.kind
                        && let (Some(value), Some(param)) = (names.get(dim), from.get(dim))
                    {
                        let value = crate::text::show_expr(self.caller, value);
                        let side = format!("`{dim}` = `{value}` from the argument for `{param}`");
                        if !sides.contains(&side) {
                            sides.push(side);
                        }
                    }
                });
                let with = if sides.is_empty() { String::new() } else { format!(" ({})", sides.join(", ")) };
                errors.push((
                    arg.loc.or(loc),
                    format!(
                        "axis {axis} of `{name}` is `{shown}`, parameter `{}` of `{}` has `{declared}`{with}",
                        callee.local_name(param.local),
                        callee.name
                    ),
                ));
            }
        }
        for (at, message) in errors {
            self.error(at, message, "the shapes of the arguments must agree with those that the function declares");
        }
    }

    /// Whether two extents, in the names of the caller, are known to differ.
    fn differ(&self, a: &Expr, b: &Expr) -> bool {
        let poly = |e: &Expr| Poly::of(e, &|name| self.caller.value_of_name(name, None));
        let (Some(a), Some(b)) = (poly(a), poly(b)) else { return false };
        a.compare(&b, &|name| self.caller.is_dynamic(name)) == Comparison::Differ
    }
}

/// `an InCore`, `a Host`
fn with_article(level: FunctionKind) -> String {
    format!("{} {}", if level == FunctionKind::Host { "a" } else { "an" }, level.name())
}

/// Whether an expression of bare literals may be of this type.
fn literal_fits(value: &Expr, want: &ScalarType) -> bool {
    let mut fits = true;
    value.walk(&mut |e| {
        fits &= match (&e.kind, want) {
            (ExprKind::Lit { value: Lit::Int(_) | Lit::Float(_), .. }, ScalarType::Bool) => false,
            (ExprKind::Lit { value: Lit::Float(_), .. }, ScalarType::Index) => false,
            (ExprKind::Lit { value: Lit::Float(_), .. }, ScalarType::Elem(crate::ir::Elem::Known(dtype))) => {
                dtype.is_float()
            }
            _ => true,
        };
    });
    fits
}

/// An extent of the callee in the names of the caller; `None` where a dim has no value.
fn substitute(callee: &Function, names: &BTreeMap<Name, Expr>, extent: &Expr) -> Option<Expr> {
    let mut known = true;
    let substituted = extent.clone().map(&mut |e| match &e.kind {
        ExprKind::Name(name) => match names.get(name).cloned().or_else(|| constant(callee, name)) {
            Some(value) => value,
            None => {
                known = false;
                e
            }
        },
        _ => e,
    });
    known.then_some(substituted)
}
