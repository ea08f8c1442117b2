//! The text form of the IR: printed for people, embedded in the user's crate, read back by tests and at link.
//!
//! [`print()`] and [`parse`] are inverse: `parse(&print(&f))` equals `f`. [`embed`] writes the same text with locations, and
//! [`parse_embedded`] reads them. Neither direction panics, whatever it is given; nesting is limited to [`MAX_DEPTH`].
//!
//! # Lexis
//! `;` begins a comment that ends with the line. A statement ends where its line ends, unless a parenthesis or bracket is open.
//! A *word* is an identifier, with dots (`acc.1`) or as a path (`consts::SIZE`, `pld::rank`). `` `…` `` is a name that is no word.
//!
//! A word in an expression is a *name* (a dynamic dim or a constant) when it is declared as one, is a path, or is written in capitals;
//! otherwise it is a local. In the types of parameters and results it is always a name. `` `x` `` is always a name, `%x` always a local. Where only locals may stand, `%` is not needed.
//!
//! # Grammar
//! ```text
//! file      = "pl" "1" table* function
//! table     = "locals" local,*                      ; only when locals are not numbered as they appear
//!           | "places" (LINE ":" COLUMN)*           ; what the locations mean
//! function  = kind "fn" name at? generics? "(" param,* ")" ("->" returns)? clause* block
//! kind      = "InCore" | "Inline" | "Orchestration" | "Host"
//! generics  = "<" generic,* ">"
//! generic   = NAME (":" dtype)?                     ; a type parameter, and its type once it is filled in
//!           | "generic"? "const" name (":" scalar "=" literal | ":" enum "=" variant)?
//! param     = local at? ":" ("In" | "Out" | "InOut")? type
//! returns   = type at? | "(" (type at?),* ")"
//! clause    = "dynamic" "(" (name at?),* ")" | "allow" "(" LINT,* ")" | "calls" "(" name,* ")"
//! type      = ("tile" | "tensor" | "window") "<" elem "," "[" extent,* "]" ">" | scalar | "context" | "buffer" | "?"
//! scalar    = dtype | "usize" | "bool" | NAME       ; NAME is a type parameter
//! extent    = expr | "?"
//!
//! block     = "{" statement* "}"
//! statement = at? ( local "=" expr
//!                 | (local "=")? OP ("::" "<" elem ">")? "(" arg,* ")"
//!                 | (local,* "=")? "call" name ("#" INDEX)? "(" arg,* ("," "device" "=" expr)? ")"
//!                 | "check" local ":" type
//!                 | "for" local "in" expr ".." expr ("step" expr)? block
//!                 | "while" block? expr block                                ; the first block runs before each test
//!                 | "if" expr block ("else" (block | at? if-statement))?
//!                 | "return" expr,* )
//! arg       = (PARAMETER "=")? ( expr | "[" expr,* "]" | value | "enum" enum value | "_" )
//! value     = variant | "const" name                ; where the op's parameter is an enum; an expression stands in parentheses
//! enum      = "NotifyOp" | "WaitCmp" | "AtomicType" | "ReduceOp" | "AllreduceMode" | "Collective"
//! variant   = NAME | INT                            ; INT is a wire value
//!
//! expr      = expr binary at? expr | expr "as" scalar | "-" at? expr | "!" expr | "(" expr ")"
//!           | "pl::min" "(" expr "," expr ")" | "pl::max" "(" expr "," expr ")" | "extent" "(" local "," AXIS ")"
//!           | number | "pl::lit" "::" "<" scalar ">" "(" literal ")" | name | local
//! literal   = "-"? (INT | FLOAT | "pl::inf" | "pl::nan") | "true" | "false"
//! number    = literal, with a suffix where it has a type: 1i32, -2.5f16, 3usize
//! binary    = "*" "/" "%"  before  "+" "-"  before  "==" "!=" "<" "<=" ">" ">="  before  "&&"  before  "||"
//! at        = "@" INDEX                             ; a location, only in the embedded form
//! ```
//! Operators bind as in Rust: unary before `as` before binary, comparisons do not chain. Every parameter of an op has an argument;
//! those that are enums are printed with the parameter's name, and `_` stands for an optional one that is not given. The INDEX of a call
//! tells callees of one name apart.

mod lex;
mod parse;
mod print;

use crate::ir::{Expr, ExprKind, Extent, Function, Loc, Stmt, StmtKind, Type};
use core::fmt;

/// The version that [`print()`] writes and [`parse`] reads.
pub const VERSION: u32 = 1;

/// The deepest nesting of blocks and expressions together that [`parse`] accepts, so that no pass runs out of stack.
pub const MAX_DEPTH: usize = 128;

/// The function as text for people: no locations.
pub fn print(function: &Function) -> String {
    print::function(function, false)
}

/// The function as text that keeps its locations: those of the function, its dynamic names, parameters, returns, statements, and of
/// the operators that can fail. What has no location of its own takes its statement's when it is read back.
///
/// Places are written without their file, which is the same for all of them.
pub fn embed(function: &Function) -> String {
    print::function(function, true)
}

/// An expression of the function, as a message shows it.
pub fn show_expr(function: &Function, expr: &Expr) -> String {
    print::expr(function, expr)
}

/// A type of the function, as a message shows it.
pub fn show_type(function: &Function, ty: &Type) -> String {
    print::ty(function, ty)
}

/// A shape, as a message shows it: `[1, SIZE]`.
pub fn show_shape(function: &Function, shape: &[Extent]) -> String {
    let show = |extent: &Extent| extent.as_ref().map_or("?".into(), |e| show_expr(function, e));
    format!("[{}]", shape.iter().map(show).collect::<Vec<_>>().join(", "))
}

/// Reads a function. Its locations are places in the text, in the file `text`.
pub fn parse(text: &str) -> Result<Function, Vec<ParseError>> {
    parse::function(text, "text", false)
}

/// Reads what [`embed`] wrote; its places are in `file`.
pub fn parse_embedded(text: &str, file: &str) -> Result<Function, Vec<ParseError>> {
    parse::function(text, file, true)
}

/// Where the function is nested deeper than [`MAX_DEPTH`], so that its text would not be read.
pub fn too_deep(function: &Function) -> Option<Loc> {
    fn block(stmts: &[Stmt], depth: usize) -> Option<Loc> {
        stmts.iter().find_map(|stmt| {
            let compound = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::If { .. });
            let mut deep = depth + usize::from(compound) > MAX_DEPTH;
            stmt.kind.for_each_expr(&mut |e| deep |= depth + height(e, MAX_DEPTH) > MAX_DEPTH);
            if deep {
                return Some(stmt.loc);
            }
            stmt.kind.blocks().into_iter().find_map(|nested| block(nested, depth + 1))
        })
    }
    /// The height of an expression, as far as `limit`.
    fn height(expr: &Expr, limit: usize) -> usize {
        if limit == 0 {
            return 1;
        }
        1 + match &expr.kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => height(a, limit - 1),
            ExprKind::Binary(_, a, b) => height(a, limit - 1).max(height(b, limit - 1)),
            _ => 0,
        }
    }
    block(&function.body, 1)
}

/// Something that is wrong in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
    /// What was found and what was expected.
    pub message: String,
    /// How to mend it; empty when the message says it.
    pub help: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n  --> text:{}:{}", self.message, self.line, self.column)?;
        if !self.help.is_empty() {
            write!(f, "\n  = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl core::error::Error for ParseError {}
