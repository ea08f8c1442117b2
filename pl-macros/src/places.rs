//! Locations: what a [`Loc`] of the IR stands for in the tokens.

use pl_core::ir::{self, Expr, ExprKind, Function, Loc, Place, Stmt, StmtKind};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};

/// The first and the last token of something: what an error about it underlines. On stable Rust two spans cannot be joined.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub start: Span,
    pub end: Span,
}

impl Range {
    /// One token.
    pub fn one(span: Span) -> Range {
        Range { start: span, end: span }
    }

    /// From the first token of `self` to the last of `end`.
    pub fn to(self, end: Range) -> Range {
        Range { start: self.start, end: end.end }
    }

    /// Where `syn` found something wrong.
    pub fn of_error(error: &syn::Error) -> Range {
        Range::one(error.span())
    }

    /// The tokens of anything. For expressions [`edges`] is cheaper.
    pub fn of(node: &impl ToTokens) -> Range {
        let mut spans = node.to_token_stream().into_iter().map(|token| match token {
            TokenTree::Group(group) => (group.span_open(), group.span_close()),
            token => (token.span(), token.span()),
        });
        let (start, first_end) = spans.next().unwrap_or((Span::call_site(), Span::call_site()));
        Range { start, end: spans.last().map_or(first_end, |(_, end)| end) }
    }
}

/// Two tokens with the two spans, for `syn::Error::new_spanned`.
impl ToTokens for Range {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append(Ident::new("start", self.start));
        tokens.append(Ident::new("end", self.end));
    }
}

/// The first and the last token of an expression, without making tokens of what is between.
pub fn edges(expr: &syn::Expr) -> Range {
    use syn::Expr;
    match expr {
        Expr::Path(e) if e.attrs.is_empty() && e.qself.is_none() => edges_of_path(&e.path),
        Expr::Call(e) => Range { start: edges(&e.func).start, end: e.paren_token.span.close() },
        Expr::Binary(e) => edges(&e.left).to(edges(&e.right)),
        Expr::Assign(e) => edges(&e.left).to(edges(&e.right)),
        Expr::Paren(e) => Range { start: e.paren_token.span.open(), end: e.paren_token.span.close() },
        Expr::Tuple(e) => Range { start: e.paren_token.span.open(), end: e.paren_token.span.close() },
        Expr::Array(e) => Range { start: e.bracket_token.span.open(), end: e.bracket_token.span.close() },
        Expr::Group(e) => edges(&e.expr),
        Expr::If(e) => {
            let end = match &e.else_branch {
                Some((_, other)) => edges(other).end,
                None => e.then_branch.brace_token.span.close(),
            };
            Range { start: e.if_token.span, end }
        }
        Expr::ForLoop(e) => Range { start: e.for_token.span, end: e.body.brace_token.span.close() },
        Expr::While(e) => Range { start: e.while_token.span, end: e.body.brace_token.span.close() },
        Expr::Block(e) if e.label.is_none() => {
            Range { start: e.block.brace_token.span.open(), end: e.block.brace_token.span.close() }
        }
        Expr::Unary(e) => Range::of(&e.op).to(edges(&e.expr)),
        Expr::MethodCall(e) => Range { start: edges(&e.receiver).start, end: e.paren_token.span.close() },
        _ => Range::of(expr),
    }
}

/// The first and the last token of a path.
pub fn edges_of_path(path: &syn::Path) -> Range {
    let simple = path.leading_colon.is_none() && path.segments.iter().all(|s| s.arguments.is_none());
    match (path.segments.first(), path.segments.last()) {
        (Some(first), Some(last)) if simple => Range { start: first.ident.span(), end: last.ident.span() },
        _ => Range::of(path),
    }
}

/// The table that the locations of a function index.
#[derive(Debug, Default)]
pub struct Places(Vec<Range>);

impl Places {
    /// A new location.
    pub fn add(&mut self, range: Range) -> Loc {
        self.0.push(range);
        Loc(self.0.len() as u32 - 1)
    }

    /// The tokens of a location.
    pub fn range(&self, loc: Loc) -> Option<Range> {
        self.0.get(loc.0 as usize).copied()
    }

    /// Keeps of the function's locations those that a run can report, numbers them anew and writes their lines and columns into
    /// [`Function::places`].
    pub fn settle(&self, function: &mut Function) {
        let mut settled = Settled { places: self, kept: vec![None; self.0.len()], list: vec![] };
        settled.keep(&mut function.loc);
        for local in &mut function.locals {
            settled.keep(&mut local.loc);
        }
        function.dynamic.iter_mut().for_each(|(_, loc)| settled.keep(loc));
        function.returns.iter_mut().for_each(|(_, loc)| settled.keep(loc));
        settled.block(&mut function.body);
        function.places = settled.list;
    }
}

struct Settled<'a> {
    places: &'a Places,
    kept: Vec<Option<u32>>,
    list: Vec<Place>,
}

impl Settled<'_> {
    fn keep(&mut self, loc: &mut Loc) {
        let Some(range) = self.places.range(*loc) else { return };
        let index = self.kept[loc.0 as usize].unwrap_or_else(|| {
            let start = range.start.start();
            // The file is the same for all: the source carries it once.
            self.list.push(Place::new("".into(), start.line as u32, start.column as u32 + 1));
            self.list.len() as u32 - 1
        });
        self.kept[loc.0 as usize] = Some(index);
        *loc = Loc(index);
    }

    fn block(&mut self, block: &mut ir::Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        self.keep(&mut stmt.loc);
        match &mut stmt.kind {
            StmtKind::Assign { value, .. } => self.expr(value),
            StmtKind::Op(ir::Op { args, .. }) => self.args(args),
            StmtKind::Call(ir::Call { args, device, .. }) => {
                self.args(args);
                device.iter_mut().for_each(|e| self.expr(e));
            }
            StmtKind::Check { ty, .. } => {
                let extents = ty.shaped_mut().into_iter().flat_map(|s| s.shape.iter_mut().flatten());
                extents.for_each(|e| self.expr(e));
            }
            StmtKind::For { start, end, step, body, .. } => {
                [start, end, step].into_iter().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::While { pre, cond, body } => {
                self.block(pre);
                self.expr(cond);
                self.block(body);
            }
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.block(then);
                self.block(els);
            }
            StmtKind::Return(values) => values.iter_mut().for_each(|e| self.expr(e)),
        }
    }

    fn args(&mut self, args: &mut [ir::Arg]) {
        for arg in args {
            arg.loc = Loc::NONE;
            arg.exprs_mut().iter_mut().for_each(|e| self.expr(e));
        }
    }

    /// Operators can fail; names and literals cannot.
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Unary(_, a) => {
                self.keep(&mut expr.loc);
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.keep(&mut expr.loc);
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cast(_, a) => {
                expr.loc = Loc::NONE;
                self.expr(a);
            }
            _ => expr.loc = Loc::NONE,
        }
    }
}
