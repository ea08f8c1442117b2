//! Checks that rustc makes by evaluating constants: facts about constants, enum values, calls.

use super::Checks;
use crate::context::shown;
use crate::lower::Lowered;
use crate::parse::Signature;
use crate::places::{Places, Range};
use pl_core::ir::{BinOp, Expr, ExprKind, Function, FunctionKind, Lit, Mode, Name, Type, UnOp};
use pl_core::verify::{Check, Verdict};
use proc_macro2::{Delimiter, Group, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// A call of a check, underlined from the first token of `range` to its last.
fn call(range: Range, name: &str, arguments: TokenStream) -> TokenStream {
    let name = format_ident!("{name}", span = range.start);
    let mut group = Group::new(Delimiter::Parenthesis, arguments);
    group.set_span(range.end);
    quote_spanned!(range.start=> ::pl::__private::#name #group)
}

impl Checks {
    fn add(&mut self, generic: bool, range: Range, call: TokenStream) {
        if generic {
            // Spanned, so that what rustc notes of the block stands at the user's tokens.
            let mut block = Group::new(Delimiter::Brace, call);
            block.set_span(range.end);
            self.generic.push(quote_spanned!(range.start=> const #block;));
        } else {
            self.items.push(quote!(const _: () = #call;));
        }
    }
}

/// What the verifier left open.
pub fn facts(checks: &mut Checks, function: &Function, places: &Places, holes: &[TokenStream], verdict: &Verdict) {
    let origin = places.range(function.loc);
    for fact in &verdict.facts {
        let Some(range) = places.range(fact.loc).or(origin) else { continue };
        let value = |e: &Expr| integer(e, function, holes);
        let (name, sides) = match &fact.check {
            Check::Eq(a, b) => ("check_eq", [value(a), value(b)]),
            Check::Le(a, b) => ("check_le", [value(a), value(b)]),
            Check::NonZero(a) => ("check_non_zero", [value(a), Some(TokenStream::new())]),
        };
        let [Some(left), Some(right)] = sides else { continue };
        let comma = (!right.is_empty()).then(|| quote!(,));
        let (message, help) = (&fact.message, &fact.help);
        checks.add(fact.generic, range, call(range, name, quote!(#left, #right #comma #message, #help)));
    }
}

/// Enum arguments: their types, and their values where an op takes one only.
pub fn enums(checks: &mut Checks, lowered: &Lowered) {
    for check in &lowered.enums {
        let (value, span) = (&check.value, check.range.start);
        let name = format_ident!("{}", check.kind.name(), span = span);
        let ty = if check.kind.is_string() {
            quote_spanned!(span=> &str)
        } else {
            quote_spanned!(span=> ::pl::distributed::#name)
        };
        let read = check.kind.is_string().then(|| {
            let read = call(check.range, "mode", quote!(value));
            quote!(let _ = #read;)
        });
        let judged = check.only.map(|only| {
            let wanted = Literal::i32_unsuffixed(only.value);
            let (before, after) = only.message.split_once("{}").unwrap_or((only.message, ""));
            let help = only.help;
            call(check.range, "check_only", quote!(value.value(), #wanted, #before, #after, #help))
        });
        checks.add(
            check.generic,
            check.range,
            quote!({
                let value: #ty = #value;
                let _ = value;
                #read
                #judged
            }),
        );
    }
}

/// Arguments of calls of the user's functions.
pub fn calls(
    checks: &mut Checks,
    function: &Function,
    holes: &[TokenStream],
    lowered: &Lowered,
    verdict: &Verdict,
    names: &[(Name, String)],
) {
    for site in &lowered.calls {
        let callee = &lowered.callees[site.callee];
        let (path, plain) = (&callee.path, callee.generics.is_empty());
        let caller = kind(function.kind);
        checks.add(false, site.range, call(site.range, "check_callee", quote!(&<#path>::__SIGNATURE, #plain, #caller)));
        for (index, (local, range)) in site.args.iter().enumerate() {
            let Some(slot) = local.map(|id| id.0 as usize) else { continue };
            let Some(shaped) = verdict.inferred.types.get(slot).and_then(Type::shaped) else { continue };
            let root = verdict.inferred.roots.get(slot).copied().flatten();
            let read_only = root.is_some_and(|r| function.params[r].mode == Mode::In);
            let extents = extents(&shaped.shape, function, holes);
            let name = shown(names, local.map(|id| function.local_name(id)).unwrap_or_default());
            let argument =
                quote!(::pl::__private::CallArgument { name: #name, read_only: #read_only, extents: &[#(#extents),*] });
            let index = Literal::usize_unsuffixed(index);
            checks.add(
                false,
                *range,
                call(*range, "check_argument", quote!(&<#path>::__SIGNATURE, #index, &#argument)),
            );
        }
    }
}

/// The constant by which callers check their arguments.
pub fn signature(signature: &Signature, function: &Function, holes: &[TokenStream]) -> TokenStream {
    let params = signature.params.iter().zip(&function.params).map(|(param, ir)| {
        let name = param.ident.to_string();
        let class = match ir.ty {
            Type::Tile(_) => quote!(Tile),
            Type::Tensor(_) => quote!(Tensor),
            Type::Window(_) => quote!(Window),
            _ => quote!(Scalar),
        };
        let written = ir.mode != Mode::In;
        let shape = ir.ty.shaped().map(|s| extents(&s.shape, function, holes)).unwrap_or_default();
        quote! {
            ::pl::__private::ParamSignature {
                name: #name,
                kind: ::pl::__private::ParamClass::#class,
                written: #written,
                extents: &[#(#shape),*],
            }
        }
    });
    let name = signature.ident.to_string();
    let kind = kind(signature.kind);
    let names = |constant: bool| {
        let names = signature.generics.iter().filter(move |g| g.constant == constant).map(|g| g.ident.to_string());
        quote!(&[#(#names),*])
    };
    let (types, consts) = (names(false), names(true));
    quote! {
        ::pl::__private::Signature {
            name: #name,
            kind: #kind,
            types: #types,
            consts: #consts,
            params: &[#(#params),*],
        }
    }
}

/// A function type as an expression.
pub fn kind(kind: FunctionKind) -> TokenStream {
    let name = format_ident!("{}", kind.name());
    quote!(::pl::__private::FunctionKind::#name)
}

/// Extents as `Option<usize>`; `None` for what is not constant.
fn extents(shape: &[Option<Expr>], function: &Function, holes: &[TokenStream]) -> Vec<TokenStream> {
    let generic = |e: &Expr| {
        let mut open = false;
        e.walk(&mut |e| {
            open |= matches!(&e.kind, ExprKind::Name(n) if function.constant(n).is_none_or(|c| c.generic));
        });
        open
    };
    shape
        .iter()
        .map(|extent| match extent.as_ref().filter(|e| !generic(e)).and_then(|e| integer(e, function, holes)) {
            Some(value) => quote!(::pl::__private::extent(#value)),
            None => quote!(::core::option::Option::None),
        })
        .collect()
}

/// An expression of names and integers as an `i128` in Rust.
fn integer(expr: &Expr, function: &Function, holes: &[TokenStream]) -> Option<TokenStream> {
    Some(match &expr.kind {
        ExprKind::Lit { value: Lit::Int(value), .. } => Literal::i128_suffixed(*value).into_token_stream(),
        ExprKind::Name(name) => {
            let index = function.consts.iter().position(|c| c.name == *name)?;
            let hole = holes.get(index)?;
            quote!((#hole as i128))
        }
        ExprKind::Unary(UnOp::Neg, a) => {
            let a = integer(a, function, holes)?;
            quote!((-#a))
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (integer(a, function, holes)?, integer(b, function, holes)?);
            match op {
                BinOp::Add => quote!(::pl::__private::sum(#a, #b)),
                BinOp::Sub => quote!(::pl::__private::difference(#a, #b)),
                BinOp::Mul => quote!(::pl::__private::product(#a, #b)),
                BinOp::Div => quote!(::pl::__private::quotient(#a, #b)),
                BinOp::Rem => quote!(::pl::__private::remainder(#a, #b)),
                BinOp::Min => quote!(::pl::__private::least(#a, #b)),
                BinOp::Max => quote!(::pl::__private::greatest(#a, #b)),
                _ => return None,
            }
        }
        _ => return None,
    })
}
