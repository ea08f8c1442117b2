//! Extents: whether they agree, whether boxes fit.

use super::{Check, Checker};
use crate::diag::Diagnostic;
use crate::ir::{BinOp, Elem, Expr, Extent, Loc, Shaped};
use crate::poly::{Comparison, Poly};

/// What a comparison is about, for its message.
pub(super) struct About<'s> {
    /// Where the user wrote it.
    pub loc: Loc,
    /// `shapes of …`: what is said before the two sides.
    pub message: &'s str,
    /// How to mend it.
    pub help: &'s str,
}

/// The most axes that a tensor, window or tile may have.
pub const MAX_AXES: usize = 6;

impl Checker<'_> {
    /// Whether two extents may be equal. What constants decide later becomes a fact.
    pub(super) fn extents_agree(&mut self, a: &Extent, b: &Extent, about: &About<'_>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return true };
        let (Some(pa), Some(pb)) = (self.poly(a), self.poly(b)) else { return true };
        match pa.compare(&pb, &|name| self.function.is_dynamic(name)) {
            Comparison::Equal => true,
            Comparison::Differ => false,
            Comparison::Depends => {
                let message = format!("{}: `{}` against `{}`", about.message, self.show(a), self.show(b));
                self.fact(about.loc, Check::Eq(a.clone(), b.clone()), message, about.help);
                true
            }
        }
    }

    /// Whether two shapes may be equal; also false when their ranks differ.
    pub(super) fn shapes_agree(&mut self, a: &[Extent], b: &[Extent], about: &About<'_>) -> bool {
        a.len() == b.len() && a.iter().zip(b).fold(true, |all, (a, b)| self.extents_agree(a, b, about) && all)
    }

    /// Whether two element types may be equal: type parameters are equal to themselves only.
    pub(super) fn elems_agree(&self, a: &Elem, b: &Elem) -> bool {
        a == b
    }

    /// Checks, axis by axis, that a box fits into memory. `shape` of `None`: one element. Gives the axes that were reported.
    pub(super) fn check_box(
        &mut self,
        memory: &str,
        extents: &[Extent],
        offsets: &[Expr],
        shape: Option<&[Extent]>,
        loc: Loc,
    ) -> Vec<usize> {
        let mut misfits = vec![];
        // A box with a zero extent reaches nothing, wherever it is.
        let empty = |extent: &Extent| extent.as_ref().and_then(|e| self.poly(e)?.as_constant()) == Some(0);
        if shape.is_some_and(|shape| shape.iter().any(empty)) {
            return misfits;
        }
        for (axis, (extent, offset)) in extents.iter().zip(offsets).enumerate() {
            let len = match shape {
                None => Some(Expr::int(1)),
                Some(shape) => shape.get(axis).cloned().flatten(),
            };
            let reported = self.errors.len();
            self.check_axis(memory, axis, extent, offset, len, loc);
            if self.errors.len() > reported {
                misfits.push(axis);
            }
        }
        misfits
    }

    fn check_axis(&mut self, memory: &str, axis: usize, extent: &Extent, offset: &Expr, len: Option<Expr>, loc: Loc) {
        let Some(extent) = extent else { return };
        let Some(size) = self.poly(extent) else { return };
        let start = self.resolve(offset);
        // A length that only a run knows may be zero; an offset is at least 0.
        let Some(len) = len else { return };
        let end = match &start {
            Some(start) => Expr::binary(BinOp::Add, start.clone(), len.clone()),
            None => len.clone(),
        };
        let Some(end_poly) = self.poly(&end) else { return };
        if end_poly.as_constant().is_some_and(|end| end > i128::from(i64::MAX)) {
            // What is no index was reported.
            return;
        }
        let help = "offset plus extent must not exceed the extent of the memory on each axis";
        match end_poly.minus(&size).and_then(|d| d.as_constant()) {
            Some(past) if past > 0 => {
                let message = self.box_message(memory, axis, offset, &len, extent, &end_poly);
                let too_long = self.poly(&len).and_then(|l| l.minus(&size)?.as_constant()).is_some_and(|past| past > 0);
                let guilty = if too_long || start.is_none() { len.loc } else { offset.loc };
                self.fault(Diagnostic::new(guilty.or(loc), message, help));
            }
            Some(_) => {}
            None => {
                let message = format!(
                    "box with offset `{}` and extent `{}` does not fit axis {axis} of `{memory}`",
                    self.show(offset),
                    self.show(&len)
                );
                let at_origin = start.as_ref().and_then(|s| self.poly(s)?.as_constant()) == Some(0);
                let guilty = if at_origin || start.is_none() { len.loc } else { offset.loc };
                let at = guilty.or(offset.loc).or(loc);
                self.fact(at, Check::Le(end, extent.clone()), message, help);
            }
        }
    }

    fn box_message(&self, memory: &str, axis: usize, offset: &Expr, len: &Expr, extent: &Expr, end: &Poly) -> String {
        let value = |e: &Expr| {
            let shown = self.show(e);
            match self.resolved_poly(e).and_then(|p| p.as_constant()) {
                Some(v) if v.to_string() != shown => format!("`{shown}` = {v}"),
                _ => format!("`{shown}`"),
            }
        };
        let ends = end.as_constant().map_or(String::new(), |v| format!(" ends at {v},"));
        let ends = if ends.is_empty() { " reaches".to_string() } else { ends };
        format!(
            "box with offset {} and extent {}{ends} past extent {} of axis {axis} of `{memory}`",
            value(offset),
            value(len),
            value(extent)
        )
    }

    /// The shape of a list of extents: each resolved, or unknown.
    pub(super) fn shape_of(&self, list: &[Expr]) -> Vec<Extent> {
        list.iter().map(|e| self.resolve(e)).collect()
    }

    /// Joins what two assignments say of a shape: extents that differ in form are unknown.
    pub(super) fn join_shapes(&self, old: &Shaped, new: &Shaped) -> Shaped {
        let shape = old
            .shape
            .iter()
            .zip(&new.shape)
            .map(|(a, b)| match (a, b) {
                (Some(a), Some(b)) if self.poly(a) == self.poly(b) => Some(a.clone()),
                _ => None,
            })
            .collect();
        Shaped { elem: old.elem.clone(), shape }
    }
}
