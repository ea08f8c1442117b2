//! Text to IR: tokens, errors, declarations. Statements are in [`stmt`], expressions, types and arguments in [`expr`].

mod expr;
mod stmt;

use super::lex::{self, Tok, Token};
use super::{MAX_DEPTH, ParseError, VERSION, print};
use crate::dtype::DType;
use crate::fault::LintKind;
use crate::ir::*;
use crate::op::EnumKind;
use std::collections::HashMap;

/// After this many errors the rest stays unsaid.
const MAX_ERRORS: usize = 50;

/// Reads a function. The locations are those that the text carries when `embedded`, else places in the text.
pub(super) fn function(text: &str, file: &str, embedded: bool) -> Result<Function, Vec<ParseError>> {
    let (tokens, errors) = lex::tokens(text);
    let mut parser = Parser {
        tokens,
        next: 0,
        errors,
        embedded,
        file: file.into(),
        function: Function::new("", FunctionKind::InCore),
        locals: HashMap::new(),
        here: Loc::NONE,
        in_header: true,
        start: 0,
        unclosed: false,
        brackets: 0,
        blocks: 0,
        depth: 0,
    };
    let read = parser.file();
    let Parser { function, mut errors, .. } = parser;
    if read.is_ok() && errors.is_empty() {
        return Ok(function);
    }
    errors.sort_by_key(|e| (e.line, e.column));
    errors.truncate(MAX_ERRORS);
    Err(errors)
}

/// An error that is in the list already ends what is being parsed.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'t> {
    /// Never empty: the last one is [`Tok::End`].
    tokens: Vec<Token<'t>>,
    next: usize,
    errors: Vec<ParseError>,
    embedded: bool,
    file: Name,
    function: Function,
    locals: HashMap<&'t str, LocalId>,
    /// The location of what has none of its own.
    here: Loc,
    /// Whether the types of parameters and results are being read: there, a bare word is a name.
    in_header: bool,
    /// The first token of the statement that is being read.
    start: usize,
    /// Whether a block without an end was reported: those around it have none either.
    unclosed: bool,
    /// How many parentheses and brackets are open: inside, lines do not end.
    brackets: u32,
    /// How many blocks are open.
    blocks: usize,
    /// How many calls of this parser for blocks and expressions are open: at most two for each level.
    depth: usize,
}

/// Tokens and errors.
impl<'t> Parser<'t> {
    /// The token `n` after the next one.
    fn ahead(&self, n: usize) -> Token<'t> {
        self.tokens[(self.next + n).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    fn bump(&mut self) -> Token<'t> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek().tok, Tok::Punct(p) if p == punct)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek().tok, Tok::Word(w) if w == word)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            match punct {
                "(" | "[" => self.brackets += 1,
                ")" | "]" => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
            self.next += 1;
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str, context: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}` {context}"))) }
    }

    /// Reports what was expected instead of the next token.
    fn expected(&mut self, what: &str) -> Reported {
        self.expected_with(what, "")
    }

    fn expected_with(&mut self, what: &str, help: &str) -> Reported {
        let token = self.peek();
        let found = match token.tok {
            Tok::Word(word) => format!("`{word}`"),
            Tok::Quoted(name) => format!("`` `{name}` ``"),
            Tok::Int(value, suffix) => format!("`{value}{suffix}`"),
            Tok::Float(value, suffix) => format!("`{value:?}{suffix}`"),
            Tok::At(index) => format!("`@{index}`"),
            Tok::Punct(punct) => format!("`{punct}`"),
            Tok::End => "the end of the text".into(),
        };
        if !self.in_header && self.line_ended() && self.next > self.start {
            let last = self.tokens[self.next - 1];
            return self.error(last, format!("expected {what} before the end of the line"), help);
        }
        self.error(token, format!("expected {what}, found {found}"), help)
    }

    /// Whether the next token is on another line, and that matters.
    fn line_ended(&self) -> bool {
        self.brackets == 0 && (self.peek().first || self.peek().tok == Tok::End)
    }

    /// Reports an error, unless its line has one already.
    fn error(&mut self, token: Token<'t>, message: impl Into<String>, help: impl Into<String>) -> Reported {
        if self.errors.len() < MAX_ERRORS && self.errors.iter().all(|e| e.line != token.line) {
            let Token { line, column, .. } = token;
            self.errors.push(ParseError { line, column, message: message.into(), help: help.into() });
        }
        Reported
    }

    /// Goes one call deeper; [`Parser::leave`] comes back.
    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= 2 * MAX_DEPTH + 2 { Ok(()) } else { Err(self.too_deep()) }
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports an expression of this height that is too deep where it stands.
    fn check_depth(&mut self, height: usize) -> Parsed<()> {
        if self.blocks + height <= MAX_DEPTH { Ok(()) } else { Err(self.too_deep()) }
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("blocks and expressions are nested more than {MAX_DEPTH} deep");
        self.error(self.peek(), message, "give inner values names, or move inner blocks to an `Inline` function")
    }

    /// Items with commas between them and `close` after them.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![];
        loop {
            if self.eat(close) {
                return Ok(items);
            }
            items.push(item(self)?);
            if !self.eat(",") {
                self.expect(close, "or `,`")?;
                return Ok(items);
            }
        }
    }
}

/// Names and locations.
impl<'t> Parser<'t> {
    /// A location, where the text has one.
    fn at(&mut self) -> Option<Loc> {
        match self.peek().tok {
            Tok::At(index) => {
                self.next += 1;
                Some(Loc(index))
            }
            _ => None,
        }
    }

    /// The location of what begins with `token`: the one it carries, or its place in the text.
    fn loc_or(&mut self, token: Token<'t>, at: Option<Loc>, otherwise: Loc) -> Loc {
        if self.embedded {
            return at.unwrap_or(otherwise);
        }
        let Token { line, column, .. } = token;
        self.function.places.push(Place::new(self.file.clone(), line, column));
        Loc(self.function.places.len() as u32 - 1)
    }

    /// The location of an expression or argument.
    fn loc(&mut self, token: Token<'t>, at: Option<Loc>) -> Loc {
        self.loc_or(token, at, self.here)
    }

    /// A name where only a name may stand.
    fn name(&mut self, what: &str) -> Parsed<&'t str> {
        match self.peek().tok {
            Tok::Word(name) if !print::is_reserved(name) => {
                self.next += 1;
                Ok(name)
            }
            Tok::Quoted(name) => {
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A local where only a local may stand.
    fn local(&mut self) -> Parsed<LocalId> {
        self.eat("%");
        let token = self.peek();
        let name = self.name("the name of a local")?;
        Ok(self.local_named(name, token))
    }

    /// The local of this name. Its first appearance declares it.
    fn local_named(&mut self, name: &'t str, token: Token<'t>) -> LocalId {
        let new = LocalId(self.function.locals.len() as u32);
        let id = *self.locals.entry(name).or_insert(new);
        if id == new {
            let loc = self.loc(token, None);
            self.function.locals.push(Local { name: name.into(), loc });
        } else if self.function.locals[id.0 as usize].loc == Loc::NONE && self.function.param_of(id).is_none() {
            self.function.locals[id.0 as usize].loc = self.loc(token, None);
        }
        id
    }

    /// Whether the bare word is a name, not a local.
    fn reads_as_name(&self, word: &str) -> bool {
        self.in_header
            || print::looks_like_name(word)
            || self.function.is_dynamic(word)
            || self.function.constant(word).is_some()
    }
}

/// Declarations.
impl<'t> Parser<'t> {
    fn file(&mut self) -> Parsed<()> {
        self.version()?;
        self.tables()?;
        match self.header() {
            Ok(()) => {}
            // Where the body begins is clear: its errors come along.
            Err(Reported) => loop {
                let token = self.peek();
                match token.tok {
                    Tok::End => return Err(Reported),
                    Tok::Punct("{") if self.ahead(1).first => break,
                    _ => self.next += 1,
                }
            },
        }
        self.brackets = 0;
        self.in_header = false;
        self.function.body = self.block()?;
        for place in &mut self.function.places {
            place.allow = self.function.allow;
        }
        self.start = self.next;
        match self.peek().tok {
            Tok::End => Ok(()),
            _ => Err(self.expected("the end of the text after the function")),
        }
    }

    fn version(&mut self) -> Parsed<()> {
        if !self.eat_word("pl") {
            return Err(
                self.expected_with("`pl` and the version", &format!("begin the text with the line `pl {VERSION}`"))
            );
        }
        match self.peek().tok {
            Tok::Int(version, "") if version == u128::from(VERSION) => {
                self.next += 1;
                Ok(())
            }
            Tok::Int(version, "") => {
                let message = format!("version {version} of the text form is unknown, expected {VERSION}");
                let help = "the text was written by another version of pl: print it again with this one";
                Err(self.error(self.peek(), message, help))
            }
            _ => Err(self.expected(&format!("version {VERSION}"))),
        }
    }

    fn tables(&mut self) -> Parsed<()> {
        loop {
            if self.eat_word("locals") {
                loop {
                    let token = self.peek();
                    let name = self.name("the name of a local")?;
                    let id = LocalId(self.function.locals.len() as u32);
                    if self.locals.insert(name, id).is_some() {
                        return Err(self.error(
                            token,
                            format!("local `{name}` is listed twice"),
                            "list every local once",
                        ));
                    }
                    self.function.locals.push(Local { name: name.into(), loc: Loc::NONE });
                    if !self.eat(",") {
                        break;
                    }
                }
            } else if self.eat_word("places") {
                while matches!(self.peek().tok, Tok::Int(..)) {
                    let line = self.number("a line")?;
                    self.expect(":", "between line and column")?;
                    let column = self.number("a column")?;
                    if self.embedded {
                        self.function.places.push(Place::new(self.file.clone(), line, column));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// A small number without a suffix.
    fn number(&mut self, what: &str) -> Parsed<u32> {
        match self.peek().tok {
            Tok::Int(value, "") => match u32::try_from(value) {
                Ok(value) => {
                    self.next += 1;
                    Ok(value)
                }
                Err(_) => Err(self.error(self.peek(), format!("{what} of {value} is too large"), "")),
            },
            _ => Err(self.expected(what)),
        }
    }

    fn header(&mut self) -> Parsed<()> {
        let kinds = FunctionKind::ALL;
        match kinds.into_iter().find(|kind| self.is_word(kind.name())) {
            Some(kind) => self.function.kind = kind,
            None => return Err(self.expected("`InCore`, `Inline`, `Orchestration` or `Host`")),
        }
        self.next += 1;
        if !self.eat_word("fn") {
            return Err(self.expected("`fn`"));
        }
        let token = self.peek();
        self.function.name = self.name("the name of the function")?.into();
        let at = self.at();
        self.function.loc = self.loc_or(token, at, Loc::NONE);
        if self.eat("<") {
            self.generics()?;
        }
        self.expect("(", "before the parameters")?;
        self.list(")", |p| {
            let param = p.param()?;
            p.function.params.push(param);
            Ok(())
        })?;
        if self.eat("->") {
            self.function.returns = match self.eat("(") {
                true => self.list(")", Self::returned)?,
                false => vec![self.returned()?],
            };
        }
        loop {
            if self.eat_word("dynamic") {
                self.expect("(", "before the dynamic names")?;
                let names = self.list(")", |p| {
                    let token = p.peek();
                    let name = p.declared_name("a dynamic name")?;
                    let at = p.at();
                    let loc = p.loc_or(token, at, Loc::NONE);
                    p.function.dynamic.push((name, loc));
                    Ok(())
                });
                names?;
            } else if self.eat_word("allow") {
                self.expect("(", "before the lints")?;
                self.list(")", Self::lint)?;
            } else if self.eat_word("calls") {
                self.expect("(", "before the names of the functions that are called")?;
                self.function.callees = self.list(")", |p| Ok(p.name("the name of a function")?.into()))?;
            } else if self.is("{") {
                return Ok(());
            } else {
                return Err(self.expected("`dynamic`, `allow`, `calls` or `{`"));
            }
        }
    }

    /// A lint that is allowed.
    fn lint(&mut self) -> Parsed<()> {
        let token = self.peek();
        let word = self.name("a lint")?;
        let Some(kind) = LintKind::from_word(word) else {
            let words: Vec<&str> = LintKind::ALL.iter().map(|kind| kind.word()).collect();
            return Err(self.error(token, format!("unknown lint `{word}`"), format!("lints are {}", words.join(", "))));
        };
        if !self.function.allow.insert(kind) {
            return Err(self.error(token, format!("`{word}` is allowed twice"), "list a lint once"));
        }
        Ok(())
    }

    /// A new name of a dim or constant.
    fn declared_name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        let name = self.name(what)?;
        if self.function.is_dynamic(name) || self.function.constant(name).is_some() {
            return Err(self.error(
                token,
                format!("`{name}` is declared twice"),
                "declare it once, as a dim or as a constant",
            ));
        }
        Ok(name.into())
    }

    fn generics(&mut self) -> Parsed<()> {
        let items = self.list(">", |p| {
            let generic = p.is_word("generic") && p.ahead(1).tok == Tok::Word("const");
            p.next += usize::from(generic);
            if p.eat_word("const") {
                let name = p.declared_name("the name of a constant")?;
                let value = if p.eat(":") { Some(p.const_value()?) } else { None };
                p.function.consts.push(Const { name, generic, value });
                return Ok(());
            }
            let name = p.name("a type parameter or `const`")?.into();
            let value = if p.eat(":") { Some(p.dtype()?) } else { None };
            p.function.types.push(TypeParam { name, value });
            Ok(())
        });
        items.map(|_| ())
    }

    /// Type and value of a constant.
    fn const_value(&mut self) -> Parsed<ConstValue> {
        if let Tok::Word(word) = self.peek().tok
            && let Some(kind) = EnumKind::from_name(word)
        {
            self.next += 1;
            self.expect("=", "before the constant's value")?;
            return Ok(ConstValue::Enum(kind, self.variant(kind)?));
        }
        let ty = self.scalar_type()?;
        self.expect("=", "before the constant's value")?;
        Ok(ConstValue::Scalar(self.literal()?, ty))
    }

    fn dtype(&mut self) -> Parsed<DType> {
        let dtype = match self.peek().tok {
            Tok::Word(word) => DType::from_name(word),
            _ => None,
        };
        match dtype {
            Some(dtype) => {
                self.next += 1;
                Ok(dtype)
            }
            None => {
                let names: Vec<&str> = DType::ALL.iter().map(|d| d.name()).collect();
                Err(self.expected_with("an element type", &format!("element types are {}", names.join(", "))))
            }
        }
    }

    fn param(&mut self) -> Parsed<Param> {
        let token = self.peek();
        let name = self.name("the name of a parameter")?;
        let at = self.at();
        if self.function.params.iter().any(|p| self.function.local_name(p.local) == name) {
            return Err(self.error(
                token,
                format!("parameter `{name}` is declared twice"),
                "give each parameter its own name",
            ));
        }
        self.here = at.unwrap_or(Loc::NONE);
        let local = self.local_named(name, token);
        self.expect(":", "before the parameter's type")?;
        let modes = [Mode::In, Mode::Out, Mode::InOut];
        let mode = modes.into_iter().find(|mode| self.is_word(mode.name()));
        self.next += usize::from(mode.is_some());
        let ty = self.ty()?;
        Ok(Param { local, mode: mode.unwrap_or(Mode::In), ty })
    }

    fn returned(&mut self) -> Parsed<(Type, Loc)> {
        let token = self.peek();
        let ty = self.ty()?;
        let at = self.at();
        Ok((ty, self.loc_or(token, at, Loc::NONE)))
    }
}
