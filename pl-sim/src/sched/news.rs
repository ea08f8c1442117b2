//! How threads wait for a change of what a lock guards: they look out for it for as long as it takes to wake a thread, and then park. `tests/loom`
//! model-checks this file as it is.

use crate::sync::{AtomicU32, Condvar, Lock, Locked, Ordering, spin};

/// News of what one lock guards. All but [`News::wake`] is called with the lock held.
#[derive(Default)]
pub(crate) struct News {
    /// How often there was some, how many threads look out for it, and how many are parked: only changed with the lock held.
    told: AtomicU32,
    looking: AtomicU32,
    parked: AtomicU32,
    waker: Condvar,
}

/// Adds to a number that only changes with the lock held: nothing need be atomic but the store.
fn change(number: &AtomicU32, by: u32) {
    number.store(number.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

impl News {
    /// Tells that there is something for so many threads. How many parked ones are to be [woken](News::wake) for it, once the lock is free.
    pub(crate) fn tell(&self, threads: usize) -> usize {
        self.told.store(self.told.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release);
        let looking = self.looking.load(Ordering::Relaxed) as usize;
        threads.saturating_sub(looking).min(self.parked.load(Ordering::Relaxed) as usize)
    }

    /// Wakes parked threads.
    pub(crate) fn wake(&self, threads: usize) {
        (0..threads).for_each(|_| self.waker.notify_one());
    }

    /// Whether threads are parked.
    pub(crate) fn are_parked(&self) -> bool {
        self.parked.load(Ordering::Relaxed) > 0
    }

    /// Looks out for news, or for what else a thread waits for, for a while: whether there was some.
    pub(crate) fn look<'m, T>(
        &self,
        lock: &'m Lock<T>,
        guard: Locked<'m, T>,
        or: impl Fn() -> bool,
    ) -> (Locked<'m, T>, bool) {
        let seen = self.told.load(Ordering::Relaxed);
        change(&self.looking, 1);
        drop(guard);
        let news = spin(|| self.told.load(Ordering::Acquire) != seen || or());
        let guard = lock.lock();
        change(&self.looking, u32::MAX);
        (guard, news || self.told.load(Ordering::Relaxed) != seen)
    }

    /// Parks until there may be news.
    pub(crate) fn park<'m, T>(&self, guard: Locked<'m, T>) -> Locked<'m, T> {
        change(&self.parked, 1);
        let guard = guard.wait(&self.waker);
        change(&self.parked, u32::MAX);
        guard
    }

    /// Waits until there may be news. `looks` tells whether a core is free to look out for it first.
    pub(crate) fn wait<'m, T>(&self, lock: &'m Lock<T>, mut guard: Locked<'m, T>, looks: bool) -> Locked<'m, T> {
        if looks {
            let news;
            (guard, news) = self.look(lock, guard, || false);
            if news {
                return guard;
            }
        }
        self.park(guard)
    }
}
