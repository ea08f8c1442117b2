//! The end of a long sequence.

/// The last items of a sequence.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    items: Vec<T>,
    /// Where the next one goes: the oldest stands there, once there are so many.
    next: usize,
    /// How many are kept.
    limit: usize,
}

impl<T> Recent<T> {
    /// Those of an empty sequence, of which so many will be kept.
    pub(crate) const fn new(limit: usize) -> Self {
        Recent { items: Vec::new(), next: 0, limit }
    }

    /// Adds an item, in the place of the oldest when there are too many.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match self.items.get_mut(self.next) {
            Some(oldest) => *oldest = item,
            None => self.items.push(item),
        }
        self.next += 1;
        if self.next >= self.limit {
            self.next = 0;
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.next = 0;
    }

    /// The bytes that it has.
    pub(crate) const fn held(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }

    /// From the latest back to the earliest.
    pub(crate) fn backwards(&self) -> impl Iterator<Item = &T> {
        let (newer, older) = self.items.split_at(self.next.min(self.items.len()));
        newer.iter().rev().chain(older.iter().rev())
    }

    /// The same, to change.
    pub(crate) fn backwards_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let at = self.next.min(self.items.len());
        let (newer, older) = self.items.split_at_mut(at);
        newer.iter_mut().rev().chain(older.iter_mut().rev())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_items_are_kept() {
        let mut recent = Recent::<usize>::new(3);
        for n in 0..10 {
            assert!(recent.backwards().copied().eq((n - n.min(3)..n).rev()), "{n}");
            recent.push(n);
        }
        *recent.backwards_mut().nth(1).expect("three") = 0;
        assert!(recent.backwards().eq(&[9, 0, 7]));
        recent.clear();
        assert_eq!(recent.backwards().next(), None);
    }
}
