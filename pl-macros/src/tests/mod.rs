//! The macro's errors, in process: each case is a source and what is said of it, where.
//!
//! `UPDATE_EXPECT=1 cargo test -p pl-macros` writes the expected texts anew; the underlined tokens stand in them, so that a moved span shows.

mod attr;
mod calls;
mod expressions;
mod levels;
mod lowering;
mod output;
mod signature;
mod statements;
mod unsupported;
mod verified;

use proc_macro2::{LineColumn, TokenStream, TokenTree};

/// The parameters of [`body`]'s kernel, on its first line.
const HEADER: &str = "#[pl::function(InCore, dynamic(NR, SIZE))] fn kernel<T: pl::Element, const N: usize>(\
    x: pl::Tensor<f32, { [NR, SIZE] }>, mut y: pl::InOut<pl::Tensor<f32, { [NR, SIZE] }>>, t: pl::InOut<pl::Tensor<T, { [NR, SIZE] }>>, \
    data: pl::InOut<pld::DistributedTensor<f32, { [NR, SIZE] }>>, signal: pl::InOut<pld::DistributedTensor<i32, { [NR, 1] }>>, \
    alpha: f32, n: usize, i: i32, flag: bool) {";

/// What the macro makes of a source: an attribute and a function.
fn expand(source: &str) -> TokenStream {
    let tokens: Vec<TokenTree> = source.parse::<TokenStream>().unwrap().into_iter().collect();
    let [TokenTree::Punct(_), TokenTree::Group(attr), item @ ..] = tokens.as_slice() else { panic!("no attribute") };
    let inner: Vec<TokenTree> = attr.stream().into_iter().collect();
    let arguments = match inner.last() {
        Some(TokenTree::Group(group)) => group.stream(),
        _ => TokenStream::new(),
    };
    crate::expand::function(arguments, item.iter().cloned().collect())
}

/// Checks what is said of a function.
fn check(source: &str, expected: expect_test::Expect) {
    expected.assert_eq(&report(source));
}

/// Checks what is said of a body, whose first line is line 2.
fn body(body: &str, expected: expect_test::Expect) {
    check(&format!("{HEADER}\n{body}\n}}"), expected);
}

/// The errors of a source, one a paragraph: line, column, the underlined tokens, message and help.
fn report(source: &str) -> String {
    let mut report = String::new();
    for (start, end, message) in errors(expand(source)) {
        let tokens = underlined(source, start, end);
        report += &format!("{}:{} `{tokens}`: {}\n", start.line, start.column + 1, message.replace('\n', "\n    "));
    }
    report
}

/// The `compile_error!`s in the macro's output.
fn errors(tokens: TokenStream) -> Vec<(LineColumn, LineColumn, String)> {
    let mut found = vec![];
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" => {
                tokens.next();
                let Some(TokenTree::Group(group)) = tokens.next() else { continue };
                let message: syn::LitStr = syn::parse2(group.stream()).unwrap();
                found.push((ident.span().start(), group.span_close().end(), message.value()));
            }
            TokenTree::Group(group) => found.extend(errors(group.stream())),
            _ => {}
        }
    }
    found
}

fn underlined(source: &str, start: LineColumn, end: LineColumn) -> String {
    let offset = |at: LineColumn| {
        let before: usize =
            source.split_inclusive('\n').take(at.line.saturating_sub(1)).map(|l| l.chars().count()).sum();
        before + at.column
    };
    let (from, to) = (offset(start), offset(end));
    source.chars().skip(from).take(to.saturating_sub(from)).map(|c| if c == '\n' { ' ' } else { c }).collect()
}
