//! What the host can hold, and memory that loops over elements like.

use bytemuck::{Pod, Zeroable};
use std::fs;

/// A cache line. What begins with one is aligned for every element type, and no vector register of elements lies across two.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Line([u64; 8]);

/// Bytes that are made zero at once, unless all of them are.
const BLOCK: usize = 256 << 10;

/// Makes bytes zero. What is zero already is only read: so pages that nobody touched are not taken.
pub(crate) fn clear(bytes: &mut [u8]) {
    for block in bytes.chunks_mut(BLOCK) {
        let is_zero = |line: &[u8]| line.iter().fold(0, |all, byte| all | byte) == 0;
        if !block.chunks(size_of::<Line>()).all(is_zero) {
            block.fill(0);
        }
    }
}

/// Bytes that begin with a cache line.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<Line>);

impl Lines {
    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::must_cast_slice(&self.0)
    }

    /// The bytes, to change.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::must_cast_slice_mut(&mut self.0)
    }

    /// About how many bytes it takes.
    pub(crate) const fn held(&self) -> usize {
        self.0.capacity() * size_of::<Line>()
    }

    /// Makes it as large at least; what it holds then is not told. False when the host has no memory for that.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let needed = bytes.div_ceil(size_of::<Line>());
        if self.0.len() < needed {
            // The old contents are of no use: they are not copied.
            self.0 = Vec::new();
            if !holds(bytes) || self.0.try_reserve_exact(needed).is_err() {
                return false;
            }
            self.0.resize(needed, Line::zeroed());
        }
        true
    }
}

/// Less than this is not asked for: the allocator's own answer is good enough.
const LARGE: usize = 256 << 20;

/// Whether the host can be expected to hold so many more bytes. A reservation alone does not tell: where the system promises more memory than it
/// has, the process is ended once it touches the pages.
pub(crate) fn holds(bytes: usize) -> bool {
    if isize::try_from(bytes).is_err() {
        return false;
    }
    bytes < LARGE || available().is_none_or(|available| bytes as u64 <= available)
}

/// The bytes that the system has to give, where it tells.
fn available() -> Option<u64> {
    available_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// Reads `MemAvailable` from the text of `/proc/meminfo`, which counts in KiB.
fn available_in(meminfo: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = rest.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(holds(0) && holds(LARGE - 1));
        assert!(!holds(usize::MAX));
        // No host has 4 EiB; one that does not tell is left to the allocator.
        assert_eq!(holds(1 << 62), available().is_none());
    }

    #[test]
    fn the_system_tells_in_kib() {
        assert_eq!(available_in("MemTotal:  9 kB\nMemAvailable:   123 kB\n"), Some(123 << 10));
        assert_eq!(available_in("MemTotal:  9 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much\n"), None);
    }
}
