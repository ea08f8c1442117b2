//! Loops and `if`.

use super::stmt::strip;
use super::{Kind, Lower, Rhs, Target, Value, Var, reject};
use crate::context::{path_text, text_of};
use crate::places::{Range, edges};
use pl_core::ir::{Expr, ExprKind, Lit, Loc, StmtKind};
use quote::quote;
use syn::Pat;

impl Lower<'_> {
    pub(super) fn for_loop(&mut self, e: &mut syn::ExprForLoop) {
        if let Some(label) = &e.label {
            self.error(Range::of(label), "a kernel has no labels", "remove it");
        }
        let range = Range::one(e.for_token.span).to(edges(&e.expr));
        let name = match &*e.pat {
            Pat::Wild(_) => None,
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none() => {
                Some(pat.ident.clone())
            }
            Pat::Ident(pat) if pat.mutability.is_some() => {
                self.error(Range::of(&*e.pat), "a loop variable does not change", "copy it: `let mut j = i;`");
                Some(pat.ident.clone())
            }
            pat => {
                self.error(
                    Range::of(pat),
                    format!("a loop variable is a name, found `{}`", text_of(pat)),
                    "write `for i in 0..n`",
                );
                None
            }
        };
        let bounds = self.range_bounds(&mut e.expr);
        let loc = self.loc(range);
        let (body, var) = self.nested(|lower| {
            let var = match &name {
                Some(ident) if bounds.is_none() => {
                    lower.poison_name(ident.to_string());
                    lower.temporary("i", Loc::NONE)
                }
                Some(ident) => {
                    let at = lower.loc(Range::one(ident.span()));
                    let text = lower.checked_name(ident);
                    let local = lower.add_local(&text, at);
                    lower.declare(text, Var { local, kind: Kind::Scalar });
                    local
                }
                None => {
                    lower.poison_names(&e.pat);
                    lower.temporary("i", Loc::NONE)
                }
            };
            let (body, _) = lower.block_into(&mut e.body, None);
            lower.block.extend(body);
            var
        });
        if let Some([start, end, step]) = bounds {
            self.push(StmtKind::For { var, start, end, step, body }, loc);
        } else {
            // The bounds were reported; the body is still to be judged.
            let [start, end, step] = [Expr::int(0), Expr::int(1), Expr::int(1)];
            self.push(StmtKind::For { var, start, end, step, body }, loc);
        }
    }

    /// Start, end and step of the head of a `for`.
    fn range_bounds(&mut self, head: &mut syn::Expr) -> Option<[Expr; 3]> {
        let whole = edges(head);
        match strip(head) {
            syn::Expr::Range(range) => {
                if matches!(range.limits, syn::RangeLimits::Closed(_)) {
                    self.error(Range::of(&range.limits), "a range with `..=`", "write the end itself: `a..b + 1`");
                    return None;
                }
                let (Some(start), Some(end)) = (&mut range.start, &mut range.end) else {
                    self.error(whole, "a range without start or end", "write `a..b`");
                    return None;
                };
                let mut start = self.value(start);
                let mark = self.block.len();
                let end = self.value(end);
                self.protect(mark, [&mut start]);
                Some([start.expr, end.expr, Expr::int(1)])
            }
            syn::Expr::Call(call) if matches!(&*call.func, syn::Expr::Path(p) if path_text(&p.path) == "pl::range") => {
                let mut bounds: Vec<Value> = vec![];
                for arg in &mut call.args {
                    let mark = self.block.len();
                    let value = self.value(arg);
                    self.protect(mark, &mut bounds);
                    bounds.push(value);
                }
                let bounds: Vec<Expr> = bounds.into_iter().map(|v| v.expr).collect();
                let args: Vec<syn::Expr> = call.args.iter().cloned().collect();
                let (bounds, args) = match (<[Expr; 1]>::try_from(bounds.clone()), args.as_slice()) {
                    (Ok([end]), [to]) => ([Expr::int(0), end, Expr::int(1)], quote!(0, #to, 1)),
                    _ => match (bounds.as_slice(), args.as_slice()) {
                        ([start, end], [from, to]) => {
                            ([start.clone(), end.clone(), Expr::int(1)], quote!(#from, #to, 1))
                        }
                        ([start, end, step], [from, to, by]) => {
                            ([start.clone(), end.clone(), step.clone()], quote!(#from, #to, #by))
                        }
                        (other, _) => {
                            let message = format!("`pl::range` has {} arguments, expected 1 to 3", other.len());
                            self.error(
                                whole,
                                message,
                                "write `pl::range(end)`, `pl::range(start, end)` or `pl::range(start, end, step)`",
                            );
                            return None;
                        }
                    },
                };
                call.args =
                    syn::parse::Parser::parse2(syn::punctuated::Punctuated::parse_terminated, args).unwrap_or_default();
                Some(bounds)
            }
            syn::Expr::MethodCall(call) => {
                let (range, message, help) = reject::expression(&syn::Expr::MethodCall(call.clone()));
                self.error(range, message, help);
                None
            }
            syn::Expr::Path(e) if e.path.get_ident().is_some_and(|i| self.is_poisoned(i)) => None,
            _ => {
                self.error(
                    whole,
                    "a loop runs over a range",
                    "write `for i in 0..n`, or `for i in pl::range(start, end, step)`",
                );
                None
            }
        }
    }

    pub(super) fn while_loop(&mut self, e: &mut syn::ExprWhile) {
        if let Some(label) = &e.label {
            self.error(Range::of(label), "a kernel has no labels", "remove it");
        }
        let range = Range::one(e.while_token.span).to(edges(&e.cond));
        let loc = self.loc(range);
        let (pre, cond) = self.nested(|lower| lower.condition(&mut e.cond));
        let (body, _) = self.block_into(&mut e.body, None);
        self.push(StmtKind::While { pre, cond, body }, loc);
    }

    /// The condition of an `if` or `while`.
    fn condition(&mut self, cond: &mut syn::Expr) -> Expr {
        let range = edges(cond);
        let value = self.value(cond);
        match value.kind {
            Kind::Tile | Kind::Memory | Kind::Context => {
                let help = "compare scalars: read one element with `pl::read` and compare it";
                self.poison(range, format!("the condition is {}, expected `bool`", value.kind.describe()), help);
                Expr::new(ExprKind::Lit { value: Lit::Bool(true), ty: None })
            }
            _ => value.expr,
        }
    }

    /// `if`, with a target for its value.
    pub(super) fn if_into(&mut self, e: &mut syn::ExprIf, mut target: Option<&mut Target>) -> Kind {
        let range = Range::one(e.if_token.span).to(edges(&e.cond));
        let cond = self.condition(&mut e.cond);
        let loc = self.loc(range);
        let (then, then_kind) = self.block_into(&mut e.then_branch, target.as_deref_mut());
        let (els, else_kind) = match &mut e.else_branch {
            None => {
                if let Some(target) = target {
                    let value = self.poison(
                        range,
                        "this `if` gives no value where its condition is false",
                        "add an `else` with a value",
                    );
                    self.emit(Rhs::Value(value), target, range);
                }
                (vec![], then_kind)
            }
            Some((_, other)) => match &mut **other {
                syn::Expr::If(other) => self.nested(|lower| lower.if_into(other, target)),
                syn::Expr::Block(other) => self.block_into(&mut other.block, target),
                _ => (vec![], then_kind),
            },
        };
        self.push(StmtKind::If { cond, then, els }, loc);
        if matches!(then_kind, Kind::Unknown | Kind::Poison) { else_kind } else { then_kind }
    }
}
