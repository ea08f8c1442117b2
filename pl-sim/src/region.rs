//! Boxes in memory, as runs of elements that stand side by side.

use pl_core::verify::MAX_AXES;

/// Extents, of at most [`MAX_AXES`] axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    extents: [usize; MAX_AXES],
    axes: usize,
}

impl Shape {
    /// The extents as a list.
    pub(crate) fn extents(&self) -> &[usize] {
        &self.extents[..self.axes]
    }

    /// Makes a shape of extents; `None` when they are too many, or one or their product too large.
    pub(crate) fn new(extents: impl IntoIterator<Item = u64>) -> Option<Shape> {
        let mut shape = Shape::default();
        let mut elements = 1_usize;
        for extent in extents {
            let slot = shape.extents.get_mut(shape.axes)?;
            *slot = usize::try_from(extent).ok()?;
            elements = elements.checked_mul(*slot)?;
            shape.axes += 1;
        }
        // A byte count must fit, too.
        elements.checked_mul(8).map(|_| shape)
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.extents().iter().product()
    }

    /// The indices of the element at a position.
    pub(crate) fn indices(&self, position: usize) -> Vec<usize> {
        indices(self.extents(), position)
    }
}

/// The indices of the element at a position in C order.
pub(crate) fn indices(shape: &[usize], mut position: usize) -> Vec<usize> {
    let mut indices = vec![0; shape.len()];
    for (index, &extent) in indices.iter_mut().zip(shape).rev() {
        *index = position % extent.max(1);
        position /= extent.max(1);
    }
    indices
}

/// The rows of a box that is read when it is needed have this many bytes at least.
const SHORTEST: usize = 512;

/// Axes around a run, at most: the innermost axis is the run itself.
const AROUND: usize = MAX_AXES - 1;

/// A box in a memory of C order: equally long runs of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    /// The first element of the first run.
    base: usize,
    /// Elements in a run; 0 for a box without elements.
    length: usize,
    /// How many runs there are.
    count: usize,
    /// The axes around a run, outermost first: extent and stride.
    around: [(usize, usize); AROUND],
    /// How many of them count.
    depth: usize,
}

impl Runs {
    /// The box at `offsets` with `extents` in a memory of `shape`. The error is the first axis on which it does not fit.
    #[inline]
    pub(crate) fn new(
        shape: &[usize],
        offsets: impl Iterator<Item = u64> + Clone,
        extents: impl Iterator<Item = u64> + Clone,
    ) -> Result<Runs, usize> {
        let mut runs = Runs { base: 0, length: 1, count: 1, around: [(0, 0); AROUND], depth: 0 };
        if extents.clone().any(|extent| extent == 0) {
            return Ok(Runs { length: 0, count: 0, ..runs });
        }
        // The innermost axis so far, once there is one.
        let mut inner: Option<usize> = None;
        let mut depth = 0;
        for (axis, ((&size, offset), extent)) in shape.iter().zip(offsets).zip(extents).enumerate() {
            if offset.checked_add(extent).is_none_or(|end| end > size as u64) {
                return Err(axis);
            }
            let (offset, extent) = (offset as usize, extent as usize);
            runs.base = runs.base * size + offset;
            for (_, stride) in &mut runs.around[..depth] {
                *stride *= size;
            }
            match inner {
                // The axis before steps by this whole axis: together they are one.
                Some(before) if extent == size => inner = Some(before * size),
                Some(before) => {
                    *runs.around.get_mut(depth).ok_or(axis)? = (before, size);
                    depth += 1;
                    inner = Some(extent);
                }
                None => inner = Some(extent),
            }
        }
        runs.length = inner.unwrap_or(1);
        // Axes of extent 1 step nowhere.
        let mut kept = 0;
        for axis in 0..depth {
            if runs.around[axis].0 != 1 {
                runs.around[kept] = runs.around[axis];
                runs.count *= runs.around[kept].0;
                kept += 1;
            }
        }
        // What is left of axes that do not count would make like boxes differ.
        runs.around[kept..].fill((0, 0));
        runs.depth = kept;
        Ok(runs)
    }

    /// The same box somewhere else.
    pub(crate) const fn at(&self, base: usize) -> Runs {
        Runs { base, ..*self }
    }

    /// The box as rows; `None` when there are axes around these.
    pub(crate) const fn rows(&self) -> Option<Rows> {
        match self.depth {
            0 => Some(Rows { base: self.base, length: self.length, count: self.count, stride: 0 }),
            1 => {
                let stride = self.around[0].1;
                Some(Rows { base: self.base, length: self.length, count: self.count, stride })
            }
            _ => None,
        }
    }

    /// The box as rows when it may be read later, of elements of `size` bytes: short rows cost more to find than to copy.
    #[inline(always)]
    pub(crate) fn rows_to_keep(&self, size: usize) -> Option<Rows> {
        self.rows().filter(|rows| rows.is_one() || rows.length() * size >= SHORTEST)
    }

    /// One element.
    pub(crate) const fn element(position: usize) -> Runs {
        Runs { base: position, length: 1, count: 1, around: [(0, 0); AROUND], depth: 0 }
    }

    /// Elements in a run.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// The first element.
    pub(crate) const fn base(&self) -> usize {
        self.base
    }

    /// Elements in the box.
    pub(crate) const fn elements(&self) -> usize {
        self.length * self.count
    }

    /// The first so many elements.
    pub(crate) const fn first(elements: usize) -> Runs {
        let count = if elements > 0 { 1 } else { 0 };
        Runs { base: 0, length: elements, count, around: [(0, 0); AROUND], depth: 0 }
    }

    /// Whether two boxes of one memory may have an element in common.
    pub(crate) fn meets(&self, other: &Runs) -> bool {
        self.base < other.end() && other.base < self.end()
    }

    /// One past the last element.
    pub(crate) fn end(&self) -> usize {
        if self.count == 0 {
            return 0;
        }
        self.around[..self.depth].iter().map(|(extent, stride)| (extent - 1) * stride).sum::<usize>()
            + self.base
            + self.length
    }

    /// This box and another one behind it, when each is one run and nothing is between them.
    pub(crate) fn join(&self, next: &Runs) -> Option<Runs> {
        let is_next = self.count == 1 && next.count == 1 && self.base + self.length == next.base;
        is_next.then(|| Runs { length: self.length + next.length, ..*self })
    }

    /// Where an element of the box stands, counted from 0 in order, and how many from there on stand side by side.
    #[inline]
    pub(crate) fn locate(&self, element: usize) -> (usize, usize) {
        if self.count <= 1 {
            return (self.base + element, self.length - element);
        }
        let (mut run, within) = (element / self.length, element % self.length);
        let mut position = self.base + within;
        for (extent, stride) in self.around[..self.depth].iter().rev() {
            position += run % extent * stride;
            run /= extent;
        }
        (position, self.length - within)
    }

    /// The start of each run, in order.
    #[inline]
    pub(crate) fn starts(&self) -> Starts<'_> {
        Starts { runs: self, at: [0; MAX_AXES], next: (self.count > 0).then_some(self.base) }
    }
}

/// A box of one run, or of runs at one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    base: usize,
    length: usize,
    count: usize,
    stride: usize,
}

impl Rows {
    /// The first so many elements.
    pub(crate) const fn first(elements: usize) -> Rows {
        Rows { base: 0, length: elements, count: 1, stride: 0 }
    }

    /// Elements in a row.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Whether its elements stand side by side.
    pub(crate) const fn is_one(&self) -> bool {
        self.count <= 1
    }

    /// Where an element of the box stands, counted from 0 in order, and how many from there on stand side by side.
    #[inline]
    pub(crate) const fn locate(&self, element: usize) -> (usize, usize) {
        if self.count <= 1 {
            return (self.base + element, self.length - element);
        }
        let within = element % self.length;
        (self.base + element / self.length * self.stride + within, self.length - within)
    }

    /// The same box.
    pub(crate) fn runs(&self) -> Runs {
        let depth = usize::from(self.stride > 0);
        let mut around = [(0, 0); AROUND];
        if depth > 0 {
            around[0] = (self.count, self.stride);
        }
        Runs { base: self.base, length: self.length, count: self.count, around, depth }
    }

    /// Whether this and another box of the same memory may have an element in common.
    pub(crate) fn meets(&self, other: &Runs) -> bool {
        let end = self.base + self.length + self.count.saturating_sub(1) * self.stride;
        self.length * self.count > 0 && self.base < other.end() && other.base < end
    }
}

/// The start of each run of a box.
pub(crate) struct Starts<'r> {
    runs: &'r Runs,
    at: [usize; MAX_AXES],
    next: Option<usize>,
}

impl Iterator for Starts<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let start = self.next?;
        let mut next = start;
        self.next = None;
        for axis in (0..self.runs.depth).rev() {
            let (extent, stride) = self.runs.around[axis];
            self.at[axis] += 1;
            if self.at[axis] < extent {
                self.next = Some(next + stride);
                break;
            }
            self.at[axis] = 0;
            next -= (extent - 1) * stride;
        }
        Some(start)
    }
}

/// A stretch of elements that stand side by side in each of two boxes: where it starts in both, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first element in the one memory.
    pub(crate) left: usize,
    /// The first element in the other.
    pub(crate) right: usize,
    /// Elements.
    pub(crate) length: usize,
}

/// Hands the stretches of two boxes of as many elements to `f`, in order.
#[inline]
pub(crate) fn for_each_piece(left: &Runs, right: &Runs, f: impl FnMut(Piece)) {
    if left.count == 1 && right.count == 1 {
        [Piece { left: left.base, right: right.base, length: left.length }].into_iter().for_each(f);
    } else {
        pieces(left, right).for_each(f);
    }
}

/// The stretches of two boxes of as many elements, in order.
fn pieces<'r>(left: &'r Runs, right: &'r Runs) -> Pieces<'r> {
    Pieces { left: Side::new(left), right: Side::new(right) }
}

/// The stretches of two boxes.
struct Pieces<'r> {
    left: Side<'r>,
    right: Side<'r>,
}

/// What is left of a box.
struct Side<'r> {
    starts: Starts<'r>,
    length: usize,
    /// The rest of a run: its first element, and how many they are.
    at: usize,
    rest: usize,
}

impl<'r> Side<'r> {
    fn new(runs: &'r Runs) -> Side<'r> {
        Side { starts: runs.starts(), length: runs.length(), at: 0, rest: 0 }
    }

    /// Goes on to the next run, where one is at its end; whether there is anything left.
    #[inline]
    fn fill(&mut self) -> Option<()> {
        if self.rest == 0 {
            (self.at, self.rest) = (self.starts.next()?, self.length);
        }
        Some(())
    }

    #[inline]
    fn take(&mut self, length: usize) -> usize {
        self.rest -= length;
        self.at += length;
        self.at - length
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        self.left.fill()?;
        self.right.fill()?;
        let length = self.left.rest.min(self.right.rest);
        Some(Piece { left: self.left.take(length), right: self.right.take(length), length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_boxes_have_common_stretches() {
        let of = |shape: &[usize], offsets: [u64; 2], extents: [u64; 2]| {
            Runs::new(shape, offsets.into_iter(), extents.into_iter()).expect("in bounds")
        };
        let (a, b) = (of(&[4, 6], [1, 0], [2, 6]), of(&[3, 9], [0, 2], [2, 6]));
        let list: Vec<_> = pieces(&a, &b).map(|p| (p.left, p.right, p.length)).collect();
        assert_eq!(list, [(6, 2, 6), (12, 11, 6)]);
        assert_eq!(pieces(&b, &a).map(|p| (p.right, p.left, p.length)).collect::<Vec<_>>(), list);
        assert_eq!(pieces(&a, &Runs::first(12)).map(|p| p.left).collect::<Vec<_>>(), [6]);
        assert_eq!(pieces(&of(&[4, 6], [0, 0], [0, 6]), &Runs::first(0)).count(), 0);
        assert!(a.meets(&of(&[4, 6], [2, 5], [1, 1])) && !a.meets(&of(&[4, 6], [3, 0], [1, 6])));
        assert!(!a.meets(&Runs::first(0)) && !Runs::first(0).meets(&a));
    }

    fn starts(shape: &[usize], offsets: &[u64], extents: &[u64]) -> Result<(usize, Vec<usize>), usize> {
        let runs = Runs::new(shape, offsets.iter().copied(), extents.iter().copied())?;
        let starts: Vec<_> = runs.starts().collect();
        assert_eq!(starts.len() * runs.length(), runs.elements());
        assert_eq!(starts.last().map_or(0, |s| s + runs.length()), runs.end());
        Ok((runs.length(), starts))
    }

    #[test]
    fn boxes_become_runs() {
        assert_eq!(starts(&[4, 8], &[1, 0], &[1, 8]), Ok((8, vec![8])));
        assert_eq!(starts(&[4, 8], &[1, 0], &[2, 8]), Ok((16, vec![8])));
        assert_eq!(starts(&[4, 8], &[1, 2], &[2, 3]), Ok((3, vec![10, 18])));
        assert_eq!(starts(&[4, 1], &[1, 0], &[3, 1]), Ok((3, vec![1])));
        assert_eq!(starts(&[2, 3, 4], &[0, 1, 1], &[2, 2, 2]), Ok((2, vec![5, 9, 17, 21])));
        assert_eq!(starts(&[2, 3, 4], &[0, 1, 0], &[2, 2, 4]), Ok((8, vec![4, 16])));
        assert_eq!(starts(&[2, 1, 4], &[0, 0, 0], &[2, 1, 4]), Ok((8, vec![0])));
        assert_eq!(starts(&[2, 3, 4], &[1, 0, 0], &[1, 3, 4]), Ok((12, vec![12])));
        assert_eq!(starts(&[2, 3, 4], &[0, 0, 3], &[2, 3, 1]), Ok((1, vec![3, 7, 11, 15, 19, 23])));
        assert_eq!(starts(&[5], &[2], &[3]), Ok((3, vec![2])));
        assert_eq!(starts(&[], &[], &[]), Ok((1, vec![0])));
    }

    #[test]
    fn boxes_are_checked() {
        assert_eq!(starts(&[4, 8], &[1, 2], &[3, 7]), Err(1));
        assert_eq!(starts(&[4, 8], &[4, 0], &[1, 8]), Err(0));
        assert_eq!(starts(&[4, 8], &[u64::MAX, 0], &[2, 8]), Err(0));
        assert_eq!(starts(&[4, 8], &[9, 9], &[0, 8]), Ok((0, vec![])));
    }

    #[test]
    fn every_box_is_enumerated_as_by_a_loop_nest() {
        let shape = [2, 3, 2, 4];
        let size = |s: usize| (0..s).flat_map(move |o| (1..=s - o).map(move |e| (o, e)));
        for a in size(2) {
            for b in size(3) {
                for c in size(2) {
                    for d in size(4) {
                        let pick = [a, b, c, d];
                        let runs = Runs::new(&shape, pick.iter().map(|p| p.0 as u64), pick.iter().map(|p| p.1 as u64));
                        let runs = runs.expect("in bounds");
                        let ours: Vec<usize> = runs.starts().flat_map(|s| s..s + runs.length()).collect();
                        let range = |i: usize| pick[i].0..pick[i].0 + pick[i].1;
                        let mut expected = vec![];
                        for i in range(0) {
                            for j in range(1) {
                                for k in range(2) {
                                    expected.extend(range(3).map(|l| ((i * 3 + j) * 2 + k) * 4 + l));
                                }
                            }
                        }
                        assert_eq!(ours, expected, "{pick:?}");
                        for (element, position) in expected.iter().enumerate() {
                            let rest = runs.length() - element % runs.length();
                            assert_eq!(runs.locate(element), (*position, rest), "{pick:?}");
                            if let Some(rows) = runs.rows() {
                                assert_eq!(rows.locate(element), (*position, rest), "{pick:?}");
                                assert_eq!(rows.runs(), runs);
                            }
                        }
                    }
                }
            }
        }
    }
}
