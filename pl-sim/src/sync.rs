//! The primitives of what is model-checked: `tests/loom` has loom's in their place.

pub(crate) use crate::shared::{Lock, Locked};
pub(crate) use std::sync::Condvar;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// For how long a thread looks out for news before it parks: about what it costs to wake it again.
const PATIENCE: Duration = Duration::from_micros(20);

/// Looks until there is news, but not for long; whether there is.
pub(crate) fn spin(news: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        for _ in 0..32 {
            if news() {
                return true;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
    }
}
