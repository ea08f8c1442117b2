//! Places in a function, and the text of what stands there.

use pl::ir::{Block, Function, Stmt, StmtKind};
use pl::text;

/// Where a statement stands: which nested blocks lead to it, each by its statement and its number there, and the position in the last of them.
#[derive(Clone, Debug)]
pub struct At {
    into: Vec<(usize, usize)>,
    index: usize,
}

/// Calls `f` with each statement's place and the rest of its block, which begins with it, in the order of the text.
pub fn visit<'a>(block: &'a [Stmt], f: &mut dyn FnMut(At, &'a [Stmt])) {
    fn walk<'a>(block: &'a [Stmt], into: &mut Vec<(usize, usize)>, f: &mut dyn FnMut(At, &'a [Stmt])) {
        for index in 0..block.len() {
            f(At { into: into.clone(), index }, &block[index..]);
            for (number, nested) in block[index].kind.blocks().into_iter().enumerate() {
                into.push((index, number));
                walk(nested, into, f);
                into.pop();
            }
        }
    }
    walk(block, &mut vec![], f);
}

/// The function with other statements in place of `len` of them, from this place on.
pub fn replaced(function: &Function, at: &At, len: usize, by: Vec<Stmt>) -> Function {
    let mut function = function.clone();
    let mut block: &mut Block = &mut function.body;
    for (index, number) in &at.into {
        block = match (&mut block[*index].kind, number) {
            (StmtKind::For { body, .. }, 0) | (StmtKind::While { body, .. }, 1) => body,
            (StmtKind::While { pre, .. }, 0) => pre,
            (StmtKind::If { then, .. }, 0) => then,
            (StmtKind::If { els, .. }, 1) => els,
            (kind, number) => unreachable!("block {number} of {kind:?}"),
        };
    }
    block.splice(at.index..at.index + len, by);
    function
}

/// A statement as text; of one with blocks, what stands in them and does something, without the braces.
pub fn show(function: &Function, stmt: &Stmt) -> String {
    let alone = Function { body: vec![stmt.clone()], ..function.clone() };
    let text = text::print(&alone);
    // After the line with the signature.
    let lines = text.lines().skip_while(|line| !line.contains(" fn ")).skip(1);
    let lines = lines.map(str::trim).filter(|line| !line.is_empty() && *line != "}");
    lines.map(|line| line.trim_end_matches(" {")).collect::<Vec<_>>().join(": ")
}
