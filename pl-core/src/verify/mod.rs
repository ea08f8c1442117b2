//! The verifier: type inference and every rule that the language has, for the macro, for linked and lowered functions, and for IR that
//! was read from text.
//!
//! It verifies that
//! - every declared dim is used and can be bound from an argument; shapes and expressions name only dims and constants that exist;
//! - parameters and returns have types that the function's level allows;
//! - a local is assigned on every path before it is used, keeps one type, and names the memory of one parameter only;
//! - operands and conditions have the types that operators, ops and statements ask for, literals fit their type, and nothing divides by a zero
//!   constant;
//! - arguments of ops are what the table asks for: kind, element type, rank, shape, distinct memory, implemented enum values;
//! - with the bindings: the windows that an op reaches peers through are of one domain, a context stays with one, a known peer is a rank of it;
//! - boxes fit their memory as far as names and constants show it, with the bindings as far as those do;
//! - the sides of a branch on the own rank call the same collectives, as far as names and constants show it;
//! - nothing is stored into an `In` parameter; an `Out` parameter is stored to somewhere, and not read where no path has stored before;
//! - what is returned is what is declared;
//! - a dispatch stands in a `Host` function, in a loop over the ranks that leaves none out and takes none twice, with collectives outside of it; window
//!   buffers are used, large enough, and for one window each;
//! - nothing is nested too deep for the passes and the text form.
//!
//! What depends on constants that are not filled in yet is not an error but a [`Fact`], for the macro to have rustc check. What depends on
//! values that only a run has is checked there.

mod args;
mod collective;
mod condition;
mod domain;
mod expr;
mod host;
mod memory;
mod op;
mod shape;
mod signature;
mod stmt;
mod transfer;

pub(crate) use condition::Known;
pub use expr::{cast_operand, default_scalar};
pub use memory::{Pressure, pressure};
pub(crate) use memory::{check_tile_memory, live_bytes};
pub use shape::MAX_AXES;

use crate::bind::Bindings;
use crate::diag::Diagnostic;
use crate::ir::{Expr, ExprKind, Function, FunctionKind, Loc, LocalId, ScalarType, StmtKind, Type};
use crate::op::ResultKind;
use crate::poly::Poly;

/// What is known when the verifier runs.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// Only the source, and something in it was reported already: what the body does *not* do is not judged.
    Draft,
    /// Only the source: constants may be open, callees are not known.
    Source,
    /// The function is linked: constants have values, calls are inlined.
    Linked,
    /// The dims and the number of ranks are known too.
    Bound(&'a Bindings),
}

/// What the verifier says of a function.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Types and roots of its locals.
    pub inferred: Inferred,
    /// Everything that is wrong, in the order of the source.
    pub errors: Vec<Diagnostic>,
    /// What remains to be checked once constants are known.
    pub facts: Vec<Fact>,
}

/// What the verifier learns about a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inferred {
    /// The type of each local, by [`LocalId`].
    pub types: Vec<Type>,
    /// For a local that names a tensor or window: the index of the parameter whose memory it is.
    pub roots: Vec<Option<usize>>,
    /// For a local that is a communication context: the index of a parameter whose window's domain it is.
    pub contexts: Vec<Option<usize>>,
    /// For a local that is assigned once, and to an index expression or condition over names: that expression.
    pub values: Vec<Option<Expr>>,
}

/// Something that must hold of constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Where the user wrote what depends on it.
    pub loc: Loc,
    /// Whether it depends on generic arguments, so that only `cargo build` can check it.
    pub generic: bool,
    /// What must hold.
    pub check: Check,
    /// What is said when it does not; the two sides' values are appended.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

/// A condition on constants: expressions over constant names and integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Both are equal.
    Eq(Expr, Expr),
    /// The first is at most the second.
    Le(Expr, Expr),
    /// It is not zero.
    NonZero(Expr),
}

/// Verifies a function.
pub fn verify(function: &Function, moment: Moment<'_>) -> Verdict {
    if let Some(loc) = crate::text::too_deep(function) {
        let message = format!("blocks and expressions are nested more than {} deep", crate::text::MAX_DEPTH);
        let help = "give inner values names and leave inner blocks out; the bodies of called functions count where they are called";
        let inferred = Inferred {
            types: vec![Type::Unknown; function.locals.len()],
            roots: vec![None; function.locals.len()],
            contexts: vec![None; function.locals.len()],
            values: vec![None; function.locals.len()],
        };
        return Verdict { inferred, errors: vec![Diagnostic::new(loc, message, help)], facts: vec![] };
    }
    let mut checker = Checker::new(function, moment);
    checker.check_signature();
    checker.check_body();
    if !matches!(moment, Moment::Draft) {
        checker.check_collectives();
        if function.kind == FunctionKind::Host {
            checker.check_host();
        }
    }
    checker.finish()
}

/// The kind of bare literal that a local was first assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Int,
    Float,
}

/// The state of one verification.
struct Checker<'a> {
    function: &'a Function,
    moment: Moment<'a>,
    /// Types inferred so far; `None` before the first assignment.
    types: Vec<Option<Type>>,
    roots: Vec<Option<usize>>,
    contexts: Vec<Option<usize>>,
    /// For each local that anywhere names memory: whose, whatever the order of the statements.
    aliases: Vec<Option<usize>>,
    /// Locals that hold a bare literal, whose type the first typed use decides; and the local that decides for them.
    open: Vec<Option<Open>>,
    decides: Vec<usize>,
    /// The value of a local that is assigned once, as an expression over names, where it is one.
    values: Vec<Option<Expr>>,
    /// How often each local is assigned.
    assignments: Vec<u32>,
    /// Locals that are assigned on every path to here.
    assigned: Vec<bool>,
    /// Parameters that some path to here has stored to.
    stored: Vec<bool>,
    /// Parameters that are stored to anywhere.
    ever_stored: Vec<bool>,
    /// How many conditions stand around the statement that are not known to hold.
    conditions: u32,
    /// How many of those may keep it from running for some values of constants.
    guards: u32,
    /// Locals that hold the number of ranks, which is at least 1.
    ranks: Vec<bool>,
    /// Where the statement that is being checked stands.
    here: Loc,
    errors: Vec<Diagnostic>,
    facts: Vec<Fact>,
}

impl<'a> Checker<'a> {
    fn new(function: &'a Function, moment: Moment<'a>) -> Checker<'a> {
        let locals = function.locals.len();
        let mut assignments = vec![0; locals];
        count_assignments(&function.body, &mut assignments);
        let mut checker = Checker {
            function,
            moment,
            types: vec![None; locals],
            roots: vec![None; locals],
            contexts: vec![None; locals],
            aliases: vec![None; locals],
            open: vec![None; locals],
            decides: (0..locals).collect(),
            values: vec![None; locals],
            assignments,
            assigned: vec![false; locals],
            stored: vec![false; function.params.len()],
            ever_stored: vec![false; function.params.len()],
            conditions: 0,
            guards: 0,
            ranks: vec![false; locals],
            here: function.loc,
            errors: vec![],
            facts: vec![],
        };
        for (index, param) in function.params.iter().enumerate() {
            let slot = param.local.0 as usize;
            checker.types[slot] = Some(param.ty.clone());
            checker.assigned[slot] = true;
            checker.roots[slot] = param.ty.is_memory().then_some(index);
        }
        checker.aliases = checker.roots.clone();
        while follow_aliases(&function.body, &mut checker.aliases) {}
        checker
    }

    fn error(&mut self, loc: Loc, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::new(loc, message, help));
    }

    /// Reports what is wrong only if the statement runs with these values. In the source, it is wrong with all values; later, a
    /// statement that may not run is left to the run, which checks it again.
    fn fault(&mut self, diagnostic: Diagnostic) {
        if self.conditions == 0 || matches!(self.moment, Moment::Draft | Moment::Source) {
            self.report(diagnostic);
        }
    }

    /// Adds a diagnostic, once: the passes may bring the same place here by two ways.
    fn report(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.loc = diagnostic.loc.or(self.here);
        if !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        }
    }

    fn finish(mut self) -> Verdict {
        for local in 0..self.types.len() {
            if let Some(open) = self.open[self.decider(local)] {
                self.types[local] = Some(Type::Scalar(expr::default_type(open)));
            }
        }
        let types = self.types.into_iter().map(|t| t.unwrap_or(Type::Unknown)).collect();
        Verdict {
            inferred: Inferred { types, roots: self.roots, contexts: self.contexts, values: self.values },
            errors: self.errors,
            facts: self.facts,
        }
    }

    /// The bindings, once there are some.
    fn bindings(&self) -> Option<&'a Bindings> {
        match self.moment {
            Moment::Bound(bindings) => Some(bindings),
            _ => None,
        }
    }

    /// The polynomial of an expression over names.
    fn poly(&self, expr: &Expr) -> Option<Poly> {
        let bindings = self.bindings();
        Poly::of(expr, &|name| self.function.value_of_name(name, bindings))
    }

    /// The expression with each local replaced by what it stands for; `None` where a local has no such value.
    fn resolve(&self, expr: &Expr) -> Option<Expr> {
        let mut known = true;
        let resolved = expr.clone().map(&mut |e| match &e.kind {
            ExprKind::Local(id) => match self.values.get(id.0 as usize).and_then(Option::as_ref) {
                Some(value) => value.clone().at(e.loc),
                None => {
                    known = false;
                    e
                }
            },
            ExprKind::Extent(id, axis) => {
                let extent =
                    self.type_of(*id).and_then(Type::shaped).and_then(|s| s.shape.get(*axis as usize)).cloned();
                match extent.flatten() {
                    Some(extent) => extent.at(e.loc),
                    None => {
                        known = false;
                        e
                    }
                }
            }
            // Below zero, `as usize` is no longer the same number.
            ExprKind::Cast(ScalarType::Index, inner) if self.is_not_negative(inner) => {
                Expr { kind: inner.kind.clone(), loc: e.loc }
            }
            ExprKind::Cast(..) => {
                known = false;
                e
            }
            _ => e,
        });
        // What is not a polynomial in names (a comparison, a float) has no use as a value.
        (known && self.poly(&resolved).is_some()).then_some(resolved)
    }

    /// Whether an expression over names has no negative value: it is a constant, or a dim.
    fn is_not_negative(&self, expr: &Expr) -> bool {
        let poly = self.poly(expr);
        let dim = |name: &str| self.function.is_dynamic(name);
        poly.is_some_and(|p| p.as_constant().map_or_else(|| p.as_name().is_some_and(|n| dim(n)), |value| value >= 0))
    }

    /// The polynomial of an expression, locals resolved.
    fn resolved_poly(&self, expr: &Expr) -> Option<Poly> {
        self.poly(&self.resolve(expr)?)
    }

    fn type_of(&self, id: LocalId) -> Option<&Type> {
        self.types.get(id.0 as usize).and_then(Option::as_ref)
    }

    fn name_of(&self, id: LocalId) -> &'a str {
        self.function.local_name(id)
    }

    fn show(&self, expr: &Expr) -> String {
        crate::text::show_expr(self.function, expr)
    }

    fn show_type(&self, ty: &Type) -> String {
        crate::text::show_type(self.function, ty)
    }
}

/// Counts the assignments of each local.
fn count_assignments(block: &[crate::ir::Stmt], counts: &mut [u32]) {
    crate::ir::visit(block, &mut |stmt| {
        stmt.kind.for_each_dst(&mut |id| {
            if let Some(count) = counts.get_mut(id.0 as usize) {
                *count += 1;
            }
        });
        // A loop variable has a new value each time round.
        if let StmtKind::For { var, .. } = &stmt.kind
            && let Some(count) = counts.get_mut(var.0 as usize)
        {
            *count += 2;
        }
    });
}

/// Hands the memory that a name stands for on to the names it is assigned to; whether that told anything new.
fn follow_aliases(block: &[crate::ir::Stmt], aliases: &mut [Option<usize>]) -> bool {
    let mut news = false;
    crate::ir::visit(block, &mut |stmt| {
        let (dst, source) = match &stmt.kind {
            StmtKind::Assign { dst, value } => (*dst, value.as_local()),
            StmtKind::Op(op) => match (op.dst, op.code.info().result) {
                (Some(dst), ResultKind::Memory(i) | ResultKind::View(i, _) | ResultKind::Part(i)) => {
                    (dst, op.args.get(usize::from(i)).and_then(|a| a.as_local()))
                }
                _ => return,
            },
            _ => return,
        };
        let root = source.and_then(|id| aliases.get(id.0 as usize).copied().flatten());
        if let (Some(root), Some(slot)) = (root, aliases.get_mut(dst.0 as usize))
            && slot.is_none()
        {
            *slot = Some(root);
            news = true;
        }
    });
    news
}
