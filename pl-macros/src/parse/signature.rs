//! The signature of a function: its generics, parameters and returns.

use super::attr::{Attr, misplaced_lint};
use super::types::{Ty, Where, ty};
use crate::context::{Context, path_text, text_of};
use crate::places::Range;
use pl_core::ir::{FunctionKind, Param as IrParam, TypeParam};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, GenericParam, ItemFn, Pat, ReturnType, TypeParamBound};

/// The signature in the user's tokens; what it means stands in [`Context::function`].
#[derive(Debug)]
pub struct Signature {
    pub attrs: Vec<syn::Attribute>,
    pub vis: syn::Visibility,
    pub ident: Ident,
    pub kind: FunctionKind,
    pub dynamic: Vec<Ident>,
    pub generics: Vec<Generic>,
    pub params: Vec<Param>,
    pub returns: Vec<Ty>,
}

/// A generic parameter.
#[derive(Debug)]
pub struct Generic {
    pub ident: Ident,
    /// Whether it is a const parameter.
    pub constant: bool,
    /// As it is declared: `T: pl::Element`, `const N: usize`.
    pub declared: TokenStream,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    pub ident: Ident,
    pub mutability: Option<syn::Token![mut]>,
    pub ty: Ty,
}

/// Reads the signature, and declares its names in the function.
pub fn read(cx: &mut Context, attr: Attr, item: &ItemFn) -> Signature {
    cx.function.kind = attr.kind;
    cx.function.allow = attr.allow;
    let sig = &item.sig;
    cx.function.loc = cx.loc(Range::one(sig.ident.span()));
    for name in &attr.dynamic {
        let loc = cx.loc(Range::one(name.span()));
        cx.function.dynamic.push((name.to_string().into(), loc));
    }
    check_qualifiers(cx, sig);
    check_name(cx, &sig.ident);
    let mut attrs = item.attrs.clone();
    attrs.retain(|attr| {
        let again = path_text(attr.path()) == "pl::function";
        if again {
            cx.error(Range::of(attr), "a second `pl::function`", "a function has one type: remove one of them");
        } else if let Some((lint, help)) = misplaced_lint(attr) {
            cx.error(Range::one(lint.span()), format!("`{lint}` is a lint of pl, not one of rustc"), help);
        }
        !again
    });
    let generics = read_generics(cx, &sig.generics);
    let params: Vec<Param> = sig.inputs.iter().filter_map(|input| read_param(cx, input)).collect();
    let returns = read_returns(cx, &sig.output);
    Signature {
        attrs,
        vis: item.vis.clone(),
        ident: sig.ident.clone(),
        kind: attr.kind,
        dynamic: attr.dynamic,
        generics,
        params,
        returns,
    }
}

/// The function's name becomes that of a type.
fn check_name(cx: &mut Context, ident: &Ident) {
    let name = ident.to_string();
    if super::is_scalar_name(&name) {
        cx.error(Range::one(ident.span()), format!("a function named `{name}`, as a type"), "give it another name");
    }
}

fn check_qualifiers(cx: &mut Context, sig: &syn::Signature) {
    if let Some(token) = &sig.constness {
        cx.error(Range::of(token), "a kernel is not a `const fn`", "remove `const`");
    }
    if let Some(token) = &sig.asyncness {
        cx.error(
            Range::of(token),
            "a kernel is not `async`",
            "remove `async`: a `pld::system::wait` blocks only its own rank",
        );
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        cx.error(Range::of(&sig.safety), "a kernel is not `unsafe`", "remove it");
    }
    if let Some(abi) = &sig.abi {
        cx.error(Range::of(abi), "a kernel has no ABI", "remove `extern`");
    }
    if let Some(variadic) = &sig.variadic {
        cx.error(Range::of(variadic), "a kernel has no variadic arguments", "list its parameters");
    }
}

fn read_generics(cx: &mut Context, generics: &syn::Generics) -> Vec<Generic> {
    if let Some(clause) = &generics.where_clause {
        cx.error(
            Range::of(clause),
            "a kernel has no `where` clause",
            "write the bound at the type parameter: `T: pl::Element`",
        );
    }
    let mut read = vec![];
    for param in &generics.params {
        let range = Range::of(param);
        match param {
            GenericParam::Lifetime(_) => {
                cx.error(
                    range,
                    "a kernel has no lifetimes",
                    "remove it: arguments are lent by the host for the launch",
                );
            }
            GenericParam::Type(ty) => {
                let ident = &ty.ident;
                let is_element = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(t) if path_text(&t.path) == "pl::Element");
                let mut declared = quote!(#param);
                if let Some((_, default)) = &ty.default {
                    cx.error(Range::of(default), "a generic parameter of a function has no default", "remove it");
                    declared = quote!(#ident: ::pl::Element);
                }
                let bounded_elsewhere = ty.bounds.is_empty() && generics.where_clause.is_some();
                if bounded_elsewhere {
                    declared = quote!(#ident: ::pl::Element);
                } else if ty.bounds.len() != 1 || !ty.bounds.iter().all(is_element) {
                    let help = format!("write `{ident}: pl::Element`: a type parameter stands for an element type");
                    let what = match ty.bounds.len() {
                        0 => format!("the type parameter `{ident}` has no bound"),
                        _ => format!("the type parameter `{ident}` is not bounded by `pl::Element` alone"),
                    };
                    cx.error(range, what, help);
                    declared = quote!(#ident: ::pl::Element);
                }
                cx.function.types.push(TypeParam { name: ident.to_string().into(), value: None });
                read.push(Generic { ident: ident.clone(), constant: false, declared });
            }
            GenericParam::Const(param) => {
                let syn::ConstParam { ident, ty, const_token, colon_token, .. } = param;
                let mut declared = quote!(#const_token #ident #colon_token #ty);
                let known = matches!(ty, syn::Type::Path(p) if p.path.get_ident().is_some_and(|i| super::is_scalar_name(&i.to_string())
                    && !matches!(i.to_string().as_str(), "f32" | "f16" | "bf16")));
                if !known {
                    let help = "a const generic is a `usize`, a `bool` or an integer element type; give an enum as an integer and use \
                                `pld::ReduceOp::from_int(N)`";
                    cx.error(Range::of(ty), format!("a const generic of type `{}`", text_of(ty)), help);
                    declared = quote!(const #ident: usize);
                }
                if let Some((_, default)) = &param.default {
                    cx.error(Range::of(default), "a generic parameter of a function has no default", "remove it");
                }
                cx.hole(&ident.to_string(), true, || quote!(#ident));
                read.push(Generic { ident: ident.clone(), constant: true, declared });
            }
        }
    }
    let taken: Vec<String> = cx.function.dynamic.iter().map(|(n, _)| n.to_string()).collect();
    for generic in &read {
        if taken.contains(&generic.ident.to_string()) {
            let message = format!("`{}` is a generic parameter and declared `dynamic`", generic.ident);
            cx.error(
                Range::one(generic.ident.span()),
                message,
                "a dim is bound at launch, a generic argument where it is written: keep one",
            );
        }
    }
    read
}

fn read_param(cx: &mut Context, input: &FnArg) -> Option<Param> {
    let typed = match input {
        FnArg::Typed(typed) => typed,
        FnArg::Receiver(receiver) => {
            cx.error(
                Range::of(receiver),
                "a kernel is a free function, it has no `self`",
                "move it out of the `impl`, and pass what it needs",
            );
            return None;
        }
    };
    if let Some(attr) = typed.attrs.first() {
        cx.error(Range::of(attr), "an attribute on a parameter", "remove it");
    }
    let (mut ident, mutability) = match &*typed.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => (pat.ident.clone(), pat.mutability),
        pat => {
            cx.error(
                Range::of(pat),
                format!("a parameter is a name, found the pattern `{}`", text_of(pat)),
                "give it a name, `_unused` if need be",
            );
            return None;
        }
    };
    let ty = ty(cx, &typed.ty, Where::Param, &|_| None);
    let name = ident.to_string();
    if cx.function.params.iter().any(|p| cx.function.local_name(p.local) == name) {
        cx.error(Range::one(ident.span()), format!("two parameters are named `{name}`"), "rename one of them");
        // The name means the first of them.
        ident = format_ident!("{ident}_again");
    }
    let loc = cx.loc(Range::one(ident.span()));
    let local = cx.function.add_local(&name, loc);
    cx.function.params.push(IrParam { local, mode: ty.mode, ty: ty.ir.clone() });
    Some(Param { ident, mutability, ty })
}

fn read_returns(cx: &mut Context, output: &ReturnType) -> Vec<Ty> {
    let ReturnType::Type(_, source) = output else { return vec![] };
    let mut source = &**source;
    while let syn::Type::Group(group) = source {
        source = &group.elem;
    }
    let types: Vec<Ty> = match source {
        syn::Type::Tuple(tuple) if tuple.elems.len() == 1 => {
            cx.error(Range::of(tuple), "a tuple of one type", "write the type itself");
            tuple.elems.iter().map(|t| ty(cx, t, Where::Return, &|_| None)).collect()
        }
        syn::Type::Tuple(tuple) => tuple.elems.iter().map(|t| ty(cx, t, Where::Return, &|_| None)).collect(),
        one => vec![ty(cx, one, Where::Return, &|_| None)],
    };
    for ty in &types {
        let loc = cx.loc(ty.range);
        cx.function.returns.push((ty.ir.clone(), loc));
    }
    types
}
