//! What the host can hold.

use std::fs;

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
