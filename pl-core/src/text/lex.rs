//! Text to tokens.

use super::ParseError;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tok<'t> {
    /// An identifier or a path.
    Word(&'t str),
    /// A name in back quotes, without them.
    Quoted(&'t str),
    /// An integer and its suffix.
    Int(u128, &'t str),
    /// A float and its suffix.
    Float(f64, &'t str),
    /// A location.
    At(u32),
    /// An operator or a bracket.
    Punct(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) tok: Tok<'t>,
    pub(super) line: u32,
    pub(super) column: u32,
    /// Whether it is the first on its line.
    pub(super) first: bool,
}

/// Longest first.
const PUNCTUATION: &[&str] = &[
    "::", "..", "->", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*",
    "/", "%", "!", ",", ":", "?", "#",
];

/// The tokens of `text`, with [`Tok::End`] last, and what is none.
pub(super) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<ParseError>) {
    let mut lexer = Lexer { rest: text, line: 1, column: 1, first: true, tokens: vec![], errors: vec![] };
    lexer.run();
    (lexer.tokens, lexer.errors)
}

/// Whether `name` reads back as one word.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && word_len(name) == name.len()
}

fn is_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || (!c.is_ascii() && !c.is_whitespace())
}

fn is_continue(c: char) -> bool {
    is_start(c) || c.is_ascii_digit()
}

/// The length of the word that `text` begins with; 0 when it begins with none.
fn word_len(text: &str) -> usize {
    let run = |from: usize| text[from..].find(|c| !is_continue(c)).map_or(text.len(), |n| from + n);
    let starts = |at: usize| text[at..].starts_with(is_start);
    let raw = |at: usize| if text[at..].starts_with("r#") && starts(at + 2) { at + 2 } else { at };

    let mut end = if text.starts_with("::") { 2 } else { 0 };
    if !starts(end) {
        return 0;
    }
    end = run(raw(end));
    loop {
        let rest = &text[end..];
        if rest.starts_with('.') && rest[1..].starts_with(is_continue) {
            end = run(end + 1);
        } else if rest.starts_with("::") && starts(end + 2) {
            end = run(raw(end + 2));
        } else {
            return end;
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: u32,
    column: u32,
    first: bool,
    tokens: Vec<Token<'t>>,
    errors: Vec<ParseError>,
}

impl<'t> Lexer<'t> {
    fn run(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            if c == '\n' {
                self.rest = &self.rest[1..];
                self.line += 1;
                self.column = 1;
                self.first = true;
            } else if c.is_whitespace() {
                self.take(c.len_utf8());
            } else if c == ';' {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else {
                self.token(c);
            }
        }
        self.push(Tok::End, 0);
    }

    fn token(&mut self, c: char) {
        let word = word_len(self.rest);
        if word > 0 {
            let text = self.rest;
            self.push(Tok::Word(&text[..word]), word);
        } else if c.is_ascii_digit() {
            self.number();
        } else if c == '@' {
            let digits = self.rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            match self.rest[1..=digits].parse() {
                Ok(index) => self.push(Tok::At(index), 1 + digits),
                Err(_) => self.bad(1 + digits, "expected the number of a location after `@`", ""),
            }
        } else if c == '`' {
            let line = self.rest.split('\n').next().unwrap_or_default();
            match line[1..].find('`') {
                Some(len) => {
                    let name = &self.rest[1..=len];
                    self.push(Tok::Quoted(name), len + 2);
                }
                None => self.bad(
                    line.len(),
                    "the back quote has no partner on its line",
                    "close the name with a back quote",
                ),
            }
        } else if let Some(punct) = PUNCTUATION.iter().find(|p| self.rest.starts_with(**p)) {
            self.push(Tok::Punct(punct), punct.len());
        } else {
            let message = format!("unexpected character `{}`", c.escape_debug());
            self.bad(c.len_utf8(), &message, if c == '.' { "a range is written `a..b`" } else { "" });
        }
    }

    fn number(&mut self) {
        let text = self.rest;
        let digits = |from: usize| text[from..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count() + from;
        let digit_at = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let mut end = digits(0);
        let mut float = false;
        if text[end..].starts_with('.') && digit_at(end + 1) {
            end = digits(end + 1);
            float = true;
        }
        if text[end..].starts_with(['e', 'E']) {
            let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
            if digit_at(end + 1 + sign) {
                end = digits(end + 1 + sign);
                float = true;
            }
        }
        let suffix = text[end..].find(|c| !is_continue(c)).unwrap_or(text.len() - end);
        let plain = text[..end].replace('_', "");
        let tok = match float {
            true => plain.parse().ok().filter(|f: &f64| f.is_finite()).map(|f| Tok::Float(f, &text[end..end + suffix])),
            false => plain.parse().ok().map(|i| Tok::Int(i, &text[end..end + suffix])),
        };
        match tok {
            Some(tok) => self.push(tok, end + suffix),
            None => self.bad(end + suffix, "the number is too large", "no element type holds it"),
        }
    }

    fn push(&mut self, tok: Tok<'t>, len: usize) {
        self.tokens.push(Token { tok, line: self.line, column: self.column, first: self.first });
        self.first = false;
        self.take(len);
    }

    fn bad(&mut self, len: usize, message: &str, help: &str) {
        self.errors.push(ParseError {
            line: self.line,
            column: self.column,
            message: message.into(),
            help: help.into(),
        });
        self.take(len);
    }

    fn take(&mut self, len: usize) {
        let (taken, rest) = self.rest.split_at(len);
        self.column += taken.chars().count() as u32;
        self.rest = rest;
    }
}
