//! The host's side of a kernel: a function that makes a call of it.

use super::is_window;
use crate::parse::Signature;
use pl_core::ir::{FunctionKind, Mode, Type};
use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};

/// `fn kernel<'a>(x: ArrayView2<'a, f32>, …) -> Call<'a>`, of a Host function `-> HostCall<'a>`; nothing for an Inline function.
pub fn function(signature: &Signature, right: bool) -> TokenStream {
    let (call, made) = match signature.kind {
        FunctionKind::InCore | FunctionKind::Orchestration => (quote!(Call), quote!(call)),
        FunctionKind::Host => (quote!(HostCall), quote!(host_call)),
        FunctionKind::Inline => return TokenStream::new(),
    };
    let Signature { vis, ident, .. } = signature;
    let attrs = signature.attrs.iter().filter(|a| !is_for_body(a));
    let lends = signature.params.iter().any(|p| p.ty.ir.is_memory());
    let lifetime = if lends { quote!('pl) } else { quote!('static) };
    let mut params = vec![];
    let mut arguments = vec![];
    for param in &signature.params {
        let (name, ty, elem) = (&param.ident, &param.ty, &param.ty.elem);
        let rank = Literal::usize_unsuffixed(ty.rank());
        let dim = quote!(::pl::ndarray::Dim<[usize; #rank]>);
        let (ty, argument) = match (&ty.ir, ty.mode) {
            (ir, _) if is_window(ir) => (quote!(&'pl ::pl::Window<#elem>), quote!(arg_window)),
            (Type::Tensor(_), Mode::In) => (quote!(::pl::ndarray::ArrayView<'pl, #elem, #dim>), quote!(arg_in)),
            (Type::Tensor(_), _) => (quote!(::pl::ndarray::ArrayViewMut<'pl, #elem, #dim>), quote!(arg_out)),
            (Type::Scalar(_), _) => (quote!(#elem), quote!(arg_scalar)),
            _ => (quote!(impl ::core::marker::Sized), quote!(arg_scalar)),
        };
        params.push(quote!(#name: #ty));
        arguments.push(quote!(::pl::__private::#argument(#name)));
    }
    let body = if right {
        let idents = signature.generics.iter().map(|g| &g.ident);
        let definition = quote_spanned!(ident.span()=> <#ident>::__definition::<#(#idents),*>);
        quote!(::pl::__private::#made(#definition, ::std::vec![#(#arguments),*]))
    } else {
        let names = signature.params.iter().map(|p| &p.ident);
        quote! {
            let _ = (#(#names,)*);
            ::core::unreachable!()
        }
    };
    let declared = signature.generics.iter().map(|g| &g.declared);
    let lifetimes = lends.then(|| quote!('pl,));
    quote! {
        #(#attrs)*
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #vis fn #ident<#lifetimes #(#declared),*>(#(#params),*) -> ::pl::#call<#lifetime> {
            #body
        }
    }
}

/// Whether an attribute of the function is for its body's copy alone.
pub fn is_for_body(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("expect") && !crate::context::text_of(attr).contains("dead_code")
}

/// Whether an attribute of the function goes to its body's copy.
pub fn is_lint(attr: &syn::Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level)) || is_for_body(attr)
}
