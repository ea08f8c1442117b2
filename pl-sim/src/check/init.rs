//! Which elements of a memory are data: one bit each, until all are.

use crate::region::Runs;

/// The elements that are data.
#[derive(Clone, Debug)]
pub(crate) struct Init {
    /// One bit per element, set when it is data; empty when all are.
    bits: Vec<u64>,
    /// How many are not.
    missing: usize,
}

/// Elements that are not data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The position of the first.
    pub(crate) first: usize,
    /// How many.
    pub(crate) count: usize,
}

/// The words that hold a range of bits, each with the mask of those in the range.
fn masks(start: usize, length: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = start + length;
    (start / 64..end.div_ceil(64)).map(move |word| {
        let low = if word == start / 64 { u64::MAX << (start % 64) } else { u64::MAX };
        let high = if word == end / 64 { !(u64::MAX << (end % 64)) } else { u64::MAX };
        (word, low & high)
    })
}

impl Init {
    /// All are data.
    pub(crate) const fn all() -> Init {
        Init { bits: Vec::new(), missing: 0 }
    }

    /// None of `elements` is data.
    pub(crate) fn none(elements: usize) -> Init {
        Init { bits: vec![0; elements.div_ceil(64)], missing: elements }
    }

    /// Makes all of `elements` no data. Calls `clear` with those that were, or stand near them: from and to.
    pub(crate) fn reset(&mut self, elements: usize, mut clear: impl FnMut(usize, usize)) {
        if self.missing == 0 {
            clear(0, elements);
        } else {
            for (word, _) in self.bits.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                clear(word * 64, elements.min(word * 64 + 64));
            }
        }
        self.bits.clear();
        self.bits.resize(elements.div_ceil(64), 0);
        self.missing = elements;
    }

    /// The words that it has.
    pub(crate) const fn held(&self) -> usize {
        self.bits.capacity()
    }

    /// How many elements are not data.
    pub(crate) const fn count_missing(&self) -> usize {
        self.missing
    }

    /// The elements of a box that are not data.
    pub(crate) fn missing(&self, runs: &Runs) -> Option<Missing> {
        if self.missing == 0 {
            return None;
        }
        let mut found: Option<Missing> = None;
        for start in runs.starts() {
            for (word, mask) in masks(start, runs.length()) {
                let absent = !self.bits[word] & mask;
                if absent != 0 {
                    let first = word * 64 + absent.trailing_zeros() as usize;
                    found.get_or_insert(Missing { first, count: 0 }).count += absent.count_ones() as usize;
                }
            }
        }
        found
    }

    /// Makes the elements of a box data.
    pub(crate) fn fill(&mut self, runs: &Runs) {
        if self.missing == 0 {
            return;
        }
        for start in runs.starts() {
            for (word, mask) in masks(start, runs.length()) {
                self.missing -= (!self.bits[word] & mask).count_ones() as usize;
                self.bits[word] |= mask;
            }
        }
        if self.missing == 0 {
            self.bits.clear();
        }
    }

    /// Makes the elements of a box of a memory of `elements` no data.
    pub(crate) fn clear(&mut self, runs: &Runs, elements: usize) {
        if self.missing == 0 {
            if runs.elements() == 0 {
                return;
            }
            self.bits.resize(elements.div_ceil(64), u64::MAX);
        }
        for start in runs.starts() {
            for (word, mask) in masks(start, runs.length()) {
                self.missing += (self.bits[word] & mask).count_ones() as usize;
                self.bits[word] &= !mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(start: usize, length: usize) -> Runs {
        Runs::new(&[1000], [start as u64].into_iter(), [length as u64].into_iter()).expect("in bounds")
    }

    #[test]
    fn bits_are_exact() {
        let mut init = Init::none(1000);
        init.fill(&runs(3, 61));
        init.fill(&runs(70, 200));
        init.fill(&runs(128, 64));
        assert_eq!(init.missing(&runs(3, 61)), None);
        assert_eq!(init.missing(&runs(3, 62)), Some(Missing { first: 64, count: 1 }));
        assert_eq!(init.missing(&runs(0, 1000)), Some(Missing { first: 0, count: 1000 - 261 }));
        init.fill(&runs(0, 1000));
        assert_eq!(init.missing(&runs(0, 1000)), None);
        assert_eq!(init.missing, 0);
        init.clear(&runs(0, 0), 1000);
        assert_eq!(init.missing(&runs(0, 1000)), None);
        init.clear(&runs(990, 10), 1000);
        init.clear(&runs(60, 10), 1000);
        init.clear(&runs(62, 2), 1000);
        assert_eq!(init.missing(&runs(0, 1000)), Some(Missing { first: 60, count: 20 }));
        init.fill(&runs(60, 940));
        assert_eq!(init.missing, 0);
    }

    #[test]
    fn a_reset_clears_what_was_data() {
        let mut init = Init::all();
        let cleared = |init: &mut Init| {
            let mut cleared = vec![];
            init.reset(1000, |from, to| cleared.push((from, to)));
            cleared
        };
        assert_eq!(cleared(&mut init), [(0, 1000)]);
        assert_eq!(cleared(&mut init), []);
        init.fill(&runs(70, 1));
        init.fill(&runs(999, 1));
        assert_eq!(cleared(&mut init), [(64, 128), (960, 1000)]);
        assert_eq!(init.missing(&runs(0, 1000)), Some(Missing { first: 0, count: 1000 }));
        init.fill(&runs(0, 1000));
        init.clear(&runs(3, 1), 1000);
        assert_eq!(init.missing(&runs(0, 1000)), Some(Missing { first: 3, count: 1 }));
    }
}
