//! The accumulator of errors.

use crate::places::Range;
use proc_macro2::TokenStream;

/// Everything that is wrong with one function. Consume it with [`Errors::finish`]; dropping it unread is a bug.
#[derive(Debug, Default)]
pub struct Errors {
    list: Vec<syn::Error>,
    finished: bool,
}

impl Errors {
    /// Adds an error at the tokens of `range`. The message is lower case and has no full stop; so is the help, which says how to mend it.
    pub fn push(&mut self, range: Range, message: impl AsRef<str>, help: impl AsRef<str>) {
        let (message, help) = (message.as_ref(), help.as_ref());
        let text = if help.is_empty() { message.to_owned() } else { format!("{message}\nhelp: {help}") };
        self.list.push(syn::Error::new_spanned(range, text));
    }

    /// Adds what `syn` said.
    pub fn push_syntax(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// All of them as tokens that make rustc report them; `None` when there are none.
    pub fn finish(mut self) -> Option<TokenStream> {
        self.finished = true;
        let mut errors = std::mem::take(&mut self.list);
        // In the order of the source, whichever stage found them.
        errors.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        (!errors.is_empty()).then(|| errors.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.finished || std::thread::panicking(), "errors were dropped unread");
    }
}
