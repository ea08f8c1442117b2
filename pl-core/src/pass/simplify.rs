//! Replaces what is known by what it is known to be.

use crate::bind::Bindings;
use crate::dtype::DType;
use crate::ir::{
    Arg, ArgKind, Block, ConstValue, Elem, EnumValue, Expr, ExprKind, Function, Lit, Name, ScalarType, Stmt, StmtKind,
    Type, UnOp,
};
use crate::op::ParamKind;
use crate::poly::Poly;
use crate::verify::{Inferred, Known};

/// Changes each expression of a statement itself; nested blocks do not count.
pub(super) fn map_exprs(kind: &mut StmtKind, f: &mut dyn FnMut(Expr) -> Expr) {
    let mut apply = |e: &mut Expr| {
        let taken = std::mem::replace(e, Expr::int(0));
        *e = taken.map(f);
    };
    match kind {
        StmtKind::Assign { value, .. } => apply(value),
        StmtKind::Op(crate::ir::Op { args, .. }) => args.iter_mut().flat_map(Arg::exprs_mut).for_each(apply),
        StmtKind::Call(crate::ir::Call { args, device, .. }) => {
            args.iter_mut().flat_map(Arg::exprs_mut).chain(device).for_each(apply);
        }
        StmtKind::Check { ty, .. } => {
            ty.shaped_mut().into_iter().flat_map(|s| s.shape.iter_mut().flatten()).for_each(apply);
        }
        StmtKind::For { start, end, step, .. } => [start, end, step].into_iter().for_each(apply),
        StmtKind::While { cond, .. } | StmtKind::If { cond, .. } => apply(cond),
        StmtKind::Return(values) => values.iter_mut().for_each(apply),
    }
}

/// The nested blocks of a statement, to change.
pub(super) fn blocks_mut(kind: &mut StmtKind) -> Vec<&mut Block> {
    match kind {
        StmtKind::For { body, .. } => vec![body],
        StmtKind::While { pre, body, .. } => vec![pre, body],
        StmtKind::If { then, els, .. } => vec![then, els],
        _ => vec![],
    }
}

/// Calls `f` for each statement, nested ones included, to change.
pub(super) fn visit_mut(block: &mut Block, f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        f(stmt);
        for nested in blocks_mut(&mut stmt.kind) {
            visit_mut(nested, f);
        }
    }
}

/// Writes the values of filled constants where enum arguments named them.
pub(super) fn known_enums(function: &mut Function) {
    let known: Vec<_> = function.consts.iter().filter_map(|c| Some((c.name.clone(), c.value.clone()?))).collect();
    visit_mut(&mut function.body, &mut |stmt| {
        let StmtKind::Op(op) = &mut stmt.kind else { return };
        for arg in &mut op.args {
            if let ArgKind::Enum(kind, value) = &mut arg.kind
                && let EnumValue::Const(name) = value
                && let Some((_, ConstValue::Enum(of, wire))) = known.iter().find(|(n, _)| n == name)
                && of == kind
            {
                *value = EnumValue::Known(*wire);
            }
        }
    });
}

/// Writes the types of filled type parameters where the parameters' names stood.
pub(super) fn known_types(function: &mut Function) {
    let known: Vec<_> = function.types.iter().filter_map(|t| Some((t.name.clone(), t.value?))).collect();
    let elem = |elem: &mut Elem| {
        if let Elem::Param(name) = elem
            && let Some((_, dtype)) = known.iter().find(|(n, _)| n == name)
        {
            *elem = Elem::Known(*dtype);
        }
    };
    let scalar = |ty: &mut ScalarType| {
        if let ScalarType::Elem(e) = ty {
            elem(e);
        }
    };
    let ty = |ty: &mut Type| {
        match ty {
            Type::Scalar(s) => scalar(s),
            other => other.shaped_mut().into_iter().for_each(|s| elem(&mut s.elem)),
        };
    };
    function.params.iter_mut().for_each(|p| ty(&mut p.ty));
    function.returns.iter_mut().for_each(|r| ty(&mut r.0));
    visit_mut(&mut function.body, &mut |stmt| {
        match &mut stmt.kind {
            StmtKind::Check { ty: declared, .. } => ty(declared),
            StmtKind::Op(op) => op.elem.iter_mut().for_each(&elem),
            _ => {}
        }
        map_exprs(&mut stmt.kind, &mut |mut e| {
            match &mut e.kind {
                ExprKind::Lit { ty: Some(ty), .. } | ExprKind::Cast(ty, _) => scalar(ty),
                _ => {}
            }
            e
        });
    });
}

/// Replaces `extent(…)` by the extent where the type tells it, and drops checks that hold.
pub(super) fn known_extents(function: &mut Function, inferred: &Inferred, bindings: Option<&Bindings>) {
    let mut body = std::mem::take(&mut function.body);
    visit_mut(&mut body, &mut |stmt| map_exprs(&mut stmt.kind, &mut |e| extent(e, inferred)));
    drop_checks(&mut body, &|local: crate::ir::LocalId, ty: &Type| {
        let same = |a: &Expr, b: &Expr| {
            let poly = |e: &Expr| Poly::of(e, &|name| function.value_of_name(name, bindings));
            poly(a).is_some() && poly(a) == poly(b)
        };
        match (inferred.types.get(local.0 as usize), ty) {
            (Some(Type::Tile(a)), Type::Tile(b))
            | (Some(Type::Tensor(a)), Type::Tensor(b))
            | (Some(Type::Window(a)), Type::Window(b)) => {
                a.elem == b.elem
                    && a.shape.len() == b.shape.len()
                    && a.shape.iter().zip(&b.shape).all(|pair| match pair {
                        (Some(a), Some(b)) => same(a, b),
                        (_, None) => true,
                        (None, Some(_)) => false,
                    })
            }
            // The types of scalars and contexts are the verifier's affair alone, and it has spoken.
            (_, Type::Scalar(_) | Type::Context | Type::Buffer | Type::Unknown) => true,
            _ => false,
        }
    });
    function.body = body;
}

/// Writes literals as a user would: negative ones as such, and without a type where their place gives them one.
pub(super) fn plain_literals(function: &mut Function) {
    let dims: Vec<_> = function.dynamic.iter().map(|(name, _)| name.clone()).collect();
    visit_mut(&mut function.body, &mut |stmt| {
        map_exprs(&mut stmt.kind, &mut negated);
        map_exprs(&mut stmt.kind, &mut |e| beside_a_dim(e, &dims));
        match &mut stmt.kind {
            StmtKind::Op(op) => {
                for (arg, param) in op.args.iter_mut().zip(op.code.info().params) {
                    let given = match param.kind {
                        ParamKind::I32 => ScalarType::Elem(Elem::Known(DType::I32)),
                        ParamKind::Peer
                        | ParamKind::Index
                        | ParamKind::Offsets(_)
                        | ParamKind::Shape(_)
                        | ParamKind::Extents => ScalarType::Index,
                        _ => continue,
                    };
                    arg.exprs_mut().iter_mut().for_each(|e| untyped(e, &given));
                }
            }
            StmtKind::For { start, end, step, .. } => {
                [start, end, step].into_iter().for_each(|e| untyped(e, &ScalarType::Index));
            }
            _ => {}
        }
    });
}

/// A literal in place of its negation.
fn negated(e: Expr) -> Expr {
    let ExprKind::Unary(UnOp::Neg, inner) = &e.kind else { return e };
    let ExprKind::Lit { value, ty } = &inner.kind else { return e };
    let value = match value {
        Lit::Int(value) => value.checked_neg().map(Lit::Int),
        Lit::Float(value) => Some(Lit::Float(-value)),
        Lit::Bool(_) => None,
    };
    match value {
        Some(value) => Expr { kind: ExprKind::Lit { value, ty: ty.clone() }, loc: e.loc },
        None => e,
    }
}

/// A literal index beside an expression of dims is one without saying so.
fn beside_a_dim(mut e: Expr, dims: &[Name]) -> Expr {
    if let ExprKind::Binary(_, a, b) = &mut e.kind {
        let of_dims = |e: &Expr| {
            let mut found = false;
            e.walk(&mut |e| found |= matches!(&e.kind, ExprKind::Name(name) if dims.contains(name)));
            found
        };
        match (of_dims(a), of_dims(b)) {
            (true, false) => untyped(b, &ScalarType::Index),
            (false, true) => untyped(a, &ScalarType::Index),
            _ => {}
        }
    }
    e
}

/// Takes the type of a literal away where it stands for a value of that type.
fn untyped(e: &mut Expr, given: &ScalarType) {
    if let ExprKind::Lit { ty, .. } = &mut e.kind
        && ty.as_ref() == Some(given)
    {
        *ty = None;
    }
}

fn extent(e: Expr, inferred: &Inferred) -> Expr {
    let ExprKind::Extent(id, axis) = e.kind else { return e };
    let known =
        inferred.types.get(id.0 as usize).and_then(Type::shaped).and_then(|s| s.shape.get(axis as usize)?.clone());
    match known {
        Some(known) => known.at(e.loc),
        None => e,
    }
}

fn drop_checks(block: &mut Block, holds: &dyn Fn(crate::ir::LocalId, &Type) -> bool) {
    block.retain(|stmt| !matches!(&stmt.kind, StmtKind::Check { local, ty } if holds(*local, ty)));
    for stmt in block {
        for nested in blocks_mut(&mut stmt.kind) {
            drop_checks(nested, holds);
        }
    }
}

/// Leaves out what does not run: the side of a branch that is not taken, a loop over an empty range.
pub(super) fn fold(block: Block, known: &Known<'_>) -> Block {
    let mut out = vec![];
    for mut stmt in block {
        for nested in blocks_mut(&mut stmt.kind) {
            *nested = fold(std::mem::take(nested), known);
        }
        match stmt.kind {
            StmtKind::If { cond, then, els } => match known.truth(&cond) {
                Some(true) => out.extend(then),
                Some(false) => out.extend(els),
                None => out.push(Stmt { kind: StmtKind::If { cond, then, els }, loc: stmt.loc }),
            },
            StmtKind::For { start, end, .. }
                if known.index(&start).zip(known.index(&end)).is_some_and(|(s, e)| s >= e) => {}
            kind => out.push(Stmt { kind, loc: stmt.loc }),
        }
    }
    out
}
