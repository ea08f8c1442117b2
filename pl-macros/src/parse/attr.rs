//! The arguments of the attribute: `InCore, dynamic(NR, SIZE), allow(stale_wait)`.

use crate::errors::Errors;
use crate::names;
use crate::places::Range;
use pl_core::fault::{LintKind, Lints};
use pl_core::ir::FunctionKind;
use proc_macro2::{Ident, TokenStream};
use std::fmt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Token, ext::IdentExt};

/// What the attribute says.
#[derive(Debug)]
pub struct Attr {
    pub kind: FunctionKind,
    /// The names declared in `dynamic(…)`.
    pub dynamic: Vec<Ident>,
    /// The lints listed in `allow(…)`.
    pub allow: Lints,
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
                "write `#[pl::function(InCore, dynamic(NR, SIZE), allow(stale_wait))]`: names in capitals in `dynamic(…)`, lints in `allow(…)`",
            );
            return Attr { kind: FunctionKind::InCore, dynamic: vec![], allow: Lints::NONE };
        }
    };
    let mut kind: Option<FunctionKind> = None;
    let mut dynamic: Option<Vec<Ident>> = None;
    let mut allow: Option<Lints> = None;
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
                    if name.rest.is_empty() {
                        add_dim(declared, name.ident, errors);
                    } else {
                        errors.push(name.range(), format!("`{name}` is not a name"), "list them: `dynamic(NR, SIZE)`");
                    }
                }
            }
            Entry::List(word, names) if word == "allow" => {
                if allow.is_some() {
                    errors.push(Range::one(word.span()), "`allow` is given twice", "list all lints in one `allow(…)`");
                }
                let allowed = allow.get_or_insert_default();
                for name in names {
                    add_lint(allowed, &name, errors);
                }
            }
            Entry::List(word, _) => errors.push(
                Range::one(word.span()),
                format!("unknown argument `{word}` of `pl::function`"),
                "the arguments are a function type, `dynamic(…)` and `allow(…)`",
            ),
        }
    }
    if kind.is_none() && !kind_reported {
        errors.push(whole, "the function type is missing", format!("write `#[pl::function(InCore)]`: {KINDS}"));
    }
    Attr {
        kind: kind.unwrap_or(FunctionKind::InCore),
        dynamic: dynamic.unwrap_or_default(),
        allow: allow.unwrap_or_default(),
    }
}

/// An attribute of rustc that names a lint of pl: what it names there, and how to mend it.
pub fn misplaced_lint(attr: &syn::Attribute) -> Option<(Ident, String)> {
    let list =
        attr.meta.require_list().ok().filter(|list| list.path.is_ident("allow") || list.path.is_ident("expect"))?;
    let names = list.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated).ok()?;
    names.iter().find_map(|meta| {
        let ident = meta.path().get_ident()?;
        let kind = LintKind::from_word(&ident.to_string())?;
        Some((ident.clone(), format!("write `#[pl::function(InCore, allow({}))]`", kind.word())))
    })
}

fn read_kind(path: &syn::Path) -> Result<FunctionKind, (String, String)> {
    let word = crate::context::path_text(path);
    if let Some(kind) = FunctionKind::ALL.into_iter().find(|kind| kind.name() == word) {
        return Ok(kind);
    }
    match word.as_str() {
        "dynamic" => Err(("`dynamic` has no names".into(), "list them: `dynamic(NR, SIZE)`".into())),
        "allow" => Err(("`allow` has no lints".into(), format!("list them: `allow(stale_wait)`; {}", lints()))),
        _ if LintKind::from_word(&word).is_some() => {
            Err((format!("the lint `{word}` stands alone"), format!("write `allow({word})`")))
        }
        _ => {
            let nearest = names::nearest(&word, FunctionKind::ALL.map(FunctionKind::name));
            let hint =
                if nearest.is_empty() { String::new() } else { format!("did you mean {}? ", names::list(&nearest)) };
            Err((format!("unknown function type `{word}`"), format!("{hint}{KINDS}")))
        }
    }
}

/// Which lints there are.
fn lints() -> String {
    let words: Vec<&str> = LintKind::ALL.iter().map(|kind| kind.word()).collect();
    format!("the lints are {}", words.join(", "))
}

fn add_lint(allowed: &mut Lints, name: &Listed, errors: &mut Errors) {
    let word = name.to_string();
    if let Some(kind) = LintKind::from_word(&word) {
        if !allowed.insert(kind) {
            errors.push(name.range(), format!("`{word}` is allowed twice"), "remove one of them");
        }
        return;
    }
    if let Some(kind) = LintKind::from_name(&word) {
        // As a report prints it.
        let help = format!("write `{}`", kind.word());
        errors.push(name.range(), format!("the lint `{word}` is written with `_` here"), help);
        return;
    }
    let nearest = names::nearest(&word, LintKind::ALL.iter().map(|kind| kind.word()));
    let hint = match nearest.as_slice() {
        [] => format!("; one of rustc has an attribute of its own, `#[allow({word})]`"),
        near => format!("; did you mean {}?", names::list(near)),
    };
    errors.push(name.range(), format!("unknown lint `{word}`"), lints() + &hint);
}

fn add_dim(dims: &mut Vec<Ident>, name: Ident, errors: &mut Errors) {
    let text = name.unraw().to_string();
    if LintKind::from_word(&text).is_some() {
        let help = format!("write `allow({text})`; `dynamic(…)` lists the names of extents");
        errors.push(Range::one(name.span()), format!("the lint `{text}` stands in `dynamic(…)`"), help);
    } else if dims.contains(&name) {
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
    List(Ident, Vec<Listed>),
}

/// A name in a list; of a lint as reports print it, `stale-wait`, with what follows its first word.
struct Listed {
    ident: Ident,
    rest: Vec<Ident>,
}

impl Listed {
    fn range(&self) -> Range {
        Range { start: self.ident.span(), end: self.rest.last().unwrap_or(&self.ident).span() }
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ident.fmt(f)?;
        self.rest.iter().try_for_each(|word| write!(f, "-{word}"))
    }
}

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Listed> {
        let ident = input.parse()?;
        let mut rest = vec![];
        while input.parse::<Option<Token![-]>>()?.is_some() {
            rest.push(input.parse()?);
        }
        Ok(Listed { ident, rest })
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Entry> {
        let path: syn::Path = input.parse()?;
        if !input.peek(syn::token::Paren) {
            return Ok(Entry::Word(path));
        }
        let content;
        syn::parenthesized!(content in input);
        let names = Punctuated::<Listed, Token![,]>::parse_terminated(&content)?;
        Ok(Entry::List(path.require_ident()?.clone(), names.into_iter().collect()))
    }
}
