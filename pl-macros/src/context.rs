//! What the stages share: the errors, the table of locations, and the function that is being made with its constants.

use crate::errors::Errors;
use crate::places::{Places, Range, edges_of_path};
use pl_core::ir::{Const, Expr, ExprKind, Function, FunctionKind, Loc, Name};
use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The state of one expansion.
#[derive(Debug)]
pub struct Context {
    pub errors: Errors,
    pub places: Places,
    pub function: Function,
    /// What fills each of [`Function::consts`], by index: an expression in the scope of the function.
    pub holes: Vec<TokenStream>,
    /// How to show locals that the user did not name so: the name in the IR, and the text.
    pub shown: Vec<(Name, String)>,
    /// Whether a statement was left out because something in it was reported: what the body does *not* do is then not to be reported.
    pub incomplete: bool,
}

impl Context {
    pub fn new(name: &str, kind: FunctionKind) -> Context {
        Context {
            errors: Errors::default(),
            places: Places::default(),
            function: Function::new(name, kind),
            holes: vec![],
            shown: vec![],
            incomplete: false,
        }
    }

    pub fn error(&mut self, range: Range, message: impl AsRef<str>, help: impl AsRef<str>) {
        let kind = self.function.kind;
        self.errors.push(range, worded(kind, message.as_ref()), worded(kind, help.as_ref()));
    }

    pub fn loc(&mut self, range: Range) -> Loc {
        self.places.add(range)
    }

    /// Whether `name` is a type parameter.
    pub fn is_type_param(&self, name: &str) -> bool {
        self.function.types.iter().any(|t| &*t.name == name)
    }

    /// Whether `name` is a const generic of the function.
    pub fn is_const_generic(&self, name: &str) -> bool {
        self.function.constant(name).is_some_and(|c| c.generic)
    }

    /// A name in capitals: a dim, or a constant that the user's crate fills in.
    pub fn constant(&mut self, path: &syn::Path) -> Expr {
        let loc = self.places.add(edges_of_path(path));
        let name = path_text(path);
        if !self.function.is_dynamic(&name) {
            let generic = path.segments.first().is_some_and(|s| {
                let first = s.ident.to_string();
                self.is_type_param(&first)
            });
            self.hole(&name, generic, || quote!(#path));
        }
        Expr::name(name).at(loc)
    }

    /// Declares a constant, if it is not declared yet; gives its name.
    pub fn hole(&mut self, name: &str, generic: bool, tokens: impl FnOnce() -> TokenStream) -> Name {
        if let Some(known) = self.function.constant(name) {
            return known.name.clone();
        }
        let name: Name = name.into();
        self.function.consts.push(Const { name: name.clone(), generic, value: None });
        self.holes.push(tokens());
        name
    }

    /// The expression that stands for a value that was reported: it agrees with everything.
    pub fn poison(&mut self) -> Expr {
        self.incomplete = true;
        Expr::new(ExprKind::Name(self.hole("?", false, TokenStream::new)))
    }
}

/// What a function of this level is called.
pub fn called(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::InCore | FunctionKind::Inline => "a kernel",
        FunctionKind::Orchestration => "an Orchestration function",
        FunctionKind::Host => "a Host function",
    }
}

/// Messages speak of kernels: what they say of a function of another level, in its words.
pub fn worded(kind: FunctionKind, text: &str) -> String {
    if called(kind) == called(FunctionKind::InCore) {
        return text.to_owned();
    }
    text.replace("a kernel", called(kind))
        .replace("the kernel", "the function")
        .replace("this kernel", "this function")
        .replace("an Inline function", "an InCore function")
}

/// A text as the user reads it: names that no user wrote, by what they are shown as.
pub fn shown(names: &[(Name, String)], text: &str) -> String {
    names.iter().fold(text.to_owned(), |text, (name, shown)| replace_name(&text, name, shown))
}

/// Replaces a name of the IR that no user wrote: such names hold a `.` and end in a number.
fn replace_name(text: &str, name: &str, shown: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, found) = rest.split_at(at);
        let after = &found[name.len()..];
        let part_of_other = before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            || after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        replaced += before;
        replaced += if part_of_other { name } else { shown };
        rest = after;
    }
    replaced + rest
}

/// A path as text, without generic arguments: `pld::system::notify`.
pub fn path_text(path: &syn::Path) -> String {
    let mut text = String::new();
    if path.leading_colon.is_some() {
        text.push_str("::");
    }
    for (i, segment) in path.segments.iter().enumerate() {
        if i > 0 {
            text.push_str("::");
        }
        text.push_str(&segment.ident.to_string());
    }
    text
}

/// Tokens as text on one line, spaced as in the source.
pub fn text_of(node: &impl ToTokens) -> String {
    let mut text = Text::default();
    text.tokens(node.to_token_stream());
    text.text
}

/// A text that grows by tokens.
#[derive(Default)]
struct Text {
    text: String,
    /// Where the last token ends.
    end: Option<LineColumn>,
}

impl Text {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    let inside = group.stream();
                    let tight = group.delimiter() != Delimiter::Brace || inside.is_empty();
                    self.token(open, group.span_open());
                    // A group that `syn` made has one span for all of it: it does not tell where its delimiters end.
                    self.end = if tight { None } else { self.end };
                    self.tokens(inside);
                    self.end = if tight { None } else { self.end };
                    self.token(close, group.span_close());
                }
                TokenTree::Punct(punct) => self.token(punct.as_char().encode_utf8(&mut [0; 4]), punct.span()),
                token => self.token(&token.to_string(), token.span()),
            }
        }
    }

    fn token(&mut self, token: &str, span: Span) {
        if token.is_empty() {
            return;
        }
        // The commas of lists that `syn` made anew stand nowhere.
        if self.end.is_some_and(|end| end != span.start()) && token != "," {
            self.text.push(' ');
        }
        self.text.push_str(token);
        self.end = Some(span.end());
    }
}
