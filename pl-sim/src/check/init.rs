//! Which elements of a memory are data. Most memories are written from the front to the end: then the number of elements tells; otherwise there is one bit
//! for each, until all are data.

use crate::region::Runs;

/// Words that are kept to be used again.
const MOST_KEPT: usize = 1 << 14;

/// The elements that are data.
#[derive(Clone, Debug)]
pub(crate) struct Init {
    /// One bit per element, set when it is data; empty when the first ones are, and no others.
    bits: Vec<u64>,
    /// How many elements there are; not told where all are data.
    elements: usize,
    /// How many are not data.
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
        Init { bits: Vec::new(), elements: 0, missing: 0 }
    }

    /// None of `elements` is data.
    pub(crate) const fn none(elements: usize) -> Init {
        Init { bits: Vec::new(), elements, missing: elements }
    }

    /// Makes all of `elements` no data. Calls `clear` with those that were, or stand near them: from and to.
    pub(crate) fn reset(&mut self, elements: usize, mut clear: impl FnMut(usize, usize)) {
        if self.missing == 0 {
            clear(0, elements);
        } else if self.bits.is_empty() && self.first() > 0 {
            clear(0, self.first());
        }
        for (word, _) in self.bits.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            clear(word * 64, elements.min(word * 64 + 64));
        }
        if self.bits.len() > MOST_KEPT {
            self.bits = Vec::new()
        } else {
            self.bits.clear()
        }
        (self.elements, self.missing) = (elements, elements);
    }

    /// The words that it has.
    pub(crate) const fn held(&self) -> usize {
        self.bits.capacity()
    }

    /// How many elements are not data.
    pub(crate) const fn count_missing(&self) -> usize {
        self.missing
    }

    /// Whether an element is data.
    #[inline]
    fn has(&self, at: usize) -> bool {
        self.missing == 0
            || if self.bits.is_empty() { at < self.first() } else { self.bits[at / 64] >> (at % 64) & 1 != 0 }
    }

    /// How many elements are data, where these are the first ones.
    const fn first(&self) -> usize {
        self.elements - self.missing
    }

    /// Lets each element have its bit.
    #[cold]
    fn spread(&mut self) {
        let (first, words) = (self.first(), self.elements.div_ceil(64));
        if self.bits.capacity() < words {
            // Zeros from the system: of a large list only those are taken that are touched.
            self.bits = vec![0; words];
        } else {
            self.bits.resize(words, 0);
        }
        for (word, mask) in masks(0, first) {
            self.bits[word] |= mask;
        }
    }

    /// The elements of a box that are not data.
    pub(crate) fn missing(&self, runs: &Runs) -> Option<Missing> {
        if self.missing == 0 {
            return None;
        }
        let mut found: Option<Missing> = None;
        let mut note = |first: usize, count: usize| {
            if count > 0 {
                found.get_or_insert(Missing { first, count: 0 }).count += count;
            }
        };
        for start in runs.starts() {
            if self.bits.is_empty() {
                let (first, end) = (start.max(self.first()), start + runs.length());
                note(first, end.saturating_sub(first));
                continue;
            }
            for (word, mask) in masks(start, runs.length()) {
                let absent = !self.bits[word] & mask;
                note(word * 64 + absent.trailing_zeros() as usize, absent.count_ones() as usize);
            }
        }
        found
    }

    /// Makes an element data.
    #[inline]
    pub(crate) fn fill_one(&mut self, at: usize) {
        if !self.has(at) {
            self.fill(&Runs::element(at));
        }
    }

    /// Makes the elements of a box data.
    pub(crate) fn fill(&mut self, runs: &Runs) {
        if self.missing == 0 {
            return;
        }
        for start in runs.starts() {
            if self.bits.is_empty() {
                if start <= self.first() {
                    self.missing -= (start + runs.length()).saturating_sub(self.first());
                    continue;
                }
                self.spread();
            }
            for (word, mask) in masks(start, runs.length()) {
                let absent = !self.bits[word] & mask;
                // What several cores look at is not written without need.
                if absent != 0 {
                    self.missing -= absent.count_ones() as usize;
                    self.bits[word] |= mask;
                }
            }
        }
        if self.missing == 0 {
            self.bits.clear();
        }
    }

    /// Makes the elements of a box of a memory of `elements` no data.
    pub(crate) fn clear(&mut self, runs: &Runs, elements: usize) {
        if runs.elements() == 0 {
            return;
        }
        self.elements = elements;
        if self.bits.is_empty() {
            self.spread();
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
    use crate::sched::random::Random;

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
    #[test]
    fn elements_from_the_front_need_no_bits() {
        let mut init = Init::none(1000);
        for start in (0..700).step_by(7) {
            init.fill(&runs(start, 7));
        }
        init.fill(&runs(100, 50));
        assert_eq!((init.held(), init.count_missing()), (0, 300));
        assert_eq!(init.missing(&runs(690, 20)), Some(Missing { first: 700, count: 10 }));
        assert_eq!(init.missing(&runs(0, 700)), None);
        // From here on each has its own.
        init.fill(&runs(900, 10));
        assert_eq!(init.missing(&runs(690, 215)), Some(Missing { first: 700, count: 200 }));
        init.fill(&runs(600, 400));
        assert_eq!(init.missing(&runs(0, 1000)), None);
    }

    #[test]
    fn it_is_what_a_list_of_flags_says() {
        let mut random = Random::new(7);
        for _ in 0..300 {
            let mut init = Init::none(1000);
            let mut flags = vec![false; 1000];
            for _ in 0..random.below(12) {
                // Near the front, too, so that the first elements are data for a while.
                let most = [100, 1000][random.below(2)];
                let start = random.below(most);
                let length = random.below(1000 - start);
                let is_data = random.below(4) > 0;
                let boxed = runs(start, length);
                if is_data {
                    init.fill(&boxed)
                } else {
                    init.clear(&boxed, 1000)
                }
                flags[start..start + length].fill(is_data);
                let absent = |from: usize, to: usize| {
                    let mut absent = (from..to).filter(|at| !flags[*at]);
                    absent.next().map(|first| Missing { first, count: 1 + absent.count() })
                };
                let from = random.below(1000);
                assert_eq!(init.missing(&runs(0, 1000)), absent(0, 1000));
                assert_eq!(init.missing(&runs(from, 1000 - from)), absent(from, 1000));
                assert_eq!(init.count_missing(), flags.iter().filter(|flag| !**flag).count());
            }
            let mut cleared = vec![false; 1000];
            init.reset(1000, |from, to| cleared[from..to].fill(true));
            assert!(flags.iter().zip(&cleared).all(|(flag, cleared)| *cleared || !flag));
        }
    }
}
