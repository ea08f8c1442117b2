//! The arguments of the attribute: `InCore, dynamic(NR, SIZE)`.

use crate::errors::Errors;
use crate::names;
use crate::places::Range;
use pl_core::ir::FunctionKind;
use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Token, ext::IdentExt};

/// What the attribute says.
#[derive(Debug)]
pub struct Attr {
    pub kind: FunctionKind,
    /// The names declared in `dynamic(…)`.
    pub dynamic: Vec<Ident>,
}

const KINDS: &str = "the function types are InCore (a kernel of one device), Inline (inlined where it is called), Orchestration (a sequence of \
                     kernels on one device) and Host (allocates windows, dispatches to all devices)";

/// Reads the attribute. After an error the function counts as `InCore`.
pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Attr {
    let whole = Range::of(&tokens);
    let entries = match syn::parse::Parser::parse2(Punctuated::<Entry, Token![,]>::parse_terminated, tokens) {
        Ok(entries) => entries,
        Err(error) => {
            errors.push(
                Range::of_error(&error),
                error.to_string(),
                "write `#[pl::function(InCore, dynamic(NR, SIZE))]`",
            );
            return Attr { kind: FunctionKind::InCore, dynamic: vec![] };
        }
    };
    let mut kind: Option<FunctionKind> = None;
    let mut dynamic: Option<Vec<Ident>> = None;
    let mut kind_reported = false;
    for entry in entries {
        match entry {
            Entry::Word(path) => match read_kind(&path) {
                Ok(_) if kind.is_some() => {
                    errors.push(Range::of(&path), "a second function type", "a function has one type");
                }
                Ok(read) => kind = Some(read),
                Err((message, help)) => {
                    kind_reported = true;
                    errors.push(Range::of(&path), message, help);
                }
            },
            Entry::List(word, names) if word == "dynamic" => {
                if dynamic.is_some() {
                    errors.push(
                        Range::one(word.span()),
                        "`dynamic` is given twice",
                        "list all names in one `dynamic(…)`",
                    );
                }
                let declared = dynamic.get_or_insert_default();
                for name in names {
                    add_dim(declared, name, errors);
                }
            }
            Entry::List(word, _) => errors.push(
                Range::one(word.span()),
                format!("unknown argument `{word}` of `pl::function`"),
                "the arguments are a function type and `dynamic(…)`",
            ),
        }
    }
    if kind.is_none() && !kind_reported {
        errors.push(whole, "the function type is missing", format!("write `#[pl::function(InCore)]`: {KINDS}"));
    }
    Attr { kind: kind.unwrap_or(FunctionKind::InCore), dynamic: dynamic.unwrap_or_default() }
}

fn read_kind(path: &syn::Path) -> Result<FunctionKind, (String, String)> {
    let word = crate::context::path_text(path);
    if let Some(kind) = FunctionKind::ALL.into_iter().find(|kind| kind.name() == word) {
        return Ok(kind);
    }
    match word.as_str() {
        "dynamic" => Err(("`dynamic` has no names".into(), "list them: `dynamic(NR, SIZE)`".into())),
        _ => {
            let nearest = names::nearest(&word, FunctionKind::ALL.map(FunctionKind::name));
            let hint =
                if nearest.is_empty() { String::new() } else { format!("did you mean {}? ", names::list(&nearest)) };
            Err((format!("unknown function type `{word}`"), format!("{hint}{KINDS}")))
        }
    }
}

fn add_dim(dims: &mut Vec<Ident>, name: Ident, errors: &mut Errors) {
    let text = name.unraw().to_string();
    if dims.contains(&name) {
        errors.push(Range::one(name.span()), format!("`{text}` is declared twice"), "remove one of them");
    } else if text.chars().any(char::is_lowercase) {
        let help = format!("write `{}`", text.to_uppercase());
        errors.push(Range::one(name.span()), format!("the dynamic name `{text}` is not in capitals"), help);
        // Where it is used it means the dim.
        dims.push(name);
    } else {
        dims.push(name);
    }
}

enum Entry {
    Word(syn::Path),
    List(Ident, Vec<Ident>),
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Entry> {
        let path: syn::Path = input.parse()?;
        if !input.peek(syn::token::Paren) {
            return Ok(Entry::Word(path));
        }
        let content;
        syn::parenthesized!(content in input);
        let names = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
        Ok(Entry::List(path.require_ident()?.clone(), names.into_iter().collect()))
    }
}
