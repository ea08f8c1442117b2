//! Parts of one memory, lent to several calls at once: those that are written to one call only.

use std::ops::Range;

/// What a call wants of a memory.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub(super) bytes: Range<usize>,
    /// Whether it writes.
    pub(super) writes: bool,
}

/// What it gets.
#[derive(Debug)]
pub(super) enum Loan<'b> {
    Read(&'b [u8]),
    Write(&'b mut [u8]),
}

/// Two wants that overlap, of which one writes.
#[derive(Debug, PartialEq)]
pub(super) struct Overlap(pub(super) usize, pub(super) usize);

/// Lends memory that may be written. The loans stand in the order of the wants, which lie in the memory.
pub(super) fn lend<'b>(bytes: &'b mut [u8], wants: &[Want]) -> Result<Vec<Loan<'b>>, Overlap> {
    let mut order: Vec<usize> = (0..wants.len()).filter(|i| !wants[*i].bytes.is_empty()).collect();
    order.sort_by_key(|i| wants[*i].bytes.start);
    let mut loans: Vec<Loan<'b>> = wants.iter().map(|_| Loan::Read(&[])).collect();
    for (loan, _) in loans.iter_mut().zip(wants).filter(|(_, want)| want.writes) {
        *loan = Loan::Write(&mut []);
    }
    let (mut rest, mut gone) = (bytes, 0);
    let mut next = 0;
    while next < order.len() {
        // Those that overlap, one with the next, are lent together.
        let first = next;
        let start = wants[order[first]].bytes.start;
        let mut furthest = order[first];
        next += 1;
        while let Some(&other) = order.get(next).filter(|o| wants[**o].bytes.start < wants[furthest].bytes.end) {
            if wants[furthest].writes || wants[other].writes {
                return Err(Overlap(furthest.min(other), furthest.max(other)));
            }
            if wants[other].bytes.end > wants[furthest].bytes.end {
                furthest = other;
            }
            next += 1;
        }
        let end = wants[furthest].bytes.end;
        let (lent, after) = rest.split_at_mut(end - gone);
        let lent = &mut lent[start - gone..];
        (rest, gone) = (after, end);
        if wants[order[first]].writes {
            loans[order[first]] = Loan::Write(lent);
            continue;
        }
        let lent: &'b [u8] = lent;
        for &reader in &order[first..next] {
            let bytes = &wants[reader].bytes;
            loans[reader] = Loan::Read(&lent[bytes.start - start..bytes.end - start]);
        }
    }
    Ok(loans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn want(bytes: Range<usize>, writes: bool) -> Want {
        Want { bytes, writes }
    }

    #[test]
    fn parts_are_lent_where_they_lie() {
        let mut memory: Vec<u8> = (0..16).collect();
        let wants = [want(12..16, true), want(0..6, false), want(4..8, false), want(8..8, true), want(2..5, false)];
        let mut loans = lend(&mut memory, &wants).unwrap();
        let read = |loan: &Loan<'_>| match loan {
            Loan::Read(bytes) => bytes.to_vec(),
            Loan::Write(bytes) => bytes.to_vec(),
        };
        assert_eq!(read(&loans[0]), [12, 13, 14, 15]);
        assert_eq!(read(&loans[1]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(read(&loans[2]), [4, 5, 6, 7]);
        assert_eq!(read(&loans[3]), Vec::<u8>::new());
        assert_eq!(read(&loans[4]), [2, 3, 4]);
        assert!(matches!(loans[1], Loan::Read(_)));
        let Loan::Write(bytes) = &mut loans[0] else { panic!("it is to be written") };
        bytes[0] = 99;
        assert_eq!(memory[12], 99);
    }

    #[test]
    fn what_is_written_is_lent_once() {
        let mut memory = [0; 16];
        let mut overlap = |wants: &[Want]| lend(&mut memory, wants).map(|_| ()).unwrap_err();
        assert_eq!(overlap(&[want(0..8, true), want(8..16, true), want(7..9, false)]), Overlap(0, 2));
        assert_eq!(overlap(&[want(0..16, false), want(2..3, false), want(8..12, true)]), Overlap(0, 2));
        assert_eq!(overlap(&[want(4..8, true), want(4..8, true)]), Overlap(0, 1));
    }
}
