//! The copy of the body that rustc type-checks and lints. It is never run.

use super::generics;
use super::host::is_lint;
use crate::lower::Lowered;
use crate::parse::Signature;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// The function, with erased shapes.
pub fn function(signature: &Signature, lowered: &Lowered) -> TokenStream {
    let ident = &signature.ident;
    let attrs = signature.attrs.iter().filter(|a| is_lint(a));
    let (declared, _) = generics(signature);
    let params = signature.params.iter().map(|p| {
        let (mutability, name, ty) = (&p.mutability, &p.ident, &p.ty.copy);
        quote!(#mutability #name: #ty)
    });
    let shapes = signature.params.iter().map(|p| &p.ty).chain(&signature.returns).filter_map(|ty| {
        let (shape, rank) = (ty.shape.as_ref()?, Literal::usize_unsuffixed(ty.rank()));
        Some(quote!(let _: [usize; #rank] = #shape;))
    });
    let output = return_type(signature).map(|ty| quote!(-> #ty));
    let body = &lowered.copy;
    quote! {
        #(#attrs)*
        #[allow(arithmetic_overflow, unconditional_panic, dead_code, unused_braces, unused_parens)]
        #[allow(unused_results, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn #ident #declared(#(#params),*) #output {
            #[allow(unused_imports)]
            use ::pl::Element as _;
            #(#shapes)*
            #body
        }
    }
}

/// The dims, for the copy and for the constants beside it: a wrong name is wrong in both, and told once when both are in the same scope.
///
/// No `const`s: rustc offers those as patterns in place of unused variables.
pub fn dims(signature: &Signature) -> TokenStream {
    let dims =
        signature.dynamic.iter().map(|dim| quote_spanned!(dim.span()=> #[allow(dead_code)] static #dim: usize = 1;));
    quote!(#(#dims)*)
}

/// What the copies of callers call.
pub fn stub(signature: &Signature) -> TokenStream {
    // Without bounds: the definition has them, and an argument that lacks one is one error.
    let declared =
        signature.generics.iter().map(|g| if g.constant { g.declared.clone() } else { g.ident.to_token_stream() });
    let declared = (!signature.generics.is_empty()).then(|| quote!(<#(#declared),*>));
    let params = signature.params.iter().map(|p| {
        let (name, ty) = (&p.ident, &p.ty.copy);
        quote!(#name: #ty)
    });
    let output = return_type(signature).map(|ty| quote!(-> #ty));
    let name = quote_spanned!(signature.ident.span()=> __call);
    quote! {
        #[doc(hidden)]
        #[allow(unused_variables)]
        pub fn #name #declared(#(#params),*) #output {
            ::core::unreachable!()
        }
    }
}

fn return_type(signature: &Signature) -> Option<TokenStream> {
    if signature.returns.iter().any(|ty| ty.ir == pl_core::ir::Type::Unknown) {
        return Some(quote!(!));
    }
    let types: Vec<TokenStream> = signature.returns.iter().map(|ty| ty.copy.clone()).collect();
    match types.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(quote!((#(#several),*))),
    }
}
