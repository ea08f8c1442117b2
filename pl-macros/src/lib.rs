//! The procedural macro of the pl kernel language: `#[pl::function(…)]`.
//!
//! The way of a function, each stage a function from one value to the next:
//!
//! 1. `parse`: the attribute and the item, as `syn` reads them, become a `parse::Signature`; the parameters, constants and dims of the IR.
//! 2. `lower`: the body becomes IR, and in the same walk the copy of itself that rustc type-checks.
//! 3. `pl_core::verify` judges the IR.
//! 4. The gate: every error so far is reported at once, at the user's tokens.
//! 5. `emit`: the host function, the constant data, the checks, and the copy. It cannot fail.
//!
//! Errors go into one accumulator, `errors::Errors`, that must be consumed. A value whose expression was reported is *poisoned*: what uses it
//! stays silent.
#![forbid(unsafe_code)]

mod context;
mod emit;
mod errors;
mod expand;
mod lower;
mod names;
mod parse;
mod places;
#[cfg(test)]
mod tests;

#[expect(missing_docs, reason = "documented where the facade exports it")]
#[proc_macro_attribute]
pub fn function(attr: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand::function(attr.into(), item.into()).into()
}
