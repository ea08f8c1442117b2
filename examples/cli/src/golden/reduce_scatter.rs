//! The golden of a reduce-scatter.

use super::{Cause, Golden};
use pl::distributed::ReduceOp;
use pl::ndarray::{ArrayView3, ArrayView4, ArrayViewD, Axis};

/// The golden of a reduce-scatter of `x`, of shape `[P, 1, P * SIZE]`: rank r ends with the sum over the ranks of chunk r, `[P, 1, SIZE]`.
/// The mistakes that are easily made in one are told from one another.
pub fn reduce_scatter(x: ArrayView3<'_, f32>) -> Golden<'_, f32> {
    let chunks = chunks(x);
    Golden::reduce(chunks, ReduceOp::Sum)
        .mistake(
            "each rank's own chunk is missing from its sum",
            "the accumulator was seeded from zeros; begin with the own row: `pl::load(data, [my_rank, 0], [1, SIZE])`",
            move || {
                let mut others = chunks.to_owned();
                others.outer_iter_mut().enumerate().for_each(|(r, mut term)| term.index_axis_mut(Axis(0), r).fill(0.0));
                Golden::reduce(others.view(), ReduceOp::Sum)
            },
        )
        .recognise(move |y| same_chunk(&Golden::reduce(chunks, ReduceOp::Sum), y))
        .recognise(move |y| boundaries(&Golden::reduce(chunks, ReduceOp::Sum), y))
}

/// `[term, chunk, 1, element]`.
fn chunks(x: ArrayView3<'_, f32>) -> ArrayView4<'_, f32> {
    let (ranks, _, columns) = x.dim();
    let chunks = x.into_shape_with_order((ranks, ranks, 1, columns / ranks.max(1)));
    chunks.expect("an array of shape [P, 1, P * SIZE] in C order")
}

fn same_chunk(sums: &Golden<'_, f32>, y: ArrayViewD<'_, f32>) -> Option<Cause> {
    let ranks = y.shape()[0];
    let chunk = (0..ranks).find(|chunk| (0..ranks).all(|rank| sums.has_part_of(&y, rank, *chunk)))?;
    Some(Cause {
        what: format!("every rank has the same chunk, chunk {chunk}"),
        help: "the row that is reduced is fixed; rank r reduces row `my_rank` of every rank".into(),
    })
}

/// Where in the sums of whole rows does each rank's result stand?
fn boundaries(sums: &Golden<'_, f32>, y: ArrayViewD<'_, f32>) -> Option<Cause> {
    let (value, bound) = sums.near.as_ref()?;
    let golden: Vec<(f64, f64)> = value.iter().copied().zip(bound.iter().copied()).collect();
    let stands_at = |row: &[f32], begin: usize| {
        row.iter().zip(&golden[begin..]).all(|(y, (g, bound))| super::is_near(*y, *g, *bound))
    };
    let mut first = None;
    for (rank, row) in y.outer_iter().enumerate() {
        let row: Vec<f32> = row.iter().copied().collect();
        let expected = rank * row.len();
        if stands_at(&row, expected) {
            continue;
        }
        let begins = (0..=golden.len() - row.len()).find(|begin| stands_at(&row, *begin))?;
        first.get_or_insert(Cause {
            what: format!(
                "chunk boundaries are off: rank {rank} has the sum of a chunk that begins at element {begins} of `x`, and not at {expected}"
            ),
            help: "chunk `c` is at `[0, c * SIZE]` in `x` and in row `c` of the window".into(),
        });
    }
    first
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
        let text = match reduce_scatter(x.view()).check(y.view()) {
            Ok(right) => format!("{right:?}"),
            Err(wrong) => wrong.to_string(),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn right() {
        for (ranks, size) in [(2, 64), (4, 1), (7, 3)] {
            let x = counting(ranks, size);
            check(&x, &reduced(&x, |_| (0..ranks).collect(), |r| r * size), expect!["Exact"]);
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
        check(&x, &y, expect!["Exact"]);
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
