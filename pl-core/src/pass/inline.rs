//! Inlining: the body of a callee where it is called.
//!
//! A callee's memory parameters become the caller's own names of that memory; its other parameters become new locals, or the
//! argument itself where that cannot change. The callee's dims are read off the arguments' types, or off the tiles when the program runs; that
//! the arguments have the declared shapes is a [`StmtKind::Check`].

use super::simplify::{blocks_mut, map_exprs, visit_mut};
use crate::bind::BindError;
use crate::diag::Diagnostic;
use crate::ir::{
    Arg, ArgKind, BinOp, Block, ConstValue, EnumValue, Expr, ExprKind, Function, FunctionKind, Loc, LocalId, Mode,
    Name, Param, Place, Shaped, Stmt, StmtKind, Type,
};
use crate::poly::Poly;
use crate::verify::{Inferred, Moment, verify};
use std::collections::BTreeMap;

/// The most statements that a function may have after inlining.
const MAX_STATEMENTS: usize = 1 << 16;

/// Replaces every call of `caller` by the body of its callee; the callees are linked.
pub(super) fn inline_calls(caller: &mut Function, callees: &[Function]) -> Result<(), BindError> {
    if callees.is_empty() {
        return Ok(());
    }
    let inferred = verify(caller, Moment::Linked).inferred;
    let mut inliner = Inliner::new(caller, &inferred);
    let body = std::mem::take(&mut inliner.caller.body);
    let body = inliner.block(body, callees);
    inliner.finish(body)?;
    caller.callees.clear();
    Ok(())
}

/// The body of a callee at one place of a caller.
pub(super) struct Inliner<'a> {
    pub(super) caller: &'a mut Function,
    inferred: &'a Inferred,
    statements: usize,
    /// Whether the callees are the library's, whose tensor parameters take windows too.
    library: bool,
    errors: Vec<Diagnostic>,
}

impl<'a> Inliner<'a> {
    pub(super) fn new(caller: &'a mut Function, inferred: &'a Inferred) -> Inliner<'a> {
        let mut statements = 0;
        crate::ir::visit(&caller.body, &mut |_| statements += 1);
        Inliner { caller, inferred, statements, library: false, errors: vec![] }
    }

    /// For the functions of the collectives library.
    pub(super) fn of_library(self) -> Inliner<'a> {
        Inliner { library: true, ..self }
    }

    /// Puts the finished body in place, or gives what was wrong.
    pub(super) fn finish(self, body: Block) -> Result<(), BindError> {
        self.caller.body = body;
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(BindError(self.errors.into_iter().map(|e| e.located(self.caller)).collect()))
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    fn block(&mut self, block: Block, callees: &[Function]) -> Block {
        let mut out = vec![];
        for mut stmt in block {
            for nested in blocks_mut(&mut stmt.kind) {
                *nested = self.block(std::mem::take(nested), callees);
            }
            match stmt.kind {
                StmtKind::Call(call) => match callees.get(call.callee as usize) {
                    Some(callee) => out.extend(self.splice(callee, &call.args, &call.dsts, stmt.loc)),
                    None => self.error(Diagnostic::new(stmt.loc, format!("callee {} does not exist", call.callee), "")),
                },
                kind => out.push(Stmt { kind, loc: stmt.loc }),
            }
        }
        out
    }

    /// The statements that a call of `callee` stands for.
    pub(super) fn splice(&mut self, callee: &Function, args: &[Arg], dsts: &[LocalId], loc: Loc) -> Block {
        let name = callee.name.clone();
        if args.len() != callee.params.len() {
            self.error(Diagnostic::new(
                loc,
                format!("`{name}` is called with {} arguments, it has {} parameters", args.len(), callee.params.len()),
                "pass one argument per parameter",
            ));
            return vec![];
        }
        if dsts.len() > callee.returns.len() {
            self.error(Diagnostic::new(
                loc,
                format!("{} values are taken from `{name}`, it returns {}", dsts.len(), callee.returns.len()),
                "take as many as it returns",
            ));
            return vec![];
        }
        let mut size = 0;
        crate::ir::visit(&callee.body, &mut |_| size += 1);
        self.statements += size;
        if self.statements > MAX_STATEMENTS {
            self.error(Diagnostic::new(
                loc,
                format!("inlining `{name}` makes more than {MAX_STATEMENTS} statements"),
                "call in a loop instead of once more in the text",
            ));
            return vec![];
        }
        let base = self.add_places(callee, loc);
        let mut out = vec![];
        let mut locals: Vec<Option<Expr>> = vec![None; callee.locals.len()];
        let assigned = assigned_locals(callee);
        for (param, arg) in callee.params.iter().zip(args) {
            let value = self.argument(callee, param, arg, assigned.contains(&param.local), loc, &mut out);
            locals[param.local.0 as usize] = Some(value);
        }
        let names = self.bind_dims(callee, args, loc);
        for (slot, local) in callee.locals.iter().enumerate() {
            if locals[slot].is_none() {
                locals[slot] = Some(Expr::local(self.caller.add_inlined_local(&local.name, shift(local.loc, base))));
            }
        }
        let renaming = Renaming { callee, locals, names, base };
        for (param, arg) in callee.params.iter().zip(args) {
            if param.ty.shaped().is_some()
                && let Some(local) = arg.as_local()
            {
                let mut check = StmtKind::Check { local, ty: self.declared(param, local) };
                map_exprs(&mut check, &mut |e| renaming.expr(e));
                out.push(Stmt { kind: check, loc: arg.loc.or(loc) });
            }
        }
        let mut body = callee.body.clone();
        let returned = match body.last().map(|s| &s.kind) {
            Some(StmtKind::Return(values)) => {
                let values = values.clone();
                body.pop();
                values
            }
            _ => vec![],
        };
        visit_mut(&mut body, &mut |stmt| renaming.stmt(stmt));
        out.extend(body);
        let values: Vec<Expr> = returned.into_iter().map(|v| v.map(&mut |e| renaming.expr(e))).collect();
        self.assign_results(dsts, values, loc, &mut out);
        out
    }

    /// What a parameter stands for in the caller.
    fn argument(
        &mut self,
        callee: &Function,
        param: &Param,
        arg: &Arg,
        assigned: bool,
        loc: Loc,
        out: &mut Block,
    ) -> Expr {
        let at = arg.loc.or(loc);
        let ArgKind::Value(value) = &arg.kind else {
            self.error(Diagnostic::new(
                at,
                "a list or enum value as an argument of a function",
                "pass scalars, tiles, tensors or windows",
            ));
            return Expr::int(0);
        };
        let parameter = callee.local_name(param.local);
        if param.ty.shaped().is_some() && value.as_local().is_none() {
            self.error(Diagnostic::new(
                at,
                format!(
                    "parameter `{parameter}` of `{}` takes `{}`, found a scalar",
                    callee.name,
                    crate::text::show_type(callee, &param.ty)
                ),
                "pass what the parameter declares",
            ));
            return Expr::int(0);
        }
        if !self.takes(callee, param, value) {
            let found = value.as_local().and_then(|id| self.inferred.types.get(id.0 as usize));
            let found = found.map_or("?".into(), |ty| crate::text::show_type(self.caller, ty));
            let name = value.as_local().map_or("?", |id| self.caller.local_name(id));
            self.error(Diagnostic::new(
                at,
                format!(
                    "`{name}` is `{found}`, parameter `{parameter}` of `{}` takes `{}`",
                    callee.name,
                    crate::text::show_type(callee, &param.ty)
                ),
                "pass what the parameter declares",
            ));
            return value.clone();
        }
        if param.ty.is_memory() {
            self.check_mode(callee, param, value, at);
            return value.clone();
        }
        let value = match (&value.kind, &param.ty) {
            (ExprKind::Lit { value, ty: None }, Type::Scalar(ty)) => {
                Expr::new(ExprKind::Lit { value: *value, ty: Some(ty.clone()) }).at(at)
            }
            _ => value.clone(),
        };
        // The caller's local cannot change while the callee runs; an expression is computed once.
        let simple = matches!(value.kind, ExprKind::Local(_) | ExprKind::Name(_) | ExprKind::Lit { .. });
        if simple && !assigned {
            return value;
        }
        let local = self.caller.add_inlined_local(parameter, at);
        out.push(Stmt { kind: StmtKind::Assign { dst: local, value }, loc: at });
        if let Type::Scalar(_) = param.ty {
            out.push(Stmt { kind: StmtKind::Check { local, ty: param.ty.clone() }, loc: at });
        }
        Expr::local(local)
    }

    /// Whether a tile, tensor or window may be what the parameter declares, as far as kinds, element types and constant extents tell. Ranks are
    /// compared where dims are bound.
    fn takes(&self, callee: &Function, param: &Param, value: &Expr) -> bool {
        let found = value.as_local().and_then(|id| self.inferred.types.get(id.0 as usize));
        let (Some(found), Some(declared)) = (found, param.ty.shaped()) else { return true };
        if *found == Type::Unknown {
            return true;
        }
        let same_kind = std::mem::discriminant(found) == std::mem::discriminant(&param.ty)
            || self.library && found.is_memory() && matches!(param.ty, Type::Tensor(_));
        let Some(shaped) = found.shaped().filter(|_| same_kind) else { return false };
        if shaped.shape.len() != declared.shape.len() {
            return true;
        }
        let constant = |function: &Function, extent: &Option<Expr>| {
            Poly::of(extent.as_ref()?, &|name| function.value_of_name(name, None))?.as_constant()
        };
        let extents_may_agree = declared.shape.iter().zip(&shaped.shape).all(|(declared, found)| {
            let (declared, found) = (constant(callee, declared), constant(self.caller, found));
            declared.zip(found).is_none_or(|(declared, found)| declared == found)
        });
        declared.elem == shaped.elem && extents_may_agree
    }

    /// The type that an argument must have.
    fn declared(&self, param: &Param, argument: LocalId) -> Type {
        let window = matches!(self.inferred.types.get(argument.0 as usize), Some(Type::Window(_)));
        match &param.ty {
            Type::Tensor(shaped) if self.library && window => Type::Window(shaped.clone()),
            ty => ty.clone(),
        }
    }

    /// What the callee writes, the caller must have a right to write.
    fn check_mode(&mut self, callee: &Function, param: &Param, value: &Expr, at: Loc) {
        let Some(root) = value.as_local().and_then(|id| self.inferred.roots.get(id.0 as usize).copied().flatten())
        else {
            return;
        };
        let owner = &self.caller.params[root];
        if param.mode != Mode::In && owner.mode == Mode::In {
            let (name, parameter) = (self.caller.local_name(owner.local), callee.local_name(param.local));
            let diagnostic = Diagnostic::new(
                at,
                format!(
                    "`{name}` is an `In` parameter and is passed as `{parameter}` of `{}`, which is `{}`",
                    callee.name,
                    param.mode.name()
                ),
                format!("declare `{name}` as `pl::InOut<…>` or `pl::Out<…>`"),
            );
            self.error(diagnostic);
        }
    }

    /// The callee's dims, as expressions of the caller.
    fn bind_dims(&mut self, callee: &Function, args: &[Arg], loc: Loc) -> BTreeMap<Name, Expr> {
        let errors = self.errors.len();
        let mut names: BTreeMap<Name, Expr> = BTreeMap::new();
        let mut equations: Vec<(&Expr, Expr)> = vec![];
        for (param, arg) in callee.params.iter().zip(args) {
            let (Some(Shaped { shape, .. }), Some(local)) = (param.ty.shaped(), arg.as_local()) else { continue };
            let found = self.inferred.types.get(local.0 as usize).and_then(Type::shaped);
            if let Some(found) = found
                && found.shape.len() != shape.len()
            {
                let diagnostic = Diagnostic::new(
                    arg.loc.or(loc),
                    format!(
                        "`{}` has {} axes, parameter `{}` of `{}` has {}",
                        self.caller.local_name(local),
                        found.shape.len(),
                        callee.local_name(param.local),
                        callee.name,
                        shape.len()
                    ),
                    "pass memory or a tile of the rank that the parameter declares",
                );
                self.error(diagnostic);
                continue;
            }
            for (axis, extent) in shape.iter().enumerate() {
                let value = match found.and_then(|f| f.shape[axis].clone()) {
                    Some(known) => known,
                    None => Expr::new(ExprKind::Extent(local, axis as u32)),
                };
                equations.extend(extent.as_ref().map(|e| (e, value)));
            }
        }
        loop {
            let before = names.len();
            for (extent, value) in &equations {
                if let Some((name, value)) = solve(callee, &names, extent, value.clone()) {
                    names.insert(name, value);
                }
            }
            if names.len() == before {
                break;
            }
        }
        for (name, _) in &callee.dynamic {
            // An argument of another rank is reported already.
            if !names.contains_key(name) && self.errors.len() == errors {
                let diagnostic = Diagnostic::new(
                    loc,
                    format!("no argument binds dim `{name}` of `{}`", callee.name),
                    "pass arguments whose shapes tell it",
                );
                self.error(diagnostic);
                names.insert(name.clone(), Expr::int(0));
            }
        }
        names
    }

    /// Adds the callee's places, as called from here; where they begin in the caller's table.
    fn add_places(&mut self, callee: &Function, call: Loc) -> u32 {
        let base = self.caller.places.len() as u32;
        let call = self.caller.place(call).cloned();
        let kernel = callee.kind == FunctionKind::InCore && self.caller.kind == FunctionKind::Orchestration;
        let inlined = |place: &Place| match &call {
            None => place.clone(),
            Some(call) if kernel => place.in_kernel_called_at(call),
            Some(call) => place.inlined_at(call),
        };
        self.caller.places.extend(callee.places.iter().map(inlined));
        base
    }

    /// Assigns the results all at once: a value may name a local that an earlier assignment changes.
    fn assign_results(&mut self, dsts: &[LocalId], values: Vec<Expr>, loc: Loc, out: &mut Block) {
        let mut clobbers = false;
        for value in values.iter().skip(1) {
            value.walk(&mut |e| clobbers |= e.as_local().is_some_and(|id| dsts.contains(&id)));
        }
        let assign = |dst: LocalId, value: Expr| Stmt { kind: StmtKind::Assign { dst, value }, loc };
        if !clobbers {
            out.extend(dsts.iter().zip(values).filter(|(d, v)| v.as_local() != Some(**d)).map(|(d, v)| assign(*d, v)));
            return;
        }
        let mut moves = vec![];
        for (dst, value) in dsts.iter().zip(values) {
            let temporary = self.caller.add_inlined_local("result", loc);
            out.push(assign(temporary, value));
            moves.push(assign(*dst, Expr::local(temporary)));
        }
        out.extend(moves);
    }
}

fn shift(loc: Loc, base: u32) -> Loc {
    if loc == Loc::NONE { loc } else { Loc(loc.0.saturating_add(base)) }
}

fn assigned_locals(function: &Function) -> Vec<LocalId> {
    let mut assigned = vec![];
    crate::ir::visit(&function.body, &mut |stmt| {
        stmt.kind.for_each_dst(&mut |id| assigned.push(id));
        if let StmtKind::For { var, .. } = stmt.kind {
            assigned.push(var);
        }
    });
    assigned
}

/// Solves `extent == value` for the only dim in it that is not known yet.
pub(super) fn solve(
    callee: &Function,
    known: &BTreeMap<Name, Expr>,
    extent: &Expr,
    value: Expr,
) -> Option<(Name, Expr)> {
    let open = |e: &Expr| {
        let mut open = 0;
        e.walk(&mut |e| {
            open += usize::from(matches!(&e.kind, ExprKind::Name(n) if callee.is_dynamic(n) && !known.contains_key(n)));
        });
        open
    };
    if open(extent) != 1 {
        return None;
    }
    let substitute = |e: &Expr| {
        e.clone().map(&mut |e| match &e.kind {
            ExprKind::Name(n) => known.get(n).cloned().or_else(|| constant(callee, n)).unwrap_or(e),
            _ => e,
        })
    };
    match &extent.kind {
        ExprKind::Name(name) => Some((name.clone(), value)),
        ExprKind::Binary(op, a, b) => {
            let left = open(a) == 1;
            let (unknown, other) = if left { (a, substitute(b)) } else { (b, substitute(a)) };
            let value = match (op, left) {
                (BinOp::Mul, _) => Expr::binary(BinOp::Div, value, other),
                (BinOp::Add, _) => Expr::binary(BinOp::Sub, value, other),
                (BinOp::Sub, true) => Expr::binary(BinOp::Add, value, other),
                (BinOp::Sub, false) => Expr::binary(BinOp::Sub, other, value),
                _ => return None,
            };
            solve(callee, known, unknown, value)
        }
        _ => None,
    }
}

pub(super) fn constant(callee: &Function, name: &str) -> Option<Expr> {
    match callee.constant(name)?.value.as_ref()? {
        ConstValue::Scalar(value, ty) => Some(Expr::new(ExprKind::Lit { value: *value, ty: Some(ty.clone()) })),
        ConstValue::Enum(..) => None,
    }
}

/// From a callee's locals, names and locations to the caller's.
struct Renaming<'a> {
    callee: &'a Function,
    locals: Vec<Option<Expr>>,
    names: BTreeMap<Name, Expr>,
    base: u32,
}

impl Renaming<'_> {
    fn expr(&self, e: Expr) -> Expr {
        let loc = shift(e.loc, self.base);
        let kind = match e.kind {
            ExprKind::Local(id) => match self.locals.get(id.0 as usize).and_then(Option::as_ref) {
                Some(value) => value.kind.clone(),
                None => ExprKind::Local(id),
            },
            ExprKind::Extent(id, axis) => ExprKind::Extent(self.local(id), axis),
            ExprKind::Name(name) => match self.names.get(&name).cloned().or_else(|| constant(self.callee, &name)) {
                Some(value) => value.kind,
                None => ExprKind::Name(name),
            },
            kind => kind,
        };
        Expr { kind, loc }
    }

    fn local(&self, id: LocalId) -> LocalId {
        self.locals.get(id.0 as usize).and_then(Option::as_ref).and_then(Expr::as_local).unwrap_or(id)
    }

    /// Renames a statement itself; its nested blocks are visited on their own.
    fn stmt(&self, stmt: &mut Stmt) {
        stmt.loc = shift(stmt.loc, self.base);
        map_exprs(&mut stmt.kind, &mut |e| self.expr(e));
        match &mut stmt.kind {
            StmtKind::Assign { dst, .. } => *dst = self.local(*dst),
            StmtKind::Op(op) => {
                op.dst = op.dst.map(|d| self.local(d));
                for arg in &mut op.args {
                    arg.loc = shift(arg.loc, self.base);
                    if let ArgKind::Enum(_, value) = &mut arg.kind
                        && let EnumValue::Const(name) = value
                        && let Some(Some(ConstValue::Enum(_, known))) = self.callee.constant(name).map(|c| &c.value)
                    {
                        *value = EnumValue::Known(*known);
                    }
                }
            }
            StmtKind::Call(call) => call.dsts.iter_mut().for_each(|d| *d = self.local(*d)),
            StmtKind::Check { local, .. } => *local = self.local(*local),
            StmtKind::For { var, .. } => *var = self.local(*var),
            _ => {}
        }
    }
}
