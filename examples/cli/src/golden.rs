//! Goldens of sums over ranks, computed in f64 from the input and without the code under test.
//!
//! An element `y` is right when `|y - g| <= P * eps * sum |x_k|`, where the sum runs over its P terms: the bound of a sum in any
//! order. NaN matches NaN and an infinity matches itself. [`ReduceScatter::check`] also tells the mistakes that are easily made in
//! a reduce-scatter from one another.

use pl::ndarray::{Array1, Array2, ArrayView2, ArrayView3, Axis};
use std::fmt;

/// Sums over ranks, element by element.
#[derive(Clone, Debug)]
struct Sums {
    /// The sums.
    value: Array2<f64>,
    /// How far a right result may be from them.
    bound: Array2<f64>,
}

impl Sums {
    /// The sums over the first axis of `terms`, without the term that `left_out` names for an element's row.
    fn over(terms: ArrayView3<'_, f32>, left_out: impl Fn(usize, usize) -> bool) -> Sums {
        let (ranks, rows, columns) = terms.dim();
        let mut value = Array2::zeros((rows, columns));
        let mut bound = Array2::zeros((rows, columns));
        for (k, term) in terms.outer_iter().enumerate() {
            for row in (0..rows).filter(|row| !left_out(k, *row)) {
                for ((value, bound), x) in value.row_mut(row).iter_mut().zip(bound.row_mut(row)).zip(term.row(row)) {
                    *value += f64::from(*x);
                    *bound += f64::from(x.abs());
                }
            }
        }
        bound *= ranks as f64 * f64::from(f32::EPSILON);
        Sums { value, bound }
    }
}

/// Whether `y` is a right result where `g` is the golden.
fn matches(y: f32, g: f64, bound: f64) -> bool {
    let y = f64::from(y);
    if g.is_nan() {
        return y.is_nan();
    }
    // A sum that f32 cannot hold is an infinity.
    if (g as f32).is_infinite() { y == f64::from(g as f32) } else { (y - g).abs() <= bound }
}

/// Whether every element of a row is right.
fn row_matches(y: impl IntoIterator<Item = f32>, sums: &Sums, row: usize) -> bool {
    y.into_iter().zip(sums.value.row(row)).zip(sums.bound.row(row)).all(|((y, g), bound)| matches(y, *g, *bound))
}

/// A result within the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Bit for bit the straight sum in rank order.
    InRankOrder,
    /// Within the bound of rounding, but not bit-equal to the straight sum in rank order.
    OtherOrder,
}

/// A result that is wrong: what is known of the cause, and the first element.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// The mistake that explains every element of the result.
    pub cause: Option<Cause>,
    /// The rank of the first wrong element.
    pub rank: usize,
    /// The index of the first wrong element in its chunk.
    pub element: usize,
    /// What stands there.
    pub got: f32,
    /// What should.
    pub expected: f64,
    /// How many elements are wrong.
    pub count: usize,
    /// Of how many.
    pub of: usize,
}

/// A mistake that explains a wrong reduce-scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Each rank's own contribution is missing.
    OwnMissing,
    /// Every rank holds this rank's chunk.
    SameChunk(usize),
    /// A rank holds the sum of another range of the input than its chunk.
    Boundaries {
        /// The first such rank.
        rank: usize,
        /// The element of the input at which the range begins.
        begins: usize,
        /// Where its chunk begins.
        expected: usize,
    },
}

/// The golden of a reduce-scatter of `x`, of shape `[P, 1, P * SIZE]`: rank r ends with the sum over the ranks of chunk r.
#[derive(Debug)]
pub struct ReduceScatter<'a> {
    x: ArrayView3<'a, f32>,
    size: usize,
}

impl<'a> ReduceScatter<'a> {
    /// The golden for this input.
    pub fn new(x: ArrayView3<'a, f32>) -> ReduceScatter<'a> {
        ReduceScatter { x, size: x.dim().2 / x.dim().0.max(1) }
    }

    /// Checks `y`, of shape `[P, 1, SIZE]`.
    pub fn check(&self, y: ArrayView3<'_, f32>) -> Result<Right, Wrong> {
        let y = y.index_axis(Axis(1), 0);
        let chunks = self.chunks();
        let sums = Sums::over(chunks, |_, _| false);
        let wrong = |(rank, element): &(usize, usize)| {
            !matches(y[[*rank, *element]], sums.value[[*rank, *element]], sums.bound[[*rank, *element]])
        };
        let mut all_wrong = y.indexed_iter().map(|(at, _)| at).filter(wrong);
        let Some((rank, element)) = all_wrong.next() else {
            return Ok(if self.is_straight(y) { Right::InRankOrder } else { Right::OtherOrder });
        };
        Err(Wrong {
            cause: self.cause(y, &sums),
            rank,
            element,
            got: y[[rank, element]],
            expected: sums.value[[rank, element]],
            count: 1 + all_wrong.count(),
            of: y.len(),
        })
    }

    /// `[term, chunk, element]`.
    fn chunks(&self) -> ArrayView3<'a, f32> {
        let (ranks, _, columns) = self.x.dim();
        let rows = self.x.into_shape_with_order((ranks, ranks, columns / ranks.max(1)));
        rows.expect("an array of shape [P, 1, P * SIZE] in C order")
    }

    /// Whether `y` is the f32 sum in rank order, bit for bit.
    fn is_straight(&self, y: ArrayView2<'_, f32>) -> bool {
        let chunks = self.chunks();
        y.outer_iter().enumerate().all(|(r, row)| {
            let chunk = chunks.index_axis(Axis(1), r);
            let mut sum: Array1<f32> = chunk.row(0).to_owned();
            for term in chunk.outer_iter().skip(1) {
                sum += &term;
            }
            sum.iter().zip(row).all(|(s, y)| s.to_bits() == y.to_bits() || (s.is_nan() && y.is_nan()))
        })
    }

    /// The mistake that explains all of `y`, if a known one does.
    fn cause(&self, y: ArrayView2<'_, f32>, sums: &Sums) -> Option<Cause> {
        let ranks = y.nrows();
        let explains = |sums: &Sums, row_of: &dyn Fn(usize) -> usize| {
            y.outer_iter().enumerate().all(|(r, row)| row_matches(row.iter().copied(), sums, row_of(r)))
        };
        let without_own = Sums::over(self.chunks(), |term, row| term == row);
        if explains(&without_own, &|r| r) {
            return Some(Cause::OwnMissing);
        }
        if let Some(chunk) = (0..ranks).find(|chunk| explains(sums, &|_| *chunk)) {
            return Some(Cause::SameChunk(chunk));
        }
        // Where in the sums of whole rows does each rank's result stand?
        let golden: Vec<(f64, f64)> = sums.value.iter().copied().zip(sums.bound.iter().copied()).collect();
        let stands_at =
            |row: &[f32], begin: usize| row.iter().zip(&golden[begin..]).all(|(y, (g, bound))| matches(*y, *g, *bound));
        let mut first = None;
        for (rank, row) in y.outer_iter().enumerate() {
            let (row, expected) = (row.to_vec(), rank * self.size);
            if stands_at(&row, expected) {
                continue;
            }
            let begins = (0..=golden.len() - row.len()).find(|begin| stands_at(&row, *begin))?;
            first.get_or_insert(Cause::Boundaries { rank, begins, expected });
        }
        first
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            Some(Cause::OwnMissing) => write!(f, "each rank's own chunk is missing from its sum")?,
            Some(Cause::SameChunk(chunk)) => write!(f, "every rank has the same chunk, chunk {chunk}")?,
            Some(Cause::Boundaries { rank, begins, expected }) => write!(
                f,
                "chunk boundaries are off: rank {rank} has the sum of a chunk that begins at element {begins} of `x`, and not at \
                 {expected}"
            )?,
            None => write!(f, "the result is not the sum over the ranks")?,
        }
        let Wrong { rank, element, got, expected, count, of, .. } = self;
        write!(f, "\n  = rank {rank}, element {element}: got {got}, expected {expected}")?;
        write!(f, "\n  = {count} of {of} elements are wrong")?;
        let help = match self.cause {
            Some(Cause::OwnMissing) => {
                "the accumulator was seeded from zeros; begin with the own row: `pl::load(data, [my_rank, 0], [1, SIZE])`"
            }
            Some(Cause::SameChunk(_)) => "the row that is reduced is fixed; rank r reduces row `my_rank` of every rank",
            Some(Cause::Boundaries { .. }) => "chunk `c` is at `[0, c * SIZE]` in `x` and in row `c` of the window",
            None => return Ok(()),
        };
        write!(f, "\n  = help: {help}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use pl::ndarray::Array3;

    fn counting(ranks: usize, size: usize) -> Array3<f32> {
        Array3::from_shape_fn((ranks, 1, ranks * size), |(r, _, i)| (100 * r + i) as f32)
    }

    /// The result of a reduce-scatter whose rank r adds the terms `terms(r)` of the range that begins at `begin(r)`.
    fn reduced(x: &Array3<f32>, terms: impl Fn(usize) -> Vec<usize>, begin: impl Fn(usize) -> usize) -> Array3<f32> {
        let (ranks, _, columns) = x.dim();
        Array3::from_shape_fn((ranks, 1, columns / ranks), |(r, _, i)| {
            terms(r).into_iter().map(|k| x[[k, 0, begin(r) + i]]).sum()
        })
    }

    fn check(x: &Array3<f32>, y: &Array3<f32>, expected: Expect) {
        let text = match ReduceScatter::new(x.view()).check(y.view()) {
            Ok(right) => format!("{right:?}"),
            Err(wrong) => wrong.to_string(),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn right() {
        for (ranks, size) in [(2, 64), (4, 1), (7, 3)] {
            let x = counting(ranks, size);
            check(&x, &reduced(&x, |_| (0..ranks).collect(), |r| r * size), expect!["InRankOrder"]);
        }
        let x = Array3::from_shape_fn((3, 1, 6), |(r, _, i)| 0.1 + r as f32 * 0.7 + i as f32 * 0.3);
        check(&x, &reduced(&x, |r| (0..3).map(|k| (k + r) % 3).collect(), |r| r * 2), expect!["OtherOrder"]);
    }

    #[test]
    fn nan_and_infinity() {
        let mut x = counting(2, 3);
        x[[0, 0, 0]] = f32::NAN;
        x[[1, 0, 1]] = f32::INFINITY;
        (x[[0, 0, 2]], x[[1, 0, 2]]) = (f32::INFINITY, f32::NEG_INFINITY);
        x[[0, 0, 3]] = f32::NEG_INFINITY;
        (x[[0, 0, 4]], x[[1, 0, 4]]) = (f32::MAX, f32::MAX);
        let mut y = reduced(&x, |_| vec![0, 1], |r| r * 3);
        check(&x, &y, expect!["InRankOrder"]);
        y[[1, 0, 0]] = f32::INFINITY;
        check(
            &x,
            &y,
            expect![[r#"
                the result is not the sum over the ranks
                  = rank 1, element 0: got inf, expected -inf
                  = 1 of 6 elements are wrong"#]],
        );
        y[[0, 0, 0]] = 0.0;
        check(
            &x,
            &y,
            expect![[r#"
                the result is not the sum over the ranks
                  = rank 0, element 0: got 0, expected NaN
                  = 2 of 6 elements are wrong"#]],
        );
    }

    #[test]
    fn own_chunk_missing() {
        let x = counting(4, 64);
        let y = reduced(&x, |r| (0..4).filter(|k| *k != r).collect(), |r| r * 64);
        check(
            &x,
            &y,
            expect![[r#"
                each rank's own chunk is missing from its sum
                  = rank 0, element 1: got 603, expected 604
                  = 255 of 256 elements are wrong
                  = help: the accumulator was seeded from zeros; begin with the own row: `pl::load(data, [my_rank, 0], [1, SIZE])`"#]],
        );
    }

    #[test]
    fn same_chunk() {
        let x = counting(4, 64);
        check(
            &x,
            &reduced(&x, |_| (0..4).collect(), |_| 0),
            expect![[r#"
                every rank has the same chunk, chunk 0
                  = rank 1, element 0: got 600, expected 856
                  = 192 of 256 elements are wrong
                  = help: the row that is reduced is fixed; rank r reduces row `my_rank` of every rank"#]],
        );
    }

    #[test]
    fn boundaries() {
        let x = counting(4, 64);
        check(
            &x,
            &reduced(&x, |_| (0..4).collect(), |r| r * 63),
            expect![[r#"
                chunk boundaries are off: rank 1 has the sum of a chunk that begins at element 63 of `x`, and not at 64
                  = rank 1, element 0: got 852, expected 856
                  = 192 of 256 elements are wrong
                  = help: chunk `c` is at `[0, c * SIZE]` in `x` and in row `c` of the window"#]],
        );
        // The chunks the wrong way round.
        check(
            &x,
            &reduced(&x, |_| (0..4).collect(), |r| (3 - r) * 64),
            expect![[r#"
                chunk boundaries are off: rank 0 has the sum of a chunk that begins at element 192 of `x`, and not at 0
                  = rank 0, element 0: got 1368, expected 600
                  = 256 of 256 elements are wrong
                  = help: chunk `c` is at `[0, c * SIZE]` in `x` and in row `c` of the window"#]],
        );
    }

    #[test]
    fn unknown() {
        let x = counting(2, 4);
        let mut y = reduced(&x, |_| vec![0, 1], |r| r * 4);
        y[[1, 0, 2]] += 1.0;
        check(
            &x,
            &y,
            expect![[r#"
                the result is not the sum over the ranks
                  = rank 1, element 2: got 113, expected 112
                  = 1 of 8 elements are wrong"#]],
        );
    }
}
