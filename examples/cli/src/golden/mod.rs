//! What a right result is, computed on the host from the input and without the code under test.
//!
//! A [`Golden`] knows every element of a result whose first axis is the rank. [`Golden::exact`] is for what is moved or counted: bit for bit.
//! [`Golden::reduce`] is for what is reduced over ranks: sums and products of floats are computed in f64, and an element `y` is right when
//! `|y - g| <= P * eps * sum |x_k|` (of a product: `P * eps * |g|`), which is the bound of any order; maxima, minima, and integers are exact.
//! NaN matches NaN, and an infinity itself. [`Golden::near`] is for what is computed of sums.
//!
//! A golden may also know what typical mistakes give ([`Golden::mistake`]): a wrong result is then told by its cause.

mod allreduce;
mod reduce_scatter;

pub use allreduce::allreduce;
pub use reduce_scatter::reduce_scatter;

use crate::number::Number;
use pl::distributed::ReduceOp;
use pl::ndarray::{Array, ArrayD, ArrayView, ArrayViewD, Axis, Dimension, RemoveAxis, Zip};
use pl::report::Explanation;
use std::fmt;

/// A right result, and the mistakes that it can tell from one another.
pub struct Golden<'a, T> {
    /// What stands behind "the result is not".
    what: String,
    /// The elements; of a reduction, folded in rank order.
    straight: ArrayD<T>,
    /// Of a reduction that rounds, the elements in f64, and how far a right result may be from them.
    near: Option<(ArrayD<f64>, ArrayD<f64>)>,
    /// Whether all ranks must have the same bits.
    same_bits: bool,
    causes: Vec<Recognise<'a, T>>,
}

/// Finds the mistake that explains a result.
type Recognise<'a, T> = Box<dyn Fn(ArrayViewD<'_, T>) -> Option<Cause> + 'a>;

/// A mistake that explains every element of a wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What is wrong, and what the kernel did.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// A result that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Bit for bit what was expected; of a reduction, the fold in rank order.
    Exact,
    /// Within the bound of rounding, but not bit-equal to the fold in rank order.
    OtherOrder,
}

/// A result that is wrong: what is known of the cause, and the first element.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// What the result is not.
    pub what: String,
    /// The mistake that explains every element of the result.
    pub cause: Option<Cause>,
    /// The rank of the first wrong element.
    pub rank: usize,
    /// Its index within what the rank has, where there is more than one element.
    pub element: String,
    /// What stands there.
    pub got: String,
    /// What should.
    pub expected: String,
    /// How many elements are wrong.
    pub count: usize,
    /// Of how many.
    pub of: usize,
}

impl<'a, T: Number> Golden<'a, T> {
    /// The result is these elements, bit for bit, and the first axis is the rank. `what` completes "the result is not …".
    pub fn exact<D: Dimension>(what: impl Into<String>, elements: Array<T, D>) -> Golden<'a, T> {
        let straight = elements.into_dyn();
        Golden { what: what.into(), straight, near: None, same_bits: false, causes: vec![] }
    }

    /// The result is the reduction of `terms` over its first axis; what is left of the axes is the result's, and the first of them is
    /// the rank. Where all ranks have the same result, see [`on_every_rank`](Golden::on_every_rank).
    pub fn reduce<D: RemoveAxis>(terms: ArrayView<'_, T, D>, op: ReduceOp) -> Golden<'a, T> {
        let terms = terms.into_dyn();
        let fold = |mut sum: ArrayD<T>, term: ArrayViewD<'_, T>| {
            Zip::from(&mut sum).and(term).for_each(|sum, x| *sum = sum.reduce(*x, op));
            sum
        };
        let mut outer = terms.outer_iter();
        let first =
            outer.next().map_or_else(|| ArrayD::from_elem(&terms.shape()[1..], T::ZERO), |term| term.to_owned());
        let straight = outer.fold(first, fold);
        let rounds = T::EPSILON > 0.0 && matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        let near = rounds.then(|| {
            let unit = terms.len_of(Axis(0)) as f64 * T::EPSILON;
            // Term by term: all of them in f64 would be more than the run under test has.
            let neutral = if op == ReduceOp::Prod { 1.0 } else { 0.0 };
            let mut value = ArrayD::from_elem(&terms.shape()[1..], neutral);
            let mut magnitude = value.clone();
            for term in terms.outer_iter() {
                let each = Zip::from(&mut value).and(&mut magnitude).and(term);
                match op {
                    ReduceOp::Prod => each.for_each(|value, magnitude, x| {
                        *value *= x.to_f64();
                        *magnitude = value.abs();
                    }),
                    _ => each.for_each(|value, magnitude, x| {
                        *value += x.to_f64();
                        *magnitude += x.to_f64().abs();
                    }),
                }
            }
            (value, magnitude * unit)
        });
        let name = match op {
            ReduceOp::Sum => "sum",
            ReduceOp::Prod => "product",
            ReduceOp::Max => "maximum",
            ReduceOp::Min => "minimum",
        };
        Golden { what: format!("the {name} over the ranks"), straight, near, same_bits: false, causes: vec![] }
    }

    /// The result is computed from several terms, not only reduced: `value` says what it is and `bound` how far a right one may be from it, both in
    /// f64; `straight` is what the element type gives when the terms are taken in rank order. `what` completes "the result is not …".
    pub fn near<D: Dimension>(
        what: impl Into<String>,
        straight: Array<T, D>,
        value: Array<f64, D>,
        bound: Array<f64, D>,
    ) -> Golden<'a, T> {
        Golden { near: Some((value.into_dyn(), bound.into_dyn())), ..Golden::exact(what, straight) }
    }

    /// The same golden under another name, which completes "the result is not …".
    #[must_use]
    pub fn called(self, what: impl Into<String>) -> Golden<'a, T> {
        Golden { what: what.into(), ..self }
    }

    /// Every rank has this result, with the same bits.
    #[must_use]
    pub fn on_every_rank(self, ranks: usize) -> Golden<'a, T> {
        fn repeat<E: Clone>(array: &ArrayD<E>, ranks: usize) -> ArrayD<E> {
            let shape: Vec<usize> = std::iter::once(ranks).chain(array.shape().iter().copied()).collect();
            array.broadcast(shape).map(|view| view.to_owned()).unwrap_or_else(|| array.clone())
        }
        let straight = repeat(&self.straight, ranks);
        let near = self.near.as_ref().map(|(value, bound)| (repeat(value, ranks), repeat(bound, ranks)));
        Golden { straight, near, same_bits: true, ..self }
    }

    /// A result that is right for `other` comes from a mistake: what it is, and what to do about it. `other` is computed when it is needed.
    #[must_use]
    pub fn mistake(
        self,
        what: impl Into<String>,
        help: impl Into<String>,
        other: impl Fn() -> Golden<'a, T> + 'a,
    ) -> Golden<'a, T> {
        let cause = Cause { what: what.into(), help: help.into() };
        self.recognise(move |y| other().is_right(y).then(|| cause.clone()))
    }

    /// The mistake that `cause` finds in a wrong result, if it finds one.
    #[must_use]
    pub fn recognise(mut self, cause: impl Fn(ArrayViewD<'_, T>) -> Option<Cause> + 'a) -> Golden<'a, T> {
        self.causes.push(Box::new(cause));
        self
    }

    /// Checks a result.
    pub fn check<D: Dimension>(&self, y: ArrayView<'_, T, D>) -> Result<Right, Box<Wrong>> {
        let y = y.into_dyn();
        if y.shape() != self.straight.shape() {
            return Err(Box::new(self.wrong_shape(y.shape())));
        }
        let mut all_wrong = y.indexed_iter().filter(|(at, y)| !self.matches(at.slice(), **y));
        let Some((at, got)) = all_wrong.next() else { return self.check_bits(y) };
        let at = at.slice();
        let expected = match &self.near {
            Some((value, _)) => value[at].to_string(),
            None => self.straight[at].to_string(),
        };
        let (rank, element) = (at[0], element_at(&y, at));
        let (count, of) = (1 + all_wrong.count(), y.len());
        let cause = self.causes.iter().find_map(|recognise| recognise(y.view())).or_else(|| self.misplaced(&y));
        let what = self.what.clone();
        Err(Box::new(Wrong { what, cause, rank, element, got: got.to_string(), expected, count, of }))
    }

    /// Whether a result is right.
    fn is_right(&self, y: ArrayViewD<'_, T>) -> bool {
        y.shape() == self.straight.shape() && y.indexed_iter().all(|(at, y)| self.matches(at.slice(), *y))
    }

    fn matches(&self, at: &[usize], y: T) -> bool {
        match &self.near {
            Some((value, bound)) => is_near(y, value[at], bound[at]),
            None => y.is_same(self.straight[at]),
        }
    }

    /// What is left to check of a result whose elements are right one by one.
    fn check_bits(&self, y: ArrayViewD<'_, T>) -> Result<Right, Box<Wrong>> {
        if self.same_bits {
            let first = y.index_axis(Axis(0), 0);
            let mut differing = y.indexed_iter().filter(|(at, y)| !y.is_same(first[&at.slice()[1..]]));
            if let Some((at, got)) = differing.next() {
                let at = at.slice();
                return Err(Box::new(Wrong {
                    what: "the same on every rank, bit for bit".into(),
                    cause: Some(Cause {
                        what: format!("the bits of rank {} are not those of rank 0", at[0]),
                        help: "let every rank fold the terms in the same order: in rank order, and not beginning with its own".into(),
                    }),
                    rank: at[0],
                    element: element_at(&y, at),
                    expected: first[&at[1..]].to_string(),
                    got: got.to_string(),
                    count: 1 + differing.count(),
                    of: y.len(),
                }));
            }
        }
        let straight = Zip::from(&y).and(&self.straight).all(|y, s| y.is_same(*s));
        Ok(if straight { Right::Exact } else { Right::OtherOrder })
    }

    /// Whether rank `rank` has what is right for rank `other`.
    fn has_part_of(&self, y: &ArrayViewD<'_, T>, rank: usize, other: usize) -> bool {
        y.index_axis(Axis(0), rank).indexed_iter().all(|(at, y)| {
            let at: Vec<usize> = std::iter::once(other).chain(at.slice().iter().copied()).collect();
            self.matches(&at, *y)
        })
    }

    /// What can be said of any result: the first wrong rank has what another should have.
    fn misplaced(&self, y: &ArrayViewD<'_, T>) -> Option<Cause> {
        let ranks = y.len_of(Axis(0));
        let rank = (0..ranks).find(|rank| !self.has_part_of(y, *rank, *rank))?;
        let other = (0..ranks).find(|other| self.has_part_of(y, rank, *other))?;
        Some(Cause {
            what: format!("rank {rank} has what rank {other} should have"),
            help: "compare the peer and the offsets with those that this rank should use".into(),
        })
    }

    fn wrong_shape(&self, found: &[usize]) -> Wrong {
        let expected = self.straight.shape();
        Wrong {
            what: format!("of shape {expected:?}"),
            cause: None,
            rank: 0,
            element: String::new(),
            got: format!("an array of shape {found:?}"),
            expected: format!("one of shape {expected:?}"),
            count: found.iter().product(),
            of: found.iter().product(),
        }
    }
}

/// Whether `y` is a right result where `g` is the golden.
fn is_near<T: Number>(y: T, g: f64, bound: f64) -> bool {
    let (y, nearest) = (y.to_f64(), T::from_f64(g).to_f64());
    if g.is_nan() {
        return y.is_nan();
    }
    // A sum that the element type cannot hold is an infinity.
    if nearest.is_infinite() { y == nearest } else { (y - g).abs() <= bound }
}

/// The index of an element within what its rank has: one number where only one axis is longer than 1, and none where there is one element.
fn element_at<T>(y: &ArrayViewD<'_, T>, at: &[usize]) -> String {
    let long: Vec<usize> = (1..at.len()).filter(|axis| y.len_of(Axis(*axis)) > 1).collect();
    match *long {
        [] => String::new(),
        [axis] => at[axis].to_string(),
        _ => format!("{:?}", &at[1..]),
    }
}

impl Wrong {
    /// What there is to say of it.
    pub fn explain(&self) -> Explanation {
        let Wrong { what, cause, rank, element, got, expected, count, of } = self;
        let (title, help) = match cause {
            Some(cause) => (cause.what.clone(), &*cause.help),
            None => (format!("the result is not {what}"), ""),
        };
        let element = if element.is_empty() { String::new() } else { format!(", element {element}") };
        Explanation::error(title)
            .note(format!("rank {rank}{element}: got {got}, expected {expected}"))
            .note(format!("{count} of {of} elements are wrong"))
            .help(help)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use pl::ndarray::{Array2, Array3, arr2};

    fn check<T: Number, D: Dimension>(golden: &Golden<'_, T>, y: &Array<T, D>, expected: Expect) {
        let text = golden.check(y.view()).map_or_else(|wrong| wrong.to_string(), |right| format!("{right:?}"));
        expected.assert_eq(&text);
    }

    #[test]
    fn copies_are_bit_exact() {
        let x = Array3::from_shape_fn((3, 2, 4), |(r, i, j)| (100 * r + 10 * i + j) as f32);
        let golden = Golden::exact("the input", x.clone());
        check(&golden, &x, expect!["Exact"]);
        let mut y = x.clone();
        y[[1, 1, 2]] = 113.0;
        check(
            &golden,
            &y,
            expect![[r#"
                the result is not the input
                  = rank 1, element [1, 2]: got 113, expected 112
                  = 1 of 24 elements are wrong"#]],
        );
        y = x.clone();
        y.index_axis_mut(Axis(0), 2).assign(&x.index_axis(Axis(0), 0));
        check(
            &golden,
            &y,
            expect![[r#"
                rank 2 has what rank 0 should have
                  = rank 2, element [0, 0]: got 0, expected 200
                  = 8 of 24 elements are wrong
                  = help: compare the peer and the offsets with those that this rank should use"#]],
        );
        check(
            &Golden::exact("zero", arr2(&[[0.0f32]])),
            &arr2(&[[-0.0f32]]),
            expect![[r#"
                the result is not zero
                  = rank 0: got -0, expected 0
                  = 1 of 1 elements are wrong"#]],
        );
        check(
            &golden,
            &Array2::<f32>::zeros((3, 8)),
            expect![[r#"
                the result is not of shape [3, 2, 4]
                  = rank 0: got an array of shape [3, 8], expected one of shape [3, 2, 4]
                  = 24 of 24 elements are wrong"#]],
        );
    }

    #[test]
    fn reductions() {
        let x = arr2(&[[1.5f32, -0.0, f32::NAN], [-2.0, 0.0, 1.0], [4.0, -0.0, 2.0]]);
        let all = |row: [f32; 3]| Array2::from_shape_fn((4, 3), |(_, i)| row[i]);
        for (op, row) in [
            (ReduceOp::Sum, [3.5, 0.0, f32::NAN]),
            (ReduceOp::Prod, [-12.0, 0.0, f32::NAN]),
            (ReduceOp::Max, [4.0, 0.0, f32::NAN]),
            (ReduceOp::Min, [-2.0, -0.0, f32::NAN]),
        ] {
            let golden = Golden::reduce(x.view(), op).on_every_rank(4);
            assert_eq!(golden.check(all(row).view()).unwrap(), Right::Exact, "{op:?}");
            let mut y = all(row);
            y[[3, 2]] = 3.0;
            assert_eq!(golden.check(y.view()).unwrap_err().rank, 3, "{op:?}");
        }
        let counts = arr2(&[[i32::MAX, 3], [1, 5]]);
        let golden = Golden::reduce(counts.view(), ReduceOp::Sum).on_every_rank(2);
        check(&golden, &arr2(&[[i32::MIN, 8], [i32::MIN, 8]]), expect!["Exact"]);
        let golden = Golden::reduce(counts.view(), ReduceOp::Prod);
        check(&golden, &pl::ndarray::arr1(&[i32::MAX, 15]), expect!["Exact"]);
    }

    #[test]
    fn all_ranks_have_the_same_bits() {
        let x = arr2(&[[1.0f32], [6e-8], [6e-8]]);
        let (a, b) = ((1.0f32 + 6e-8) + 6e-8, 1.0f32 + (6e-8 + 6e-8));
        assert_ne!(a.to_bits(), b.to_bits());
        let golden = Golden::reduce(x.view(), ReduceOp::Sum).on_every_rank(2);
        check(&golden, &arr2(&[[a], [a]]), expect!["Exact"]);
        check(&golden, &arr2(&[[b], [b]]), expect!["OtherOrder"]);
        check(
            &golden,
            &arr2(&[[a], [b]]),
            expect![[r#"
                the bits of rank 1 are not those of rank 0
                  = rank 1: got 1.0000001, expected 1.0000002
                  = 1 of 2 elements are wrong
                  = help: let every rank fold the terms in the same order: in rank order, and not beginning with its own"#]],
        );
    }

    #[test]
    fn within_a_bound() {
        let golden =
            Golden::near("a third", arr2(&[[1.0f32 / 3.0]]), arr2(&[[1.0 / 3.0]]), arr2(&[[1e-7]])).called("1/3");
        check(&golden, &arr2(&[[1.0f32 / 3.0]]), expect!["Exact"]);
        check(&golden, &arr2(&[[(1.0f32 / 3.0).next_up()]]), expect!["OtherOrder"]);
        check(
            &golden,
            &arr2(&[[0.333333f32]]),
            expect![[r#"
                the result is not 1/3
                  = rank 0: got 0.333333, expected 0.3333333333333333
                  = 1 of 1 elements are wrong"#]],
        );
    }

    #[test]
    fn mistakes() {
        let x = arr2(&[[1i32, 2], [3, 4]]);
        let golden = Golden::reduce(x.view(), ReduceOp::Sum).on_every_rank(2).mistake(
            "every rank has its own numbers",
            "add those of the peers",
            || Golden::exact("own", x.clone()),
        );
        check(
            &golden,
            &x,
            expect![[r#"
                every rank has its own numbers
                  = rank 0, element 0: got 1, expected 4
                  = 4 of 4 elements are wrong
                  = help: add those of the peers"#]],
        );
        check(
            &golden,
            &arr2(&[[4, 6], [4, 7]]),
            expect![[r#"
                the result is not the sum over the ranks
                  = rank 1, element 1: got 7, expected 6
                  = 1 of 4 elements are wrong"#]],
        );
    }
}
