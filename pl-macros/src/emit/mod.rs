//! What a function becomes. Nothing here can fail: the function is right, or its errors are already told.
//!
//! ```text
//! vis struct kernel {}                                   the type that carries the IR
//! vis fn kernel<'a>(x: ArrayView2<'a, f32>, …) -> Call<'a>   but for an Inline function: the host's side
//! const _: () = {
//!     const _: () = check(…);                            one for each fact about constants
//!     impl kernel {
//!         pub fn ir() -> Kernel
//!         pub const __SIGNATURE                          what a caller's checks need
//!         pub fn __definition() -> Definition            the source, with its holes filled
//!         pub fn __plain() -> Definition                 the same, for calls without generic arguments
//!         pub fn __call(x: Tensor<f32>, …)               what a caller's copy calls
//!     }
//!     fn kernel(x: Tensor<f32>, …) { … }                 the copy of the body, for rustc; never run
//! };
//! ```

mod checks;
mod copy;
mod host;

use crate::lower::Lowered;
use crate::parse::Signature;
use crate::places::Places;
use pl_core::ir::{Function, FunctionKind, Name, Type};
use pl_core::verify::Verdict;
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

/// The checks that rustc makes.
pub struct Checks {
    /// Items: `const _: () = …;`
    items: Vec<TokenStream>,
    /// Statements of the definition: what depends on generic arguments.
    generic: Vec<TokenStream>,
}

/// The checks of a function that the verifier accepts.
pub fn checks(
    function: &Function,
    places: &Places,
    holes: &[TokenStream],
    lowered: &Lowered,
    verdict: &Verdict,
    names: &[(Name, String)],
) -> Checks {
    let mut checks = Checks { items: vec![], generic: vec![] };
    checks::facts(&mut checks, function, places, holes, verdict);
    checks::enums(&mut checks, lowered);
    checks::calls(&mut checks, function, holes, lowered, verdict, names);
    checks
}

/// Everything that a right function becomes.
pub fn all(
    signature: &Signature,
    function: &Function,
    holes: &[TokenStream],
    lowered: &Lowered,
    checks: Checks,
) -> TokenStream {
    let Checks { items, generic } = checks;
    let text = Literal::string(&pl_core::text::embed(function));
    let name = signature.ident.to_string();
    let types = function.types.iter().map(|t| {
        let ident = format_ident!("{}", &*t.name);
        quote!(<#ident as ::pl::Element>::DTYPE)
    });
    let callees = lowered.callees.iter().map(|callee| {
        let (path, generics) = (&callee.path, &callee.generics);
        let span = path.span();
        let name =
            if generics.is_empty() { quote_spanned!(span=> __plain) } else { quote_spanned!(span=> __definition) };
        quote_spanned!(span=> ::pl::__private::callee(<#path>::#name #generics))
    });
    let definition = quote! {
        static __PL_SOURCE: ::pl::__private::Source = ::pl::__private::Source {
            text: #text,
            file: ::core::file!(),
            path: ::core::concat!(::core::module_path!(), "::", #name),
        };
        #(#generic)*
        ::pl::__private::Definition {
            source: &__PL_SOURCE,
            types: ::std::vec![#(#types),*],
            consts: ::std::vec![#(::pl::__private::constant(#holes)),*],
            callees: ::std::vec![#(#callees),*],
        }
    };
    let host = host::function(signature, true);
    let carrier = carrier(signature);
    let members = members(signature, &checks::signature(signature, function, holes), &definition);
    let copy = copy::function(signature, lowered);
    let dims = copy::dims(signature);
    quote! {
        #carrier
        #host
        const _: () = {
            #dims
            #(#items)*
            #members
            #copy
        };
    }
}

/// What a function with errors becomes: everything that others name, so that they get no errors of their own.
///
/// `pld` is where the user names that module: its import must not count as unused.
pub fn after_error(signature: &Signature, lowered: &Lowered, pld: Option<Ident>) -> TokenStream {
    let host = host::function(signature, false);
    let carrier = carrier(signature);
    let name = signature.ident.to_string();
    let kind = checks::kind(signature.kind);
    let empty = quote!(::pl::__private::Signature { name: #name, kind: #kind, types: &[], consts: &[], params: &[] });
    let members = members(signature, &empty, &quote!(::core::unreachable!()));
    let copy = copy::function(signature, lowered);
    let dims = copy::dims(signature);
    let pld = pld.filter(|_| !names(members.clone(), "pld"));
    let pld = pld.map(|pld| quote_spanned!(pld.span()=> #[allow(unused_imports)] use #pld as _;));
    quote! {
        #carrier
        #host
        const _: () = {
            #pld
            #members
        };
        // For completion while one types.
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            const _: () = {
                #dims
                #copy
            };
        };
    }
}

/// Whether a name stands in tokens.
fn names(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}

/// The type of the function's name.
fn carrier(signature: &Signature) -> TokenStream {
    let Signature { vis, ident, .. } = signature;
    let docs = match signature.kind {
        FunctionKind::InCore | FunctionKind::Orchestration | FunctionKind::Host => {
            let doc = format!("Carries the IR of the function [`{ident}`](fn@{ident}).");
            quote!(#[doc = #doc])
        }
        FunctionKind::Inline => {
            let docs = signature.attrs.iter().filter(|a| a.path().is_ident("doc") || a.path().is_ident("deprecated"));
            quote!(#(#docs)*)
        }
    };
    let span = ident.span();
    quote_spanned! {span=>
        #docs
        #[allow(non_camel_case_types, dead_code, missing_debug_implementations, missing_copy_implementations)]
        #[allow(clippy::exhaustive_structs)]
        #vis struct #ident {}
    }
}

/// What belongs to the type.
fn members(signature: &Signature, constant: &TokenStream, definition: &TokenStream) -> TokenStream {
    let ident = &signature.ident;
    let (declared, _) = generics(signature);
    let call = copy::stub(signature);
    // Spanned like `__call`, so that a call with wrong generic arguments is one error.
    let name = quote_spanned!(ident.span()=> __definition);
    // What rustc notes of the instance, it notes here.
    let idents = signature.generics.iter().map(|g| &g.ident);
    let made = quote_spanned!(ident.span()=> ::pl::Kernel::new(Self::#name::<#(#idents),*>()));
    // For a call without generic arguments: of a generic function that is an error elsewhere, and must not be one here too.
    let plain =
        if signature.generics.is_empty() { quote!(Self::__definition()) } else { quote!(::core::unreachable!()) };
    quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl #ident {
            /// The definition, whose IR can be looked at.
            pub fn ir #declared() -> ::pl::Kernel {
                #made
            }

            #[doc(hidden)]
            pub const __SIGNATURE: ::pl::__private::Signature = #constant;

            #[doc(hidden)]
            pub fn #name #declared() -> ::pl::__private::Definition {
                #definition
            }

            #[doc(hidden)]
            pub fn __plain() -> ::pl::__private::Definition {
                #plain
            }

            #call
        }
    }
}

/// The generic parameters, and as arguments with their `::`.
fn generics(signature: &Signature) -> (TokenStream, TokenStream) {
    if signature.generics.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let declared = signature.generics.iter().map(|g| &g.declared);
    let idents = signature.generics.iter().map(|g| &g.ident);
    (quote!(<#(#declared),*>), quote!(::<#(#idents),*>))
}

/// Whether a type is a window.
fn is_window(ty: &Type) -> bool {
    matches!(ty, Type::Window(_))
}
