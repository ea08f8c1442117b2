//! How threads wait for a change of what a lock guards: they look out for it for as long as it takes to wake a thread, and then park. `tests/loom`
//! model-checks this file as it is.

use crate::sync::{AtomicU32, Condvar, Mutex, MutexGuard, Ordering, spin};
use std::sync::PoisonError;

/// News of what one lock guards. All but [`News::wake`] is called with the lock held.
#[derive(Default)]
pub(crate) struct News {
    /// How often there was some.
    told: AtomicU32,
    /// How many threads look out for it, and how many are parked: only changed with the lock held.
    looking: AtomicU32,
    parked: AtomicU32,
    waker: Condvar,
}

impl News {
    /// Tells that there is something for so many threads. How many parked ones are to be [woken](News::wake) for it, once the lock is free.
    pub(crate) fn tell(&self, threads: usize) -> usize {
        self.told.fetch_add(1, Ordering::Release);
        let looking = self.looking.load(Ordering::Relaxed) as usize;
        threads.saturating_sub(looking).min(self.parked.load(Ordering::Relaxed) as usize)
    }

    /// Wakes parked threads.
    pub(crate) fn wake(&self, threads: usize) {
        (0..threads).for_each(|_| self.waker.notify_one());
    }

    /// Looks out for news for a while: whether there was some.
    pub(crate) fn look<'m, T>(&self, lock: &'m Mutex<T>, guard: MutexGuard<'m, T>) -> (MutexGuard<'m, T>, bool) {
        let seen = self.told.load(Ordering::Relaxed);
        self.looking.fetch_add(1, Ordering::Relaxed);
        drop(guard);
        spin(|| self.told.load(Ordering::Acquire) != seen);
        let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.looking.fetch_sub(1, Ordering::Relaxed);
        (guard, self.told.load(Ordering::Relaxed) != seen)
    }

    /// Parks until there may be news.
    pub(crate) fn park<'m, T>(&self, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        self.parked.fetch_add(1, Ordering::Relaxed);
        let guard = self.waker.wait(guard).unwrap_or_else(PoisonError::into_inner);
        self.parked.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// Waits until there may be news. `looks` tells whether a core is free to look out for it first.
    pub(crate) fn wait<'m, T>(
        &self,
        lock: &'m Mutex<T>,
        mut guard: MutexGuard<'m, T>,
        looks: bool,
    ) -> MutexGuard<'m, T> {
        if looks {
            let news;
            (guard, news) = self.look(lock, guard);
            if news {
                return guard;
            }
        }
        self.park(guard)
    }
}
