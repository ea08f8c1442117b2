//! The accesses to one rank's memory in one window that a later one could conflict with.
//!
//! Positions are elements in C order. Neighbouring elements that were accessed alike are one segment, so that a window that was
//! written row by row is one segment again. A segment keeps the last write, the reads and the adds since. Of the reads, and of the adds, only those that
//! are not ordered before another of them: whoever is ordered after those is ordered after all others.

use super::clock::{Clock, Stamp};
use pl_core::fault::AccessKind;
use std::mem::take;

/// The most segments in a chunk.
const CHUNK: usize = 128;

/// What an access does to its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads them.
    Read,
    /// Replaces them.
    Write,
    /// Adds to them: does not conflict with others that do.
    Add,
}

/// Elements that were accessed alike.
#[derive(Clone, Debug, PartialEq)]
struct Segment {
    start: u32,
    end: u32,
    /// The last write.
    write: Stamp,
    /// A read since.
    read: Stamp,
    /// What else there was; rarely there, and apart, so that a segment is small.
    more: Option<Box<More>>,
}

/// Adds, and reads beyond one.
#[derive(Clone, Debug, Default, PartialEq)]
struct More {
    reads: Vec<Stamp>,
    adds: Vec<Stamp>,
}

impl Segment {
    /// Elements that were only accessed once.
    fn new(start: u32, end: u32, access: Access, stamp: Stamp) -> Segment {
        let mut segment = Segment { start, end, write: Stamp::NONE, read: Stamp::NONE, more: None };
        match access {
            Access::Read => segment.read = stamp,
            Access::Write => segment.write = stamp,
            Access::Add => segment.more = Some(Box::new(More { reads: vec![], adds: vec![stamp] })),
        }
        segment
    }

    /// Whether the two may be one segment.
    fn alike(&self, other: &Segment) -> bool {
        (self.write, self.read) == (other.write, other.read) && self.more == other.more
    }

    /// Records an access that does not conflict, in the place of those that it makes needless.
    fn record(&mut self, access: Access, stamp: Stamp, clock: &Clock) {
        if access == Access::Write {
            *self = Segment::new(self.start, self.end, access, stamp);
            return;
        }
        if let Some(more) = &mut self.more {
            let (list, other) = more.lists(access);
            list.retain(|&earlier| !clock.follows(earlier));
            if list.is_empty() && other.is_empty() {
                self.more = None;
            }
        }
        if access == Access::Read && clock.follows(self.read) {
            self.read = stamp;
        } else {
            self.more.get_or_insert_default().lists(access).0.push(stamp);
        }
    }

    /// The first add, or the first read, that is not ordered before what the rank of `clock` does.
    fn unordered(&self, access: Access, clock: &Clock) -> Option<Stamp> {
        let one = match access {
            Access::Write => self.write,
            Access::Read => self.read,
            Access::Add => Stamp::NONE,
        };
        if !clock.follows(one) {
            return Some(one);
        }
        let more = match access {
            Access::Write => &[],
            Access::Read => &self.more.as_ref()?.reads[..],
            Access::Add => &self.more.as_ref()?.adds[..],
        };
        more.iter().find(|&&stamp| !clock.follows(stamp)).copied()
    }

    /// An access that conflicts with one of the rank of `clock`.
    fn conflict(&self, access: Access, clock: &Clock) -> Option<(Stamp, AccessKind)> {
        let among = |kind| self.unordered(kind, clock);
        let write = among(Access::Write).map(|stamp| (stamp, AccessKind::Write));
        let add =
            || (access != Access::Add).then(|| among(Access::Add)).flatten().map(|stamp| (stamp, AccessKind::Add));
        let read =
            || (access != Access::Read).then(|| among(Access::Read)).flatten().map(|stamp| (stamp, AccessKind::Read));
        write.or_else(add).or_else(read)
    }
}

impl More {
    /// The list of accesses of this kind, and the other one.
    fn lists(&mut self, access: Access) -> (&mut Vec<Stamp>, &Vec<Stamp>) {
        match access {
            Access::Read => (&mut self.reads, &self.adds),
            Access::Write | Access::Add => (&mut self.adds, &self.reads),
        }
    }
}

/// What an access conflicts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The earlier access.
    pub(crate) first: Stamp,
    /// What it did.
    pub(crate) kind: AccessKind,
    /// The elements that it accessed and that are known of it, from and to.
    pub(crate) accessed: (usize, usize),
    /// The elements that both access.
    pub(crate) overlap: (usize, usize),
}

/// The accesses. Segments lie in order of their elements, in chunks of limited size.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// None is empty.
    chunks: Vec<Vec<Segment>>,
    scratch: Vec<Segment>,
    /// The memory of a chunk, for the next one.
    spare: Vec<Segment>,
}

/// Lets a chunk hold so many more: twice as many as it has, but no more than a chunk holds.
fn make_room(chunk: &mut Vec<Segment>, more: usize) {
    if chunk.capacity() - chunk.len() < more {
        chunk.reserve_exact(chunk.len().min(CHUNK.saturating_sub(chunk.len())).max(more));
    }
}

/// A position among the segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    chunk: usize,
    index: usize,
}

impl Log {
    /// Forgets all accesses.
    pub(crate) fn clear(&mut self) {
        if let Some(mut chunk) = self.chunks.drain(..).next() {
            chunk.clear();
            self.spare = chunk;
        }
    }

    /// The first segment that ends after `position`, or the end of the last chunk.
    fn find(&self, position: u32) -> At {
        let chunk = self.chunks.partition_point(|chunk| chunk.last().is_none_or(|last| last.end <= position));
        match (self.chunks.get(chunk), self.chunks.last()) {
            (Some(found), _) => At { chunk, index: found.partition_point(|segment| segment.end <= position) },
            (None, last) => At { chunk: chunk.saturating_sub(1), index: last.map_or(0, Vec::len) },
        }
    }

    fn get(&self, at: At) -> Option<&Segment> {
        self.chunks.get(at.chunk)?.get(at.index)
    }

    fn after(&self, at: At) -> At {
        let next = At { index: at.index + 1, ..at };
        match self.chunks.get(at.chunk) {
            Some(chunk) if next.index >= chunk.len() => At { chunk: at.chunk + 1, index: 0 },
            _ => next,
        }
    }

    fn before(&self, at: At) -> Option<At> {
        match at.index.checked_sub(1) {
            Some(index) => Some(At { index, ..at }),
            None => {
                let chunk = at.chunk.checked_sub(1)?;
                Some(At { chunk, index: self.chunks[chunk].len().checked_sub(1)? })
            }
        }
    }

    /// Checks an access to the elements from `start` to `end`. Of an add: an earlier one that nothing orders before it.
    #[inline]
    pub(crate) fn check(&self, start: u32, end: u32, access: Access, clock: &Clock) -> Result<Option<Stamp>, Conflict> {
        // A signal has notifies and waits, and seldom anything else.
        if self.chunks.is_empty() {
            return Ok(None);
        }
        self.check_from(self.find(start), (start, end), access, clock)
    }

    /// The same where the first segment that ends after `start` is known.
    fn check_from(
        &self,
        mut at: At,
        (start, end): (u32, u32),
        access: Access,
        clock: &Clock,
    ) -> Result<Option<Stamp>, Conflict> {
        let mut beside = None;
        while let Some(segment) = self.get(at)
            && segment.start < end
        {
            if let Some((first, kind)) = segment.conflict(access, clock) {
                let (from, to) = self.alike_around(at, segment);
                return Err(Conflict {
                    first,
                    kind,
                    accessed: (from as usize, to as usize),
                    overlap: (from.max(start) as usize, to.min(end) as usize),
                });
            }
            if access == Access::Add && beside.is_none() {
                beside = segment.unordered(Access::Add, clock);
            }
            at = self.after(at);
        }
        Ok(beside)
    }

    /// The elements around a segment that were accessed like it and stand side by side: what a report tells of them does not depend on whether they are one segment.
    #[cold]
    fn alike_around(&self, at: At, segment: &Segment) -> (u32, u32) {
        let alike = |at: At| self.get(at).filter(|other| other.alike(segment));
        let (mut start, mut end) = (segment.start, segment.end);
        let mut before = self.before(at);
        while let Some((at, other)) =
            before.and_then(|at| Some((at, alike(at)?))).filter(|(_, other)| other.end == start)
        {
            (start, before) = (other.start, self.before(at));
        }
        let mut after = self.after(at);
        while let Some(other) = alike(after).filter(|other| other.start == end) {
            (end, after) = (other.end, self.after(after));
        }
        (start, end)
    }

    /// Checks an access, and records it. Gives what [`Log::check`] does.
    pub(crate) fn access(
        &mut self,
        (start, end): (u32, u32),
        access: Access,
        stamp: Stamp,
        clock: &Clock,
    ) -> Result<Option<Stamp>, Conflict> {
        let first = self.find(start);
        let beside = self.check_from(first, (start, end), access, clock)?;
        // The same box as before: nothing is split.
        if let Some(segment) = self.chunks.get_mut(first.chunk).and_then(|chunk| chunk.get_mut(first.index))
            && segment.start == start
            && segment.end == end
        {
            segment.record(access, stamp, clock);
            return Ok(beside);
        }
        let new = Segment::new(start, end, access, stamp);
        // The elements after those that were accessed alike, as rows in a loop are.
        if self.get(first).is_none_or(|next| next.start > end)
            && let Some(at) = self.before(first)
            && let segment = &mut self.chunks[at.chunk][at.index]
            && segment.end == start
            && segment.alike(&new)
        {
            segment.end = end;
            return Ok(beside);
        }
        if access == Access::Read && self.split(first, (start, end), stamp, clock) {
            return Ok(beside);
        }
        self.scratch.clear();
        let mut from = first;
        if let Some(at) = self.before(first)
            && let Some(segment) = self.get(at)
            && segment.end == start
        {
            from = at;
            let segment = segment.clone();
            self.scratch.push(segment);
        }
        let mut at = first;
        let mut reached = start;
        while let Some(segment) = self.get(at)
            && segment.start < end
        {
            let segment = segment.clone();
            if segment.start < start {
                self.push(Segment { end: start, ..segment.clone() });
            }
            let inside = (segment.start.max(start), segment.end.min(end));
            if access != Access::Write {
                if inside.0 > reached {
                    self.push(Segment { start: reached, end: inside.0, ..new.clone() });
                }
                let mut part = Segment { start: inside.0, end: inside.1, ..segment.clone() };
                part.record(access, stamp, clock);
                self.push(part);
            } else if segment.end >= end || self.get(self.after(at)).is_none_or(|next| next.start >= end) {
                self.push(new.clone());
            }
            reached = inside.1;
            if segment.end > end {
                self.push(Segment { start: end, ..segment });
            }
            at = self.after(at);
        }
        match (access, at == first) {
            (Access::Write, true) => self.push(new),
            (Access::Read | Access::Add, _) if reached < end => self.push(Segment { start: reached, ..new }),
            _ => {}
        }
        if let Some(segment) = self.get(at)
            && self.scratch.last().is_some_and(|last| last.end == segment.start)
        {
            let segment = segment.clone();
            at = self.after(at);
            self.push(segment);
        }
        self.replace(from, at);
        Ok(beside)
    }

    /// Records a read of some elements of one segment, as peers read their rows of what was written at once; false where that is not all.
    fn split(&mut self, at: At, (start, end): (u32, u32), stamp: Stamp, clock: &Clock) -> bool {
        let Some(&Segment { start: from, end: to, write, read, more: None }) = self.get(at) else { return false };
        let part = Segment { start, end, write, read: stamp, more: None };
        let meets = |other: Option<At>| {
            let other = other.and_then(|at| self.get(at));
            other.is_some_and(|other| (other.end == start || end == other.start) && other.alike(&part))
        };
        if read == stamp && from <= start && end <= to {
            // It has read all of it already.
            return true;
        }
        if start < from || to < end || !clock.follows(read) || meets(self.before(at)) || meets(Some(self.after(at))) {
            return false;
        }
        let (before, behind) = (from < start, end < to);
        let chunk = &mut self.chunks[at.chunk];
        let added = usize::from(before) + usize::from(behind);
        if chunk.len() + added > CHUNK {
            return false;
        }
        make_room(chunk, added);
        let rest = |start, end| Segment { start, end, write, read, more: None };
        chunk[at.index] = part;
        if behind {
            chunk.insert(at.index + 1, rest(end, to));
        }
        if before {
            chunk.insert(at.index, rest(from, start));
        }
        true
    }

    /// Whether an access of this launch changed an element.
    pub(crate) fn changed(&self, position: u32) -> bool {
        let segment = self.get(self.find(position)).filter(|segment| segment.start <= position);
        segment.is_some_and(|segment| {
            !segment.write.is_none() || segment.more.as_ref().is_some_and(|more| !more.adds.is_empty())
        })
    }

    /// Adds a segment to the scratch, or lengthens the last one.
    fn push(&mut self, segment: Segment) {
        match self.scratch.last_mut() {
            Some(last) if last.end == segment.start && last.alike(&segment) => last.end = segment.end,
            _ => self.scratch.push(segment),
        }
    }

    /// Puts the scratch in the place of the segments from `from` until before `to`.
    fn replace(&mut self, from: At, to: At) {
        if self.chunks.len() <= from.chunk {
            self.chunks.push(take(&mut self.spare));
        }
        // A position at the end of a chunk may be given as the start of the next.
        let last = if to.index == 0 && to.chunk > from.chunk { to.chunk - 1 } else { to.chunk };
        // Where elements are accessed in their order, what lies behind stays full.
        let half = (from.index + self.scratch.len()).saturating_sub(1).clamp(CHUNK / 2, CHUNK);
        if last == from.chunk {
            let chunk = &mut self.chunks[from.chunk];
            let end = if to.chunk == from.chunk { to.index } else { chunk.len() };
            make_room(chunk, self.scratch.len());
            chunk.splice(from.index..end, self.scratch.drain(..));
        } else {
            self.chunks[from.chunk].truncate(from.index);
            self.chunks[from.chunk].append(&mut self.scratch);
            if to.chunk == last {
                self.chunks[last].drain(..to.index);
                self.chunks.drain(from.chunk + 1..last);
            } else {
                self.chunks.drain(from.chunk + 1..=last);
            }
        }
        let mut chunk = from.chunk;
        while self.chunks[chunk].len() > CHUNK {
            let tail = self.chunks[chunk].split_off(half);
            chunk += 1;
            self.chunks.insert(chunk, tail);
        }
        if self.chunks[from.chunk].is_empty() && self.chunks.len() > 1 {
            self.chunks.remove(from.chunk);
        }
    }

    /// How many segments there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::clock::Release;

    /// A plain model: per element, every access ever made.
    struct Model(Vec<Vec<(Stamp, Access)>>);

    impl Model {
        fn check(&self, start: u32, end: u32, access: Access, clock: &Clock) -> bool {
            let alike = |first| first == access && access != Access::Write;
            self.0[start as usize..end as usize]
                .iter()
                .flatten()
                .all(|&(stamp, first)| alike(first) || clock.follows(stamp))
        }

        /// Whether an add meets another one that nothing orders before it.
        fn meets(&self, start: u32, end: u32, access: Access, clock: &Clock) -> bool {
            access == Access::Add
                && self.0[start as usize..end as usize]
                    .iter()
                    .flatten()
                    .any(|&(stamp, first)| first == Access::Add && !clock.follows(stamp))
        }
    }

    #[test]
    fn the_log_agrees_with_a_plain_model() {
        for seed in 0..200_u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut random = |n: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % n
            };
            let size = 4 + random(600) as u32;
            let mut clocks: Vec<Clock> = (0..4).map(|r| Clock::new(r, 4)).collect();
            let mut log = Log::default();
            let mut model = Model(vec![vec![]; size as usize]);
            for step in 0..400 {
                let rank = random(4) as usize;
                if random(3) == 0 {
                    let other = random(4) as usize;
                    let release: Release = clocks[rank].release();
                    clocks[other].acquire(rank as u32, release);
                    continue;
                }
                let start = random(u64::from(size)) as u32;
                let longest = if random(4) == 0 { u64::from(size - start) } else { u64::from(size - start).min(3) };
                let end = start + 1 + random(longest) as u32;
                let access = [Access::Read, Access::Write, Access::Add][random(3) as usize];
                let stamp = clocks[rank].stamp(step % 3);
                let ours = log.access((start, end), access, stamp, &clocks[rank]);
                assert_eq!(ours.is_ok(), model.check(start, end, access, &clocks[rank]), "seed {seed}, step {step}");
                if let Ok(beside) = ours {
                    assert_eq!(beside.is_some(), model.meets(start, end, access, &clocks[rank]), "seed {seed}");
                }
                if let Err(conflict) = ours {
                    assert!(conflict.overlap.0 >= start as usize && conflict.overlap.1 <= end as usize);
                    assert!(conflict.overlap.0 < conflict.overlap.1);
                    continue;
                }
                for element in &mut model.0[start as usize..end as usize] {
                    element.push((stamp, access));
                }
                let segments: Vec<_> = log.chunks.iter().flatten().collect();
                assert!(segments.iter().all(|s| s.start < s.end));
                assert!(segments.windows(2).all(|w| w[0].end <= w[1].start), "seed {seed}, step {step}: {segments:?}");
                assert!(log.chunks.iter().all(|c| c.len() <= CHUNK));
                assert!(log.chunks.len() == 1 || log.chunks.iter().all(|c| !c.is_empty()));
            }
        }
    }

    #[test]
    fn neighbours_merge() {
        let mut log = Log::default();
        let clock = Clock::new(0, 2);
        for row in 0..1000 {
            log.access((row * 8, row * 8 + 8), Access::Write, clock.stamp(3), &clock).expect("no conflict");
        }
        assert_eq!(log.len(), 1);
        let mut other = Clock::new(1, 2);
        let mut clock = clock;
        other.acquire(0, clock.release());
        for row in (0..1000).step_by(2) {
            log.access((row * 8, row * 8 + 8), Access::Read, other.stamp(5), &other).expect("no conflict");
        }
        assert_eq!(log.len(), 1000);
        clock.acquire(1, other.release());
        log.access((0, 8000), Access::Write, clock.stamp(4), &clock).expect("no conflict");
        assert_eq!(log.len(), 1);
    }

    #[test]
    fn a_segment_is_small() {
        assert!(std::mem::size_of::<Segment>() <= 40);
    }
}
