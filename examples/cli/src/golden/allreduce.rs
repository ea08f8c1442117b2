//! The golden of an allreduce.

use super::{Cause, Golden};
use crate::number::Number;
use pl::distributed::ReduceOp;
use pl::ndarray::{ArrayView3, ArrayViewD, Axis, Dimension as _};

/// The golden of an allreduce of `x`, of shape `[P, 1, SIZE]`: every rank ends with the reduction over the ranks, with the same bits. The mistakes
/// that are easily made in one are told from one another.
pub fn allreduce<T: Number>(x: ArrayView3<'_, T>, op: ReduceOp) -> Golden<'_, T> {
    let ranks = x.len_of(Axis(0));
    let right = move || Golden::reduce(x, op).on_every_rank(ranks);
    right()
        .mistake(
            "every rank has its own numbers only",
            "fold the numbers of the peers in, too: `pld::tile::remote_load`",
            move || Golden::exact("the own numbers", x.to_owned()),
        )
        .recognise(move |y| own_missing(x, op, &y))
        .recognise(move |y| one_chunk_only(&right(), &y))
        .recognise(move |y| tail_missing(&right(), &y))
}

/// Whether each rank has what the others bring.
fn own_missing<T: Number>(x: ArrayView3<'_, T>, op: ReduceOp, y: &ArrayViewD<'_, T>) -> Option<Cause> {
    let others = |rank: usize| {
        let others: Vec<usize> = (0..x.len_of(Axis(0))).filter(|other| *other != rank).collect();
        Golden::reduce(x.select(Axis(0), &others).view(), op).on_every_rank(1)
    };
    let of_the_others = |(rank, y): (usize, ArrayViewD<'_, T>)| others(rank).is_right(y.insert_axis(Axis(0)));
    y.outer_iter().enumerate().all(of_the_others).then(|| Cause {
        what: "each rank's own numbers are missing from its result".into(),
        help: "the accumulator was seeded with nothing, and then took the peers only; fold the own numbers in, too"
            .into(),
    })
}

/// Whether each rank has one chunk that is right, and no other.
fn one_chunk_only<T: Number>(right: &Golden<'_, T>, y: &ArrayViewD<'_, T>) -> Option<Cause> {
    let (ranks, size) = (y.len_of(Axis(0)), y.len_of(Axis(2)));
    let is_right = |rank: usize, chunk: usize| {
        let mut elements = chunk * size / ranks..(chunk + 1) * size / ranks;
        !elements.is_empty() && elements.all(|i| right.matches(&[rank, 0, i], y[[rank, 0, i]]))
    };
    let only = |rank: usize| {
        let mut chunks = (0..ranks).filter(|chunk| is_right(rank, *chunk));
        chunks.next().filter(|_| chunks.next().is_none())
    };
    let chunks: Vec<usize> = (0..ranks).map(only).collect::<Option<_>>()?;
    Some(Cause {
        what: format!("every rank has one chunk of the result and no more: rank 0 has chunk {}", chunks.first()?),
        help: "the reduce-scatter is right; fetch each of the other chunks from a rank that has it reduced".into(),
    })
}

/// Whether only the last elements are wrong, those that are left when equal chunks are cut.
fn tail_missing<T: Number>(right: &Golden<'_, T>, y: &ArrayViewD<'_, T>) -> Option<Cause> {
    let (ranks, size) = (y.len_of(Axis(0)), y.len_of(Axis(2)));
    let rest = size % ranks;
    let mut wrong = y.indexed_iter().filter(|(at, y)| !right.matches(at.slice(), **y));
    let all_in_tail = wrong.all(|(at, _)| at[2] >= size - rest);
    (rest > 0 && all_in_tail).then(|| Cause {
        what: format!("the last {rest} of {size} elements are wrong: {size} is no multiple of {ranks}"),
        help: "chunks need not be equal: chunk `c` begins at `c * SIZE / nranks` and ends where the next begins".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use pl::ndarray::Array3;

    fn counting(ranks: usize, size: usize) -> Array3<i32> {
        Array3::from_shape_fn((ranks, 1, size), |(r, _, i)| (100 * r + i) as i32)
    }

    /// The result in which rank r has, at element i, the sum of the terms that `terms` chooses.
    fn summed(x: &Array3<i32>, terms: impl Fn(usize, usize, usize) -> bool) -> Array3<i32> {
        let ranks = x.len_of(Axis(0));
        Array3::from_shape_fn(x.dim(), |(r, _, i)| (0..ranks).filter(|k| terms(r, i, *k)).map(|k| x[[k, 0, i]]).sum())
    }

    fn check(x: &Array3<i32>, y: &Array3<i32>, expected: Expect) {
        let verdict = allreduce(x.view(), ReduceOp::Sum).check(y.view());
        expected.assert_eq(&verdict.map_or_else(|wrong| wrong.to_string(), |right| format!("{right:?}")));
    }

    #[test]
    fn right() {
        for (ranks, size) in [(2, 64), (3, 64), (4, 3), (8, 1)] {
            let x = counting(ranks, size);
            check(&x, &summed(&x, |_, _, _| true), expect!["Exact"]);
        }
    }

    #[test]
    fn mistakes() {
        let x = counting(3, 64);
        check(
            &x,
            &x,
            expect![[r#"
            every rank has its own numbers only
              = rank 0, element 0: got 0, expected 300
              = 192 of 192 elements are wrong
              = help: fold the numbers of the peers in, too: `pld::tile::remote_load`"#]],
        );
        check(
            &x,
            &summed(&x, |r, _, k| k != r),
            expect![[r#"
            each rank's own numbers are missing from its result
              = rank 0, element 1: got 302, expected 303
              = 191 of 192 elements are wrong
              = help: the accumulator was seeded with nothing, and then took the peers only; fold the own numbers in, too"#]],
        );
        // Rank r has chunk r, as in two phases, or r + 1, as in a ring.
        check(
            &x,
            &summed(&x, |r, i, k| k == r || (r * 64 / 3..(r + 1) * 64 / 3).contains(&i)),
            expect![[r#"
            every rank has one chunk of the result and no more: rank 0 has chunk 0
              = rank 0, element 21: got 21, expected 363
              = 128 of 192 elements are wrong
              = help: the reduce-scatter is right; fetch each of the other chunks from a rank that has it reduced"#]],
        );
        let next = |r: usize| (r + 1) % 3;
        check(
            &x,
            &summed(&x, |r, i, k| k != i % 3 || (next(r) * 64 / 3..(next(r) + 1) * 64 / 3).contains(&i)),
            expect![[r#"
                every rank has one chunk of the result and no more: rank 0 has chunk 1
                  = rank 0, element 1: got 202, expected 303
                  = 126 of 192 elements are wrong
                  = help: the reduce-scatter is right; fetch each of the other chunks from a rank that has it reduced"#]],
        );
        check(
            &x,
            &summed(&x, |_, i, _| i < 63),
            expect![[r#"
            the last 1 of 64 elements are wrong: 64 is no multiple of 3
              = rank 0, element 63: got 0, expected 489
              = 3 of 192 elements are wrong
              = help: chunks need not be equal: chunk `c` begins at `c * SIZE / nranks` and ends where the next begins"#]],
        );
        check(
            &x,
            &summed(&x, |r, i, k| (r, i, k) != (1, 5, 2)),
            expect![[r#"
            the result is not the sum over the ranks
              = rank 1, element 5: got 110, expected 315
              = 1 of 192 elements are wrong"#]],
        );
    }
}
