//! The stages of one expansion, in order.

use crate::context::{Context, shown, text_of};
use crate::{emit, lower, parse, places::Range};
use pl_core::ir::Loc;
use pl_core::verify::{self, Moment, Verdict};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

/// `#[pl::function(attr)] item`
pub fn function(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut cx = Context::new("", pl_core::ir::FunctionKind::InCore);
    let attr = parse::parse_attr(attr, &mut cx.errors);
    let mut function: syn::ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            match syn::parse2::<syn::Item>(item.clone()) {
                Ok(other) => cx.error(
                    Range::of(&other),
                    "`pl::function` goes on a function",
                    "write `#[pl::function(InCore)] fn kernel(…) { … }`, outside of any `impl` or `trait`",
                ),
                Err(_) => {
                    match bare_shape(item) {
                        Some((range, help)) => cx.error(range, "a shape without braces", help),
                        None => cx.errors.push_syntax(error),
                    }
                    // rustc would tell once more what it told when it parsed the function.
                    return cx.errors.finish().unwrap_or_default();
                }
            }
            let errors = cx.errors.finish();
            // Functions in it have types that only the macro understands.
            let named = !matches!(syn::parse2(item.clone()), Ok(syn::Item::Impl(_) | syn::Item::Verbatim(_)));
            let item = named.then_some(item);
            return quote!(#errors #item);
        }
    };
    cx.function.name = function.sig.ident.to_string().into();
    let pld = names_pld(item);
    let function_is_method = function.sig.receiver().is_some();
    let signature = parse::read_signature(&mut cx, attr, &function);
    let open_signature = cx.incomplete;
    let lowered = lower::body(&mut cx, &signature, &mut function.block);
    let verdict = judge(&mut cx, open_signature);
    let Context { errors, places, mut function, holes, shown: names, .. } = cx;
    if let Some(errors) = errors.finish() {
        if function_is_method {
            return errors;
        }
        let rest = emit::after_error(&signature, &lowered, pld);
        return quote!(#errors #rest);
    }
    let checks = emit::checks(&function, &places, &holes, &lowered, &verdict, &names);
    places.settle(&mut function);
    emit::all(&signature, &function, &holes, &lowered, checks)
}

/// A shape that is written without its braces, `pl::Tensor<f32, [1, SIZE]>`, and how to write it. To Rust it is a type, and none.
fn bare_shape(tokens: TokenStream) -> Option<(Range, String)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let inside = tokens.iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => bare_shape(group.stream()),
        _ => None,
    });
    let punct = |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let here = || {
        tokens.windows(5).find_map(|window| match window {
            [TokenTree::Ident(name), open, elem, comma, TokenTree::Group(shape)]
                if ["Tensor", "Tile", "DistributedTensor"].iter().any(|n| name == n)
                    && punct(open, '<')
                    && punct(comma, ',')
                    && shape.delimiter() == Delimiter::Bracket =>
            {
                let module = if name == "DistributedTensor" { "pld" } else { "pl" };
                let help = format!("write `{module}::{name}<{elem}, {{ {} }}>`", text_of(shape));
                Some((Range { start: shape.span_open(), end: shape.span_close() }, help))
            }
            _ => None,
        })
    };
    inside.or_else(here)
}

/// Where the module `pld` is named, `pld::…`; `None` where it is imported.
fn names_pld(tokens: TokenStream) -> Option<Ident> {
    let mut found = None;
    let mut before = None;
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => match before {
                Some(TokenTree::Ident(ident)) if ident == "pld" => found = found.or(Some(ident)),
                _ => {}
            },
            TokenTree::Ident(ident) if ident == "use" => return None,
            TokenTree::Group(group) => found = found.or_else(|| names_pld(group.stream())),
            _ => {}
        }
        before = Some(token);
    }
    found
}

/// Runs the verifier, and reports what it found.
fn judge(cx: &mut Context, open_signature: bool) -> Verdict {
    // A body with holes in it must not be blamed for what it does not do.
    let moment = if cx.incomplete { Moment::Draft } else { Moment::Source };
    let mut verdict = verify::verify(&cx.function, moment);
    for fact in &mut verdict.facts {
        fact.message = shown(&cx.shown, &fact.message);
    }
    // Nor must dims that the rest of a signature would have used.
    let dims: Vec<Loc> = cx.function.dynamic.iter().map(|(_, loc)| *loc).filter(|_| open_signature).collect();
    for error in &verdict.errors {
        if dims.contains(&error.loc) {
            continue;
        }
        let range = cx.places.range(error.loc).or(cx.places.range(cx.function.loc));
        let range = range.unwrap_or(Range::one(proc_macro2::Span::call_site()));
        let mut message = shown(&cx.shown, &error.message);
        for (loc, label) in &error.related {
            match cx.places.range(*loc).map(|r| r.start.start()) {
                Some(at) if at.line > 0 => {
                    message += &format!("\nnote: {}, at line {}", shown(&cx.shown, label), at.line)
                }
                _ => message += &format!("\nnote: {}", shown(&cx.shown, label)),
            }
        }
        let help = shown(&cx.shown, &error.help);
        cx.errors.push(range, message, help);
    }
    verdict
}
