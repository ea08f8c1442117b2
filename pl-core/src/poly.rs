//! Extents as polynomials in the declared names, to compare them.
//!
//! `+`, `-` and `*` are carried out; `/`, `%`, `min` and `max` of anything but constants are opaque atoms, equal when their operands are.

use crate::ir::{BinOp, Expr, ExprKind, Lit, Name, UnOp};
use std::collections::BTreeMap;

/// A polynomial with integer coefficients. The zero polynomial has no terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poly(BTreeMap<Vec<Atom>, i128>);

/// What a term is a product of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    Name(Name),
    Opaque(BinOpKey, Vec<(Vec<Atom>, i128)>, Vec<(Vec<Atom>, i128)>),
}

/// The operators that are kept opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BinOpKey {
    Div,
    Rem,
    Min,
    Max,
}

/// How two extents compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same for all values of the names.
    Equal,
    /// Different for all values of the names, or two different names.
    Differ,
    /// It depends on the names.
    Depends,
}

impl Poly {
    /// A constant.
    pub fn constant(value: i128) -> Poly {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(vec![], value);
        }
        Poly(terms)
    }

    /// The polynomial of an index expression over names and integers. `value_of` gives the value of a name that has one.
    /// `None` where the expression is anything else, or overflows.
    pub fn of(expr: &Expr, value_of: &dyn Fn(&str) -> Option<i128>) -> Option<Poly> {
        match &expr.kind {
            ExprKind::Lit { value: Lit::Int(v), .. } => Some(Poly::constant(*v)),
            ExprKind::Name(name) => Some(match value_of(name) {
                Some(value) => Poly::constant(value),
                None => Poly(BTreeMap::from([(vec![Atom::Name(name.clone())], 1)])),
            }),
            ExprKind::Unary(UnOp::Neg, a) => Poly::constant(0).minus(&Poly::of(a, value_of)?),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (Poly::of(a, value_of)?, Poly::of(b, value_of)?);
                match op {
                    BinOp::Add => a.plus(&b),
                    BinOp::Sub => a.minus(&b),
                    BinOp::Mul => a.times(&b),
                    BinOp::Div => a.opaque(BinOpKey::Div, b),
                    BinOp::Rem => a.opaque(BinOpKey::Rem, b),
                    BinOp::Min => a.opaque(BinOpKey::Min, b),
                    BinOp::Max => a.opaque(BinOpKey::Max, b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value, when it is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&vec![]).copied(),
            _ => None,
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut terms = self.0.clone();
        for (atoms, coefficient) in &other.0 {
            let entry = terms.entry(atoms.clone()).or_insert(0);
            *entry = entry.checked_add(*coefficient)?;
        }
        terms.retain(|_, c| *c != 0);
        Some(Poly(terms))
    }

    /// The difference.
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        let negated = other.0.iter().map(|(a, c)| Some((a.clone(), c.checked_neg()?))).collect::<Option<_>>()?;
        self.plus(&Poly(negated))
    }

    /// The product. `None` also when it would have very many terms.
    fn times(&self, other: &Poly) -> Option<Poly> {
        if self.0.len() * other.0.len() > 256 {
            return None;
        }
        let mut terms: BTreeMap<Vec<Atom>, i128> = BTreeMap::new();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut atoms = a.clone();
                atoms.extend(b.iter().cloned());
                if atoms.len() > 16 {
                    return None;
                }
                atoms.sort();
                let entry = terms.entry(atoms).or_insert(0);
                *entry = entry.checked_add(x.checked_mul(*y)?)?;
            }
        }
        terms.retain(|_, c| *c != 0);
        Some(Poly(terms))
    }

    fn opaque(self, op: BinOpKey, other: Poly) -> Option<Poly> {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            let value = match op {
                BinOpKey::Div => a.checked_div(b)?,
                BinOpKey::Rem => a.checked_rem(b)?,
                BinOpKey::Min => a.min(b),
                BinOpKey::Max => a.max(b),
            };
            return Some(Poly::constant(value));
        }
        let terms = |p: Poly| p.0.into_iter().collect::<Vec<_>>();
        Some(Poly(BTreeMap::from([(vec![Atom::Opaque(op, terms(self), terms(other))], 1)])))
    }

    /// The name, when the polynomial is nothing but one.
    pub fn as_name(&self) -> Option<&Name> {
        let (atoms, coefficient) = self.0.first_key_value()?;
        match (&atoms[..], self.0.len(), coefficient) {
            ([Atom::Name(name)], 1, 1) => Some(name),
            _ => None,
        }
    }

    /// Calls `f` for each name in it.
    pub fn names(&self, f: &mut dyn FnMut(&Name)) {
        fn visit<'a>(terms: &mut dyn Iterator<Item = &'a Vec<Atom>>, f: &mut dyn FnMut(&Name)) {
            for atom in terms.flatten() {
                match atom {
                    Atom::Name(name) => f(name),
                    Atom::Opaque(_, a, b) => visit(&mut a.iter().chain(b).map(|(atoms, _)| atoms), f),
                }
            }
        }
        visit(&mut self.0.keys(), f);
    }

    /// With `unknown` the only name without a value: the polynomial as `factor * unknown + rest`, if it has that form.
    pub fn linear_in(&self, unknown: &str) -> Option<(i128, i128)> {
        let (mut factor, mut rest) = (0, 0);
        for (atoms, coefficient) in &self.0 {
            match &atoms[..] {
                [] => rest = *coefficient,
                [Atom::Name(name)] if &**name == unknown => factor = *coefficient,
                _ => return None,
            }
        }
        (factor != 0).then_some((factor, rest))
    }

    /// Whether `name` can be solved for once every other name has a value: it stands in terms of degree one in it, outside
    /// of opaque atoms.
    pub fn solvable_for(&self, name: &str) -> bool {
        let is = |atom: &Atom| matches!(atom, Atom::Name(n) if &**n == name);
        let hidden = |atom: &Atom| match atom {
            Atom::Name(_) => false,
            Atom::Opaque(..) => {
                let mut found = false;
                Poly(BTreeMap::from([(vec![atom.clone()], 1)])).names(&mut |n| found |= &**n == name);
                found
            }
        };
        let mut occurs = false;
        for atoms in self.0.keys() {
            if atoms.iter().any(hidden) {
                return false;
            }
            match atoms.iter().filter(|a| is(a)).count() {
                0 => {}
                1 => occurs = true,
                _ => return false,
            }
        }
        occurs
    }

    /// Compares two extents. Two different single names of `declared` differ.
    pub fn compare(&self, other: &Poly, declared: &dyn Fn(&str) -> bool) -> Comparison {
        if self == other {
            return Comparison::Equal;
        }
        if let (Some(a), Some(b)) = (self.as_name(), other.as_name())
            && declared(a)
            && declared(b)
        {
            return Comparison::Differ;
        }
        match self.minus(other).and_then(|d| d.as_constant()) {
            Some(_) => Comparison::Differ,
            None => Comparison::Depends,
        }
    }
}
